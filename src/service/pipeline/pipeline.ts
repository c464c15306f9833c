import { threadCpuUsage } from 'node:process';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { isIdle } from '../engine/engine.ts';
import { usualCalls } from '../engine/graph/call-graph.ts';
import { advancePosition, findWork, releaseLease, saveSnapshot, takeLease } from '../store/log/correlation-lease.ts';
import { noteLostUpdate, setAside } from '../store/log/set-aside.ts';
import { appendTick, type LogRow, readLog, trimLog } from '../store/log/telemetry-log.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { lockWriters } from '../store/shared/signal-state.ts';
import { isConflict, isStorageUnavailable } from '../store/shared/unavailable.ts';
import { isSetBack, type Memory, pack, restoreAt, SNAPSHOT_VERSION } from './memory.ts';
import type { Progress } from './progress.ts';
import { EntryFailedError, isSlotOver, nextTickAt, type Outcome, replay } from './replay.ts';
import { shrinkState } from './shrink-state.ts';
import { MAX_SNAPSHOT_BYTES } from './snapshot-bytes.ts';
import { createIncidentWriter, findClosedIncidents, type OpenedIncidents } from './write-incidents.ts';

const SNAPSHOT_MS = 30_000;
/** Snapshots may take at most this share of the time, because those of a large system are slow. */
const SNAPSHOT_SHARE = 0.02;
const STEP_MS = 1_000;

/** Report of one step, for metrics. */
export interface StepReport {
  readonly opened: OpenedIncidents;
  /** Items of telemetry. */
  readonly items: number;
  /** Processor time of the engine. */
  readonly cpuMs: number;
  /** From the reading of the log until everything was stored. */
  readonly durationMs: number;
  /** Age of the telemetry that was read last, while more waits; 0: nothing waits. */
  readonly lagMs: number;
}

/** Events of correlation, for metrics. */
export interface PipelineEvents {
  /** A step went through, whether or not there was something to do. */
  alive(): void;
  stepped(report: StepReport): void;
  /** An entry, a report or an update was set aside, see `SetAside`. */
  setAside(cause: string): void;
  snapshotTaken(bytes: number): void;
}

/** Log entries that are judged, but whose outcome is not stored yet. */
interface Pending {
  readonly to: bigint;
  readonly outcome: Outcome;
  readonly cpuMs: number;
  readonly now: Date;
}

/**
 * Turns the telemetry of all processes into incidents. One process does so at a time, the holder of the lease: it reads
 * the log that every intake writes, and stores the incidents together with its position in the log. So when it dies,
 * another one continues from the last snapshot: it replays the log up to the position, and nothing is lost or doubled.
 *
 * No lock is held while the engine works: what was judged is stored only if the position is still the one it was read
 * from.
 */
export interface Pipeline extends AsyncDisposable {
  start(): void;
  /** Something was appended to the log. */
  kick(): void;
}

