import { addMinutes } from 'date-fns/addMinutes';

/** Who asked longer ago than this has gone on or asked again. */
const PATIENCE_MINUTES = 10;

/** Whether nobody waits for the link any more. */
export function isOver(askedAt: Date, now: Date): boolean {
  return addMinutes(askedAt, PATIENCE_MINUTES) <= now;
}
