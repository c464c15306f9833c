import { addSeconds } from '../../runtime/dates.ts';
import type { KnownIncident } from '../incident/incident.ts';
import type { Held } from './kind.ts';

/** Delay before the next check for a successful poll. */
const UNCONFIRMED_SECONDS = 5;

/**
 * Holds a message about an incident until a poll that began after `dueAt` has shown that it is still true.
 *
 * @param answeredAt when the last successful poll began, read before the incident: what a poll stored in between is not
 *   confirmed by it
 */
export function heldUntilPoll(
  { isUnread }: Pick<KnownIncident, 'isUnread'>,
  { dueAt, answeredAt, now }: { dueAt: Date; answeredAt: Date | null; now: Date },
): Held | null {
  return isUnread || answeredAt === null || answeredAt < dueAt ? heldShortly(now) : null;
}

export function heldShortly(now: Date): Held {
  return { heldUntil: addSeconds(now, UNCONFIRMED_SECONDS) };
}
