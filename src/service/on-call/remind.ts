import { type Selectable, sql, type Transaction } from 'kysely';
import { type IncidentRow, selectIncidents, toIncident } from '../store/incidents/incident-row.ts';
import { beginPage } from '../store/pages/follow-pages.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import type { PagesTable } from '../store/schema/waking-columns.ts';
import { reminderPolicy, wantsReminder } from './waking/reminder.ts';

/**
 * Begins another page for an incident that was taken by an earlier one, if it still fails and is not being rung for.
 *
 * @returns whether it did
 */
export async function remind(tx: Transaction<ServiceTables>, pageId: string, at: Date): Promise<boolean> {
  const { rows } = await sql<IncidentRow>`
    ${selectIncidents} where id = (select incident_id from pages where id = ${pageId}) for update of incidents
  `.execute(tx);
  const [incident] = rows.map(toIncident);
  const pages = await sql<Selectable<PagesTable>>`
    select * from pages where incident_id = ${incident?.id ?? null} and (id = ${pageId} or ended_at is null)
  `.execute(tx);
  const [page, ...live] = pages.rows;
  if (incident === undefined || page === undefined || live.length > 0 || !wantsReminder(incident, at)) {
    return false;
  }
  await beginPage(tx, incident.id, reminderPolicy(page.policy, page.ended_by_id), at, true);
  return true;
}