export function createPipeline(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Holder of the lease: the same after a restart of the thread. */
  readonly process: string;
  /** Takes the lease even from a live process. */
  readonly isFirstStart: boolean;
  readonly progress: Progress;
  readonly events: PipelineEvents;
  /** Absent: `MAX_SNAPSHOT_BYTES`. */
  readonly maxSnapshotBytes?: number;
}): Pipeline {
  const { db, logger, clock, process, progress, events, maxSnapshotBytes = MAX_SNAPSHOT_BYTES } = deps;
  const writer = createIncidentWriter();
  let memory: Memory | null = null;
  let pending: Pending | null = null;
  let snapshotAt = Number.NEGATIVE_INFINITY;
  let isStarting = deps.isFirstStart;

  function forget(): void {
    memory = null;
    pending = null;
  }

  async function step(): Promise<number> {
    const work = await findWork(db, process);
    const now = clock.now().getTime();
    if (!work.mayLead || (memory !== null && isSetBack(memory, now))) {
      forget();
    }
    const isDue = memory === null || pending !== null || !work.isLeased || needsTick(memory, now);
    if (!isStarting && (!work.mayLead || (!work.hasEntries && !isDue))) {
      return STEP_MS;
    }
    const position = work.isLeased && !isStarting ? work.position : await takeLease(db, process, isStarting);
    isStarting = false;
    if (position === null) {
      forget();
      return STEP_MS;
    }
    if (memory?.position !== position) {
      forget();
    }
    return advance(now);
  }

  async function advance(now: number): Promise<number> {
    const startedAt = performance.now();
    try {
      memory ??= await startFrom(await restoreAt(now, { db, process, progress, logger }), now);
      pending ??= await judge(memory, now);
      if (pending === null) {
        return STEP_MS;
      }
      const { receivedAt, items } = pending.outcome;
      const { cpuMs } = pending;
      const opened = await store(memory, pending);
      pending = null;
      if (opened === null) {
        forget();
        return 0;
      }
      const { hasEntries } = await findWork(db, process);
      const isBehind = needsTick(memory, now);
      const reachedAt = isBehind ? memory.tickedAt : hasEntries ? receivedAt : null;
      const lagMs = reachedAt === null ? 0 : Math.max(0, clock.now().getTime() - reachedAt);
      if (opened.ids.length > 0) {
        logger.info({ incidentIds: opened.ids }, 'incidents opened');
      }
      events.stepped({ opened, items, cpuMs, lagMs, durationMs: performance.now() - startedAt });
      await snapshotIfDue(memory, now);
      return hasEntries || isBehind ? 0 : STEP_MS;
    } catch (error) {
      if (!(error instanceof EntryFailedError)) {
        throw error;
      }
      forget();
      logger.error(
        { err: error.cause, sequence: String(error.suspect.sequence) },
        'telemetry was set aside: it failed',
      );
      await setAside(db, error.suspect);
      events.setAside('error');
      return 0;
    }
  }

  async function startFrom(restored: Memory, now: number): Promise<Memory> {
    writer.restart(restored.state);
    snapshotAt = now;
    return restored;
  }

  /** @returns null: there is nothing to do */
  async function judge(current: Memory, now: number): Promise<Pending | null> {
    const rows = await readNext(current, now);
    const last = rows.at(-1);
    if (last === undefined) {
      return null;
    }
    const before = threadCpuUsage();
    const outcome = replay(current, rows, current.skipped, progress);
    const { user, system } = threadCpuUsage(before);
    return {
      to: last.sequence,
      outcome,
      cpuMs: (user + system) / 1_000,
      now: new Date(Math.max(now, current.tickedAt)),
    };
  }

  /** Reads the next entries. At the end of the log it appends a tick if needed, so that they are judged. */
  async function readNext(current: Memory, now: number): Promise<readonly LogRow[]> {
    const { rows, isAll } = await readLog(db, current.position);
    if (!isAll || (rows.length === 0 && !needsTick(current, now))) {
      return rows;
    }
    const closed = await findClosedIncidents(db, current.state);
    const last = rows.at(-1)?.sequence ?? current.position;
    // The time after the log was read, so that nothing in it was received later than that.
    const tick = await appendTick(db, { at: nextTickAt(current, clock.now().getTime()), closed });
    const rest = tick.sequence === last + 1n ? [tick] : (await readLog(db, last)).rows;
    return [...rows, ...rest];
  }

  /** @returns null: another process has advanced the position */
  async function store(current: Memory, judged: Pending): Promise<OpenedIncidents | null> {
    const written = await tryToStore(current, judged).catch((error: unknown) => {
      if (isStorageUnavailable(error) && !isConflict(error)) {
        throw error;
      }
      return tryToStore(current, judged, isConflict(error) ? 'alone' : 'each alone');
    });
    if (written === null) {
      return null;
    }
    written.committed();
    current.position = judged.to;
    for (const err of written.failures) {
      logger.error({ err }, 'an update of an incident was set aside: it cannot be stored');
      events.setAside('unstorable');
    }
    return written.opened;
  }

  /** @param how `alone`: with the lock of the writers; `each alone`: also leaves out updates that cannot be stored */
  function tryToStore(current: Memory, { to, outcome, now }: Pending, how?: 'alone' | 'each alone') {
    return db.transaction().execute(async (tx) => {
      if (how !== undefined) {
        await lockWriters(tx);
      }
      if (!(await advancePosition(tx, current.position, to))) {
        return null;
      }
      const written = await writer.write(tx, current.state, outcome, now, how === 'each alone');
      for (const failure of written.failures) {
        await noteLostUpdate(tx, to, String(failure));
      }
      return written;
    });
  }

  async function snapshotIfDue(current: Memory, now: number): Promise<void> {
    if (now < snapshotAt) {
      return;
    }
    const startedAt = performance.now();
    let state = pack(current);
    if (state.length > maxSnapshotBytes) {
      // Without a snapshot the log would grow for ever. What is usual is learnt again within minutes.
      logger.warn({ bytes: state.length }, 'the snapshot of correlation is too large: what is usual is learnt anew');
      events.setAside('snapshot too large');
      shrinkState(current.state);
      state = pack(current);
    }
    snapshotAt = now + Math.max(SNAPSHOT_MS, (performance.now() - startedAt) / SNAPSHOT_SHARE);
    events.snapshotTaken(state.length);
    const { graph, correlation } = current.state;
    const observed = {
      calls: usualCalls(graph),
      changes: [...correlation.changes.values()].flat().map(({ service, at, subject }) => ({ service, at, subject })),
    };
    const snapshot = { version: SNAPSHOT_VERSION, state };
    const isSaved = await db.transaction().execute((tx) => saveSnapshot(tx, current.position, snapshot, observed));
    if (isSaved) {
      await trimLog(db, current.position);
    }
  }

  const loop: Loop = createLoop({
    name: 'correlation',
    async step() {
      const nextMs = await step();
      events.alive();
      return nextMs;
    },
    retry: { firstMs: STEP_MS, longestMs: 30_000 },
    logger,
    clock,
  });

  return {
    start: () => loop.start(),
    kick: () => loop.kick(),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await releaseLease(db, process).catch((err: unknown) => logger.debug({ err }, 'the lease could not be released'));
    },
  };
}

/** Whether a slot has ended since the last tick, and the engine is not idle. */
function needsTick({ state, tickedAt }: Memory, now: number): boolean {
  return isSlotOver(tickedAt, now) && !isIdle(state);
}
