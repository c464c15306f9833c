import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { backoffMs } from '../../runtime/backoff.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { STATE_BYTES } from '../engine/budget.ts';
import type { TelemetryLog } from '../log/telemetry-log.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { createLeases } from './leases.ts';
import { createPartition, type Partition, STEP_MS } from './partition.ts';
import type { PipelineEvents, StepReport } from './pipeline-events.ts';
import type { Progress } from './progress.ts';
import { MAX_SNAPSHOT_BYTES } from './snapshot-bytes.ts';

const RETRY = { firstMs: STEP_MS, longestMs: 30_000 };

/**
 * Turns the telemetry of all processes into incidents, see `Partition`. The processes share the partitions by leases. This one
 * gives its own ones turns: what one of them reads at once is limited, so that the others wait no longer than it takes.
 */
export interface Pipeline extends AsyncDisposable {
  start(): void;
  /** Something was appended to the log. */
  kick(): void;
}

/** A partition that this process correlates. */
interface Led {
  readonly partition: Partition;
  lagMs: number;
  /** Steps that failed in a row. The others go on meanwhile. */
  failures: number;
  retryAt: number;
}

export function createPipeline(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly log: TelemetryLog;
  /** Holder of the leases: the same after a restart of the thread. */
  readonly process: string;
  /** Takes leases even from a live process. */
  readonly isFirstStart: boolean;
  readonly progress: Progress;
  readonly events: PipelineEvents;
  /** Absent: `MAX_SNAPSHOT_BYTES`. */
  readonly maxSnapshotBytes?: number;
}): Pipeline {
  const { db, logger, clock, process, isFirstStart, events, maxSnapshotBytes = MAX_SNAPSHOT_BYTES } = deps;
  const leases = createLeases({ db, process, isFirstStart });
  const led = new Map<string, Led>();

  function lead(system: string): Led {
    const known = led.get(system);
    if (known !== undefined) {
      return known;
    }
    const share = { partitions: () => led.size, budgetBytes: () => budgetOf(system), renew: () => leases.renew() };
    const own: Led = {
      partition: createPartition(system, share, {
        ...deps,
        maxSnapshotBytes,
        events: { ...events, stepped: (report) => tell(own, report) },
      }),
      lagMs: 0,
      failures: 0,
      retryAt: Number.NEGATIVE_INFINITY,
    };
    led.set(system, own);
    return own;
  }

  function tell(own: Led, report: StepReport): void {
    own.lagMs = report.lagMs;
    events.stepped({ ...report, lagMs: Math.max(...[...led.values()].map(({ lagMs }) => lagMs)) });
  }

  /** An equal share of the budget, and what the others leave. */
  function budgetOf(system: string): number {
    let others = 0;
    for (const [name, { partition }] of led) {
      others += name === system ? 0 : partition.stateBytes();
    }
    return Math.max(STATE_BYTES / led.size, STATE_BYTES - others);
  }

  async function round(): Promise<number> {
    const now = clock.now().getTime();
    const held = await leases.hold();
    for (const system of led.keys()) {
      if (!held.some((lease) => lease.partition === system)) {
        led.delete(system);
      }
    }
    let nextMs = STEP_MS;
    const failures: unknown[] = [];
    for (const { partition: system } of held) {
      lead(system);
    }
    for (const lease of held) {
      const own = lead(lease.partition);
      if (own.retryAt > now || !leases.holds(lease.partition)) {
        continue;
      }
      try {
        nextMs = Math.min(nextMs, await own.partition.step(lease, now));
        own.failures = 0;
      } catch (error) {
        failures.push(error);
        own.failures += 1;
        own.retryAt = held.length === 1 ? now : now + backoffMs(RETRY, own.failures);
        if (own.failures === 1) {
          logger.error({ err: error, system: lease.partition }, 'correlation of a system failed and will be retried');
        }
      }
      await leases.renew();
    }
    if (failures.length > 0 && failures.length === held.length) {
      throw failures[0];
    }
    return nextMs;
  }

  const loop: Loop = createLoop({
    name: 'correlation',
    async step() {
      const nextMs = await round();
      if ([...led.values()].every(({ failures }) => failures === 0)) {
        events.alive();
      }
      return nextMs;
    },
    retry: RETRY,
    logger,
    clock,
  });

  return {
    start: () => loop.start(),
    kick: () => loop.kick(),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await leases.release().catch((err: unknown) => logger.debug({ err }, 'the leases could not be released'));
    },
  };
}
