import { type Selectable, sql, type Transaction } from 'kysely';
import { type IncidentRow, selectIncidents, toIncident } from '../store/incidents/incident-row.ts';
import { beginPage } from '../store/pages/follow-pages.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import type { PagesTable } from '../store/schema/waking-columns.ts';
import { reminderPolicy, wantsReminder } from './waking/reminder.ts';

/**
 * Begins another page for an incident that was taken by an earlier one, if it still fails, is not being rung for, and was
 * not given back since: who takes it then is reminded by the page that they ended.
 *
 * @returns whether it did
 */
export async function remind(tx: Transaction<ServiceTables>, pageId: string, at: Date): Promise<boolean> {
  const { rows } = await sql<IncidentRow>`
    ${selectIncidents} where id = (select incident_id from pages where id = ${pageId}) for update of incidents
  `.execute(tx);
  const [incident] = rows.map(toIncident);
  const { rows: pages } = await sql<Selectable<PagesTable>>`
    select * from pages where incident_id = ${incident?.id ?? null} order by started_at, id
  `.execute(tx);
  const page = pages.find(({ id }) => id === pageId);
  const isRinging = pages.some(({ ended_at: endedAt }) => endedAt === null);
  if (incident === undefined || page === undefined || isRinging || !wantsReminder(incident, at)) {
    return false;
  }
  const { acknowledgement } = incident;
  if (acknowledgement !== null && page.ended_at !== null && acknowledgement.at > page.ended_at) {
    return false;
  }
  // The policy of a reminder has the owner before everybody else already.
  const { policy } = pages.findLast((each) => !each.is_reminder) ?? page;
  await beginPage(tx, incident.id, reminderPolicy(policy, page.ended_by_id), at, true);
  return true;
}
