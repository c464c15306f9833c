import type { Incident, TimelineMoment } from './incident.ts';

/** A failure that pauses for less is the same one. */
const LEAST_PAUSE_MS = 60_000;

/** Counts a failure that comes back after it had stopped, while its incident is open. */
export function countRecurrence(before: Incident | undefined, after: Incident): Incident {
  return before !== undefined && recurs(before, after) ? { ...after, recurrences: before.recurrences + 1 } : after;
}

function recurs(before: Incident, after: Incident): boolean {
  const isOpen = before.closing === null && after.closing === null;
  const hasReturned = before.activity !== 'failing' && after.activity === 'failing';
  return isOpen && hasReturned && after.lastSeenAt.getTime() - before.lastSeenAt.getTime() >= LEAST_PAUSE_MS;
}

/** @returns null: it did not come back */
export function recurrenceMoment(before: Incident | undefined, after: Incident, at: Date): TimelineMoment | null {
  if (before === undefined || after.recurrences === before.recurrences) {
    return null;
  }
  return { at, event: 'recurred', by: null, text: `${after.recurrences + 1} times so far` };
}
