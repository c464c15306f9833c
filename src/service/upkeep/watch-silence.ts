import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { minutesToMilliseconds, secondsToMilliseconds } from '../../runtime/dates.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { backBatch, lateBatch } from '../core/monitor.ts';
import type { SignalBatch } from '../core/signal.ts';
import type { IntegrationStore } from '../store/integrations/integration-store.ts';
import type { MonitorStore } from '../store/integrations/monitor-store.ts';

const PERIOD_MS = secondsToMilliseconds(1);
/** While there is nothing to watch. */
const IDLE_PERIOD_MS = secondsToMilliseconds(2);

interface WatchDeps {
  readonly monitors: MonitorStore;
  /** Resolves once the batch is durable. */
  readonly accept: (batch: SignalBatch) => Promise<unknown>;
}

/** Reports integrations that are late, and that they are back. */
export function createSilenceWatch(deps: WatchDeps & { readonly logger: Logger; readonly clock: Clock }): Loop {
  const { logger, clock } = deps;
  const look = createLook(deps, () => performance.now());
  return createLoop({
    name: 'silence',
    step: async () => ((await look()) ? PERIOD_MS : IDLE_PERIOD_MS),
    retry: { firstMs: PERIOD_MS, longestMs: minutesToMilliseconds(1) },
    logger,
    clock,
  });
}

/**
 * An integration that is deleted while it is late has no monitor that could be heard again, so its alert ends before. One that is
 * reported meanwhile is ended by the look that reports it.
 */
export function withEndedMonitors(
  integrations: IntegrationStore,
  { monitors, accept }: Pick<WatchDeps, 'accept'> & { readonly monitors: Pick<MonitorStore, 'findLate'> },
): IntegrationStore {
  return {
    ...integrations,
    async delete(id, now, by) {
      const late = await monitors.findLate(id);
      if (late !== null) {
        await accept(backBatch(late));
      }
      return integrations.delete(id, now, by);
    },
  };
}

/**
 * Looks once. @returns whether there is anything to watch
 *
 * @param monotonicMs a clock that is never set
 */
export function createLook({ monitors, accept }: WatchDeps, monotonicMs: () => number): () => Promise<boolean> {
  let lookedAt: number | null = null;
  return async () => {
    const startedAt = monotonicMs();
    const { late, back, hasMonitors } = await monitors.look(lookedAt === null ? null : startedAt - lookedAt);
    lookedAt = startedAt;
    for (const monitor of late) {
      await accept(lateBatch(monitor));
      if (!(await monitors.markLate(monitor))) {
        await accept(backBatch(monitor));
      }
    }
    for (const monitor of back) {
      await accept(backBatch(monitor));
      await monitors.markBack(monitor);
    }
    return hasMonitors;
  };
}
