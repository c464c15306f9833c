import { sql } from 'kysely';

/**
 * A condition that is always true. A transaction that evaluates it commits without waiting for the disk. A crash of the
 * database server may lose it, in the order of commits: never something older than what survives. Only for writes that
 * are made again after such a loss.
 */
export const WITHOUT_FLUSH = sql<boolean>`set_config('synchronous_commit', 'off', true) = 'off'`;
