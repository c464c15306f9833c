import type { IncidentEvent, IncidentWebhook } from '../../contract/events.ts';
import type {
  IncidentSummary,
  Incident as IncidentWire,
  Integration as IntegrationWire,
  Signal as SignalWire,
  SimilarIncident,
} from '../../contract/resources.ts';
import { type ClosedIncident, type Incident, signalCountOf, statusOf, timelineOf } from '../core/incident.ts';
import type { IncidentState } from '../core/incident-snapshot.ts';
import { type Integration, integrationStatusOf, isIncoming, maskConfig } from '../core/integration.ts';
import { type SignalDetail, type StoredSignal, saysWhenItEnds } from '../core/signal.ts';
import type { StoredEvent } from '../store/event-store.ts';
import type { Page, PageRequest } from '../store/page.ts';
import { writeCursor } from './cursor.ts';
import { INGEST_PATHS } from './ingest-paths.ts';

/** Domain to wire: nothing else converts. */

/** @param publicUrl without a slash at its end */
export function presentIncidentSummary(incident: IncidentState, publicUrl: string): Required<IncidentSummary> {
  return {
    id: incident.id,
    number: incident.number,
    status: statusOf(incident),
    title: incident.title,
    severity: incident.severity,
    root_service: incident.rootService,
    services: [...incident.services],
    signal_count: signalCountOf(incident),
    signals_by_type: incident.signalCounts,
    opened_at: incident.openedAt.toISOString(),
    acknowledged: incident.acknowledgement !== null,
    acknowledged_at: incident.acknowledgement?.at.toISOString() ?? null,
    acknowledged_by: incident.acknowledgement?.by ?? null,
    closed_at: incident.closing?.at.toISOString() ?? null,
    signals_ended_at: incident.signalsEndedAt?.toISOString() ?? null,
    updated_at: incident.updatedAt.toISOString(),
    url: `${publicUrl}/dashboard/incidents/${incident.number}`,
  };
}

/** Without its signals. */
export function presentIncident(
  incident: Incident,
  publicUrl: string,
): Required<Omit<IncidentWire, 'signals' | 'signals_removed' | 'similar'>> {
  return {
    ...presentIncidentSummary(incident, publicUrl),
    correlation: incident.correlation,
    timeline: timelineOf(incident),
    resolution_note: incident.closing?.note ?? null,
    resolved_by: incident.closing?.by ?? null,
    previous_incident_id: incident.previousIncidentId,
  };
}

export function presentSimilar(incident: ClosedIncident): SimilarIncident {
  const { id, number, title, closing } = incident;
  return {
    id,
    number,
    title,
    closed_at: closing.at.toISOString(),
    resolution_note: closing.note,
    resolved_by: closing.by,
  };
}

export function presentSignal(signal: StoredSignal): SignalWire {
  return {
    id: signal.id,
    type: signal.type,
    service: signal.service,
    summary: signal.summary,
    severity: signal.severity,
    observed_at: signal.observedAt.toISOString(),
    received_at: signal.receivedAt.toISOString(),
    first_seen_at: signal.observedAt.toISOString(),
    last_seen_at: signal.lastSeenAt.toISOString(),
    ...(saysWhenItEnds(signal) ? { ended_at: signal.endedAt?.toISOString() ?? null } : {}),
    occurrences: signal.occurrences,
    ...(signal.incidentId === null ? {} : { incident_id: signal.incidentId }),
    ...(signal.traceId === null ? {} : { trace_id: signal.traceId }),
    ...(signal.spanId === null ? {} : { span_id: signal.spanId }),
    attributes: { ...signal.attributes },
    source: { ...signal.source },
    ...presentDetail(signal.detail),
  };
}

function presentDetail(
  detail: SignalDetail,
): Pick<SignalWire, 'duration_ms' | 'status' | 'value' | 'threshold' | 'unit' | 'body'> {
  switch (detail.type) {
    case 'trace':
      return { duration_ms: detail.durationMs, status: detail.status };
    case 'metric':
      return {
        ...(detail.value === null ? {} : { value: detail.value }),
        ...(detail.threshold === null ? {} : { threshold: detail.threshold }),
        unit: detail.unit,
      };
    case 'log':
      return { body: detail.body };
  }
}

/** @param publicUrl without a slash at its end */
export function presentIntegration(
  integration: Integration,
  publicUrl: string,
): Omit<IntegrationWire, 'secret' | 'ingest_key'> {
  const { type } = integration;
  return {
    id: integration.id,
    type,
    name: integration.name,
    status: integrationStatusOf(integration),
    config: maskConfig(integration),
    created_at: integration.createdAt.toISOString(),
    last_used_at: integration.lastUsedAt?.toISOString() ?? null,
    last_error: integration.lastError,
    ...(isIncoming(type) ? { ingest_url: publicUrl + INGEST_PATHS[type] } : {}),
  };
}

export function presentEvent(event: StoredEvent, publicUrl: string): IncidentEvent {
  return {
    id: event.id,
    type: event.type,
    occurred_at: event.occurredAt.toISOString(),
    incident: presentIncidentSummary(event.incident, publicUrl),
  };
}

export function presentWebhook(event: StoredEvent, publicUrl: string): IncidentWebhook {
  const data = presentEvent(event, publicUrl);
  return { type: data.type, timestamp: data.occurred_at, data };
}

/** What every list carries beside its array. */
export function presentPage({ total, end }: Page<unknown>, { limit, offset }: PageRequest) {
  return { total, limit, offset, has_more: end !== null, next_cursor: end === null ? null : writeCursor(end) };
}
