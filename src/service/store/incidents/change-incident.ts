import { sql, type Transaction } from 'kysely';
import type { IncidentEventType } from '../../../contract/events.ts';
import type { Incident, IncidentRecord } from '../../core/incident.ts';
import { updateOf } from '../../core/incident-event.ts';
import { appendEvents } from '../events/event-store.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { matches, requireOne } from './incident-reference.ts';
import { type IncidentRow, selectIncidents, toIncident, toRecord } from './incident-row.ts';
import { appendToTimelines, readTimeline } from './timeline.ts';

/** Changes the acknowledgement, the closing, `mergedInto`, what is set by hand, and the timeline. Returns the same object to change nothing. */
export type IncidentChange = (incident: IncidentRecord) => IncidentRecord;

/**
 * Changes an incident under a row lock, so that no update is lost. Writes the timeline and the event in the same
 * transaction.
 *
 * @throws {NotFoundError} or what `change` throws
 */
export async function changeIncident(
  tx: Transaction<ServiceTables>,
  reference: string,
  change: IncidentChange,
): Promise<{ readonly before: IncidentRecord; readonly after: IncidentRecord }> {
  const { rows } = await sql<IncidentRow>`
    ${selectIncidents} where ${matches(reference)} for update of incidents
  `.execute(tx);
  const row = toIncident(requireOne(rows, reference));
  const incident = toRecord(row, await readTimeline(tx, row.id));
  const changed = change(incident);
  if (changed === incident) {
    return { before: incident, after: incident };
  }
  await tx
    .updateTable('incidents')
    .set({
      acknowledged_at: changed.acknowledgement?.at ?? null,
      acknowledged_by: changed.acknowledgement?.by ?? null,
      acknowledged_by_id: changed.acknowledgement?.byId ?? null,
      closed_at: changed.closing?.at ?? null,
      resolution_note: changed.closing?.note ?? null,
      resolved_by: changed.closing?.by ?? null,
      resolved_by_id: changed.closing?.byId ?? null,
      merged_into: changed.mergedInto,
      title: changed.title,
      severity: changed.severity,
      root_service: changed.rootService,
      services: [...changed.services],
      declared_by: changed.declaredBy,
      declared_by_id: changed.declaredById ?? null,
      by_hand: JSON.stringify(changed.byHand),
      found: JSON.stringify(changed.found),
      is_no_problem: changed.closing?.isNoProblem === true,
      updated_at: changed.updatedAt,
    })
    .where('id', '=', incident.id)
    .execute();
  const moments = changed.timeline.slice(incident.timeline.length);
  await appendToTimelines(
    tx,
    moments.map((moment) => ({ ...moment, incidentId: incident.id })),
  );
  // Read again, because the changed columns decide whether a mute applies.
  const { mute } = await readIncident(tx, incident.id);
  const stored = { ...changed, mute };
  await appendEvents(tx, [{ type: eventOf(incident, stored), incident: stored }], stored.updatedAt);
  return { before: incident, after: stored };
}

async function readIncident(tx: Transaction<ServiceTables>, id: string): Promise<Incident> {
  const { rows } = await sql<IncidentRow>`${selectIncidents} where id = ${id}`.execute(tx);
  return toIncident(requireOne(rows, id));
}

function eventOf(before: Incident, after: Incident): IncidentEventType {
  if (before.closing === null && after.closing !== null) {
    return 'incident.closed';
  }
  if (before.closing !== null && after.closing === null) {
    return 'incident.reopened';
  }
  const isNewlyAcknowledged = before.acknowledgement === null && after.acknowledgement !== null;
  return isNewlyAcknowledged ? 'incident.acknowledged' : updateOf(before, after);
}
