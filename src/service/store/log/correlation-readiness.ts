import type { Kysely } from 'kysely';
import type { ReadinessCheck } from '../../../contract/health.ts';
import { subHours } from '../../../runtime/dates.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** How long an omission is reported. */
const HOURS = 1;
const MAX_CAUSE = 200;

/**
 * Reports that correlation has left something out. It continues without it, so the service stays ready.
 *
 * @returns an empty list if nothing was left out lately
 */
export async function checkCorrelation(db: Kysely<ServiceTables>, now: Date): Promise<ReadinessCheck[]> {
  const rows = await db
    .selectFrom('set_aside')
    .select('cause')
    .where('set_aside_at', '>', subHours(now, HOURS))
    .orderBy('id', 'desc')
    .limit(100)
    .execute();
  const [last] = rows;
  if (last === undefined) {
    return [];
  }
  const times = rows.length === 1 ? 'once' : `${rows.length} times`;
  return [
    {
      name: 'correlation',
      ready: true,
      detail: `left something out ${times} in the last hour, see table set_aside; the last cause: ${last.cause.slice(0, MAX_CAUSE)}`,
    },
  ];
}
