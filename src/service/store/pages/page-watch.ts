import { type Kysely, sql } from 'kysely';
import type { WayKind } from '../../../contract/waking.ts';
import { CLOCK_NOW } from '../../../database/lease.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** Who is woken later than this is not woken in time. */
const LATE_SECONDS = 60;
/** A provider that failed as often in a row does not work. */
const MOST_REFUSALS = 3;
/** Only the newest attempts are looked at, and none that is older. */
const NEWEST = 100;
const OLDEST_MINUTES = 60;

/** Tells whether people are woken, in all processes. */
export interface PageWatch {
  /** How late the latest of what is due is; 0: nothing is late. */
  lateSeconds(): Promise<number>;
  /** How many calls have failed since one last worked, by way. A subscription that has ended is no failure of its provider. */
  refusals(): Promise<ReadonlyMap<WayKind, number>>;
  /** null: people are woken in time. */
  problem(): Promise<string | null>;
}

export function createPageWatch(db: Kysely<ServiceTables>): PageWatch {
  async function lateSeconds(): Promise<number> {
    const { rows } = await sql<{ late: number }>`
      select coalesce(greatest(0, extract(epoch from ${CLOCK_NOW} - min(due_at))), 0)::float8 as late
      from effects where settled_at is null and kind like 'page:%'
    `.execute(db);
    return rows[0]?.late ?? 0;
  }

  async function refusals(): Promise<ReadonlyMap<WayKind, number>> {
    const { rows } = await sql<{ way: WayKind; calls: number }>`
      with newest as (
        select attempt.id, attempt.kind, state in ('sending', 'failed') as is_open
        from page_attempts as attempt left join ways on ways.id = way_id
        where state in ('sending', 'failed', 'accepted', 'answered', 'retracted')
          and not (state = 'failed' and (page_id is null or unusable_because is not null))
        order by attempt.id desc limit ${NEWEST}
      )
      select newest.kind as way, count(*)::int as calls
      from newest join effects on subject = newest.id and effects.kind = 'page:' || newest.kind
      where is_open and outcome->>'state' = 'failed'
        and effects.settled_at > ${CLOCK_NOW} - ${OLDEST_MINUTES}::int * interval '1 minute'
        and newest.id > coalesce(
          (select max(id) from newest as worked where worked.kind = newest.kind and not worked.is_open), '')
      group by newest.kind
    `.execute(db);
    return new Map(rows.map(({ way, calls }) => [way, calls]));
  }

  return {
    lateSeconds,
    refusals,
    async problem() {
      const late = await lateSeconds();
      if (late >= LATE_SECONDS) {
        return `somebody should have been woken ${Math.floor(late)} s ago: see the log of the process`;
      }
      const broken = [...(await refusals())].filter(([, calls]) => calls >= MOST_REFUSALS);
      return broken.length === 0
        ? null
        : `nobody is woken by ${broken.map(([way, calls]) => `${way.replace('_', ' ')} (${calls} calls have failed)`).join(' and ')}: see the pages of the incidents`;
    },
  };
}
