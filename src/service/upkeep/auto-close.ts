import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { minutesToMilliseconds, subMinutes } from '../../runtime/dates.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { resolve, wasOpenedAgain } from '../core/incident-changes.ts';
import type { IncidentStore } from '../store/incidents/incident-store.ts';

const PERIOD_MS = minutesToMilliseconds(1);
const BATCH = 100;

/** Closes incidents that had no signal for `minutes`, that nobody opened again meanwhile, and of which no alert goes on. */
export function createAutoClose(deps: {
  readonly incidents: IncidentStore;
  readonly minutes: number;
  readonly logger: Logger;
  readonly clock: Clock;
}): Loop {
  const { incidents, minutes, logger, clock } = deps;
  const closeQuiet = createQuietCloser({ incidents, minutes, now: clock.now });
  return createLoop({
    name: 'auto-close',
    async step() {
      await closeQuiet();
      return PERIOD_MS;
    },
    retry: { firstMs: PERIOD_MS, longestMs: PERIOD_MS },
    logger,
    clock,
  });
}

/** Time before the start does not count as quiet, because no signals could arrive. */
export function createQuietCloser(deps: {
  readonly incidents: Pick<IncidentStore, 'listQuiet' | 'update'>;
  readonly minutes: number;
  readonly now: () => Date;
}): () => Promise<void> {
  const { incidents, minutes, now } = deps;
  const note = `Closed by itself: no signal for ${minutes} minutes.`;
  const startedAt = now();

  return async () => {
    const since = subMinutes(now(), minutes);
    if (since < startedAt) {
      return;
    }
    for (const id of await incidents.listQuiet(since, BATCH)) {
      // Somebody may have closed it since, or opened it again, or it may have failed again.
      await incidents.update(id, (before) =>
        before.closing === null && before.lastSeenAt < since && !wasOpenedAgain(before, since)
          ? resolve(before, note, null, now())
          : before,
      );
    }
  };
}
