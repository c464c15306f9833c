import { addSeconds } from 'date-fns/addSeconds';
import type { KnownIncident } from '../domain/incident.ts';
import type { InstallationStore } from '../store/installation.ts';
import type { Held } from './kind.ts';

/** Delay before the next check for a successful poll. */
const UNCONFIRMED_SECONDS = 5;

/** Holds a message about an incident until a poll that began after `dueAt` has shown that it is still true. */
export async function heldUntilPoll(
  { isUnread }: Pick<KnownIncident, 'isUnread'>,
  dueAt: Date,
  deps: { installation: Pick<InstallationStore, 'answeredAt'>; now: () => Date },
): Promise<Held | null> {
  const answeredAt = await deps.installation.answeredAt();
  return isUnread || answeredAt === null || answeredAt < dueAt ? heldShortly(deps.now()) : null;
}

export function heldShortly(now: Date): Held {
  return { heldUntil: addSeconds(now, UNCONFIRMED_SECONDS) };
}
