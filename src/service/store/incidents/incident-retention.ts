import { type Kysely, sql } from 'kysely';
import { subDays } from '../../../runtime/dates.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { keepNextNumber } from './incident-writer.ts';

/** Incidents that one statement deletes, with all that belongs to them. */
const DELETE_BATCH = 200;

export interface IncidentRetention {
  prune(now: Date): Promise<void>;
}

/**
 * Removes incidents that were closed more than `days` ago, with their notes, pages and lessons. It keeps, however old, one
 * whose signals are still there, one whose lesson is in use, and both of a merge until the whole of it may go.
 * No number is given again.
 *
 * @param days null: nothing is removed
 */
export function createIncidentRetention(db: Kysely<ServiceTables>, days: number | null): IncidentRetention {
  return {
    async prune(now) {
      if (days === null) {
        return;
      }
      const cutoff = subDays(now, days);
      await keepNextNumber(db);
      while ((await deleteOver(db, cutoff, now)) > 0) {
        // until none are left
      }
    },
  };
}

/** What was merged into another incident goes before that one, so that it can be split until then. */
async function deleteOver(db: Kysely<ServiceTables>, cutoff: Date, now: Date): Promise<number> {
  const isOver = (incident: string) => sql`(
    ${sql.ref(`${incident}.closed_at`)} < ${cutoff}
    and not exists (select from signals where incident_id = ${sql.ref(`${incident}.id`)})
    and not exists (
      select from lessons where incident_id = ${sql.ref(`${incident}.id`)} and forgotten_at is null and until > ${now}))`;
  const { numAffectedRows } = await sql`
    delete from incidents where id in (
      select id from incidents as old
      where ${isOver('old')}
        and (merged_into is null or exists (select from incidents as whole where whole.id = old.merged_into and ${isOver('whole')}))
        and not exists (select from incidents as part where part.merged_into = old.id)
      order by closed_at limit ${DELETE_BATCH}
      for update skip locked
    )`.execute(db);
  return Number(numAffectedRows);
}
