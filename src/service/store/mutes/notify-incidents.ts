import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { IncidentEventType } from '../../../contract/events.ts';
import { isMuted } from '../../../incident/mute.ts';
import type { Incident, TimelineMoment } from '../../core/incident.ts';
import { appendEvents } from '../events/event-store.ts';
import { hasLabels, type IncidentRow, selectIncidents, toIncident } from '../incidents/incident-row.ts';
import { appendToTimelines } from '../incidents/timeline.ts';
import type { MutesTable } from '../schema/incident-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';

type Muted = Pick<MutesTable, 'target' | 'value' | 'patterns'>;

/** Writes the timeline and an event of each open incident that the mute applies to. Call it after the mute was changed. */
export async function notifyIncidents(
  tx: Transaction<ServiceTables>,
  muted: Muted,
  moment: TimelineMoment,
): Promise<void> {
  const { rows } = await sql<IncidentRow>`
    ${selectIncidents} where closed_at is null and ${appliesTo(muted)} order by number for update of incidents
  `.execute(tx);
  if (rows.length === 0) {
    return;
  }
  const incidents = rows.map((row) => ({ ...toIncident(row), updatedAt: moment.at }));
  await tx
    .updateTable('incidents')
    .set({ updated_at: moment.at })
    .where(
      'id',
      'in',
      incidents.map(({ id }) => id),
    )
    .execute();
  await appendToTimelines(
    tx,
    incidents.map(({ id }) => ({ ...moment, incidentId: id })),
  );
  await appendEvents(
    tx,
    incidents.map((incident) => ({ type: eventTypeOf(moment, incident), incident })),
    moment.at,
  );
}

/** Another mute may still apply. */
function eventTypeOf({ event, at }: TimelineMoment, incident: Incident): IncidentEventType {
  return event === 'unmuted' && !isMuted(incident, at) ? 'incident.unmuted' : 'incident.updated';
}

/** The same incidents as in `selectIncidents`. */
function appliesTo({ target, value, patterns }: Muted): RawBuilder<boolean> {
  switch (target) {
    case 'incident':
      return sql`incidents.id = ${value}`;
    case 'service':
      return sql`incidents.root_service = ${value}`;
    case 'integration':
      return sql`incidents.sole_integration = ${value}`;
    case 'labels':
      return hasLabels(sql`${JSON.stringify(patterns)}::jsonb`);
  }
}
