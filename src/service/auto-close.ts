import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { subMinutes } from 'date-fns/subMinutes';
import type { Logger } from 'pino';
import { resolve } from './core/incident.ts';
import { startEvery } from './every.ts';
import type { IncidentStore } from './store/incident-store.ts';

const LOOK_EVERY_MINUTES = 1;
const AT_ONCE = 100;

/**
 * Closes the incidents that no signal has reached for so long.
 *
 * @param minutes null: nothing is closed but by a person
 */
export function startAutoClose(deps: {
  readonly incidents: IncidentStore;
  readonly minutes: number | null;
  readonly logger: Logger;
  readonly now: () => Date;
}): AsyncDisposable {
  const { incidents, minutes, logger, now } = deps;
  if (minutes === null) {
    return { [Symbol.asyncDispose]: async () => undefined };
  }
  const closeQuiet = createQuietCloser({ incidents, minutes, now });
  const periodMs = minutesToMilliseconds(LOOK_EVERY_MINUTES);
  return startEvery(periodMs, logger, 'quiet incidents could not be closed', closeQuiet);
}

/** While nobody was there to take signals, silence says nothing: the time begins again with each start. */
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
    for (const id of await incidents.listQuiet(since, AT_ONCE)) {
      // What a person wrote at the same moment stays.
      await incidents.update(id, (before) => (before.closing === null ? resolve(before, note, null, now()) : before));
    }
  };
}
