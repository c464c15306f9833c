import { type RawBuilder, sql } from 'kysely';
import { CLOCK_STEP_MS } from '../runtime/clock.ts';

/**
 * Points in time that several processes share: leases, retry times, limits. They are set and compared with the clock of
 * the database, so the clocks of the processes may differ. `clock_now()` is a function of each schema; tests replace it
 * to move the time.
 */
export const CLOCK_NOW = sql<Date>`clock_now()`;

/** Creates `clock_now()`. Each schema calls this in its initial migration. */
export const createClock = sql`
  create function clock_now() returns timestamptz language sql stable as 'select statement_timestamp()'`;

/** `ms` milliseconds from now. */
export function fromNow(ms: number): RawBuilder<Date> {
  return sql<Date>`(clock_now() + ${ms}::double precision * interval '1 millisecond')`;
}

/**
 * Whether the time in `column` has come: it is null, past, or further ahead than it can have been set. The last one
 * happens when the database's clock was set back.
 *
 * @param longestMs the longest that `column` is ever set ahead
 */
export function isDue(column: string, longestMs: number): RawBuilder<boolean> {
  const at = sql.ref(column);
  return sql<boolean>`(${at} is null or ${at} <= clock_now() or ${at} > ${fromNow(longestMs + CLOCK_STEP_MS)})`;
}
