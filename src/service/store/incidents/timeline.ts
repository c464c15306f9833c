import { type Kysely, sql } from 'kysely';
import type { Actor } from '../../../contract/actor.ts';
import type { TimelineMoment } from '../../core/incident.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** Entries of one incident that are kept besides its notes. */
export const MAX_CHANGES_KEPT = 1_000;

/** What happened to an incident besides its opening, oldest first. */
export async function readTimeline(db: Kysely<ServiceTables>, incidentId: string): Promise<TimelineMoment[]> {
  const rows = await db
    .selectFrom('timeline_entries')
    .select(['at', 'event', 'author as by', 'author_id as byId', 'text'])
    .where('incident_id', '=', incidentId)
    .orderBy('sequence')
    .execute();
  return rows;
}

/** What somebody did about an incident. */
export interface IncidentAction extends Actor {
  readonly at: Date;
  readonly number: number;
  readonly event: TimelineMoment['event'];
}

/** What people did about incidents, newest first. */
export async function readActions(db: Kysely<ServiceTables>, limit: number): Promise<IncidentAction[]> {
  const { rows } = await sql<Omit<IncidentAction, 'number'> & { number: string }>`
    select at, number, event, author as by, author_id as "byId"
    from timeline_entries join incidents on incidents.id = incident_id
    where author is not null order by sequence desc limit ${limit}
  `.execute(db);
  return rows.map((row) => ({ ...row, number: Number(row.number) }));
}

/** Writes entries, and removes the oldest ones beyond what is kept. Needs a lock on the incidents. */
export async function appendToTimelines(
  db: Kysely<ServiceTables>,
  entries: readonly (TimelineMoment & { readonly incidentId: string })[],
): Promise<void> {
  if (entries.length === 0) {
    return;
  }
  await db
    .insertInto('timeline_entries')
    .values(
      entries.map(({ incidentId, at, event, by, byId = null, text }) => ({
        incident_id: incidentId,
        at,
        event,
        author: by,
        author_id: byId,
        text,
      })),
    )
    .execute();
  const ids = [...new Set(entries.map(({ incidentId }) => incidentId))];
  await sql`
    delete from timeline_entries using (
      select incident_id, sequence,
        row_number() over (partition by incident_id order by sequence desc) as place
      from timeline_entries where incident_id = any(${ids}::text[]) and event <> 'note'
    ) as kept
    where timeline_entries.incident_id = kept.incident_id and timeline_entries.sequence = kept.sequence
      and place > ${MAX_CHANGES_KEPT}
  `.execute(db);
}
