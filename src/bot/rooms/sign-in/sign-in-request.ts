import { addMinutes } from '../../../runtime/dates.ts';

/** Time after which the person has given up or asked again. */
const VALID_MINUTES = 10;

/** Whether the request is too old to be answered. */
export function isOver(askedAt: Date, now: Date): boolean {
  return addMinutes(askedAt, VALID_MINUTES) <= now;
}
