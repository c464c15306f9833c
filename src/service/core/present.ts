import type {
  IncidentEvent as IncidentEventWire,
  IncidentWebhook,
  IntegrationEvent as IntegrationEventWire,
  IntegrationWebhook,
  ScheduleEvent as ScheduleEventWire,
  ScheduleWebhook,
  ServiceEvent as ServiceEventWire,
} from '../../contract/events.ts';
import type { Delivery, Integration as IntegrationWire } from '../../contract/integrations.ts';
import { INGEST_PATHS } from '../../contract/integrations.ts';
import type {
  IncidentSummary,
  Incident as IncidentWire,
  Signal as SignalWire,
  SimilarIncident,
} from '../../contract/resources.ts';
import { MAIN_SYSTEM } from '../../contract/system.ts';
import { isMuted } from '../../incident/mute.ts';
import type { DeliveryAttempt } from './delivery-attempt.ts';
import { presentFailureRate } from './failure-rate.ts';
import {
  type ClosedIncident,
  type Found,
  harmOf,
  type Incident,
  type IncidentRecord,
  signalCountOf,
  statusOf,
  timelineOf,
} from './incident.ts';
import { type IncidentEvent, type IncidentState, stateOf } from './incident-event.ts';
import { presentLabels } from './incident-labels.ts';
import { type Integration, isIncoming, maskConfig } from './integration.ts';
import type { IntegrationEvent, ServiceEvent } from './integration-event.ts';
import { integrationStatusOf, stateOfIntegration } from './integration-state.ts';
import { describeTaught, noProblemsIn } from './lesson.ts';
import type { ScheduleEvent } from './schedule-event.ts';
import type { StreamEvent } from './sign-in-request.ts';
import type { SignalDetail, StoredSignal } from './signal.ts';

/** The only place that converts domain objects to wire format. */

/** Whether it is open, and who has taken it. */
export function presentState({ closing, acknowledgement }: Pick<IncidentState, 'closing' | 'acknowledgement'>) {
  return {
    status: statusOf({ closing }),
    acknowledged: acknowledgement !== null,
    acknowledged_at: acknowledgement?.at.toISOString() ?? null,
    acknowledged_by: acknowledgement?.by ?? null,
    acknowledged_by_id: acknowledgement?.byId ?? null,
    closed_at: closing?.at.toISOString() ?? null,
  };
}

/** Whether its failure goes on. */
export function presentActivity(incident: Pick<IncidentState, 'activity' | 'activeSince' | 'lastSeenAt'>) {
  return {
    activity: incident.activity,
    activity_since: incident.activeSince.toISOString(),
    last_seen_at: incident.lastSeenAt.toISOString(),
  };
}

/**
 * @param publicUrl without a slash at the end
 * @param at the time at which the incident is shown
 */
export function presentIncidentSummary(
  incident: IncidentState,
  publicUrl: string,
  at: Date,
): Required<Omit<IncidentSummary, 'system'>> & Pick<IncidentSummary, 'system'> {
  return {
    id: incident.id,
    number: incident.number,
    title: incident.title,
    severity: incident.severity,
    root_service: incident.rootService,
    ...presentSystem(incident),
    services: [...incident.services],
    labels: presentLabels(incident.labels),
    signal_count: signalCountOf(incident),
    ...presentSignalCounts(incident),
    opened_at: incident.openedAt.toISOString(),
    ...presentState(incident),
    signals_ended_at: incident.signalsEndedAt?.toISOString() ?? null,
    updated_at: incident.updatedAt.toISOString(),
    ...presentActivity(incident),
    recurrences: incident.recurrences,
    harm: incident.harm,
    impact: [...incident.impact],
    root_changes: [...incident.rootChanges],
    merged_into: incident.mergedInto,
    failures_per_minute: presentFailureRate(incident, at),
    links: [...incident.links],
    trace_id: incident.traceId,
    changes: [...incident.changes],
    integrations: [...incident.integrations],
    mute: isMuted(incident, at) ? incident.mute : null,
    declared_by: incident.declaredBy,
    declared_by_id: incident.declaredById ?? null,
    lead: incident.byHand.lead ?? null,
    communications: incident.byHand.communications ?? null,
    detected: presentFound(incident.found),
    url: `${publicUrl}/dashboard/incidents/${incident.number}`,
  };
}

/** The default system is not shown. */
function presentSystem({ system }: { readonly system: string }): { readonly system?: string } {
  return system === MAIN_SYSTEM ? {} : { system };
}

/** Signals by type, and how many of them people declared. */
export function presentSignalCounts({ signalCounts }: Pick<Incident, 'signalCounts'>) {
  const { declared = 0, unended: _unended, ...byType } = signalCounts;
  return { signals_by_type: byType, declarations: declared };
}

/** What tells whether people alone say that it fails, see `isOnlyDeclared`. */
export function presentDeclared(incident: Pick<Incident, 'declaredBy' | 'signalCounts'>) {
  const { declarations } = presentSignalCounts(incident);
  return { declared_by: incident.declaredBy, signal_count: signalCountOf(incident), declarations };
}

function presentFound({ title, severity, rootService }: Found): NonNullable<IncidentSummary['detected']> {
  return {
    ...(title !== undefined && { title }),
    ...(severity !== undefined && { severity }),
    ...(rootService !== undefined && { root_service: rootService }),
  };
}

/** Without signals. */
export function presentIncident(
  incident: IncidentRecord,
  publicUrl: string,
  at: Date,
): Required<Omit<IncidentWire, 'signals' | 'signals_removed' | 'similar' | 'cards' | 'system'>> &
  Pick<IncidentWire, 'system'> {
  return {
    ...presentIncidentSummary(stateOf(incident), publicUrl, at),
    correlation: presentCorrelation(incident),
    timeline: timelineOf(incident),
    resolution_note: incident.closing?.note ?? null,
    resolved_by: incident.closing?.by ?? null,
    resolved_by_id: incident.closing?.byId ?? null,
    previous_incident_id: incident.previousIncidentId,
    not_a_problem: incident.closing?.isNoProblem === true,
    teaches: noProblemsIn(incident.teachable).map((taught) => describeTaught(taught)),
  };
}

function presentCorrelation(incident: Pick<Incident, 'correlation' | 'closing' | 'activity' | 'recurrences'>) {
  return { ...incident.correlation, harm: harmOf(incident), times_back: incident.recurrences };
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
    resolved_by_id: closing.byId ?? null,
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
    ...(reportsEnd(signal.detail) ? { ended_at: signal.endedAt?.toISOString() ?? null } : {}),
    occurrences: signal.occurrences,
    ...(signal.incidentId === null ? {} : { incident_id: signal.incidentId }),
    ...(signal.traceId === null ? {} : { trace_id: signal.traceId }),
    ...(signal.spanId === null ? {} : { span_id: signal.spanId }),
    attributes: { ...signal.attributes },
    source: { ...signal.source },
    ...presentDetail(signal.detail),
  };
}

/** Telemetry just stops arriving; the end of an alert may be reported. */
function reportsEnd(detail: SignalDetail): boolean {
  return detail.type === 'alert' && detail.reportsEnd;
}

function presentDetail(
  detail: SignalDetail,
): Pick<SignalWire, 'duration_ms' | 'status' | 'value' | 'threshold' | 'unit' | 'body'> {
  switch (detail.type) {
    case 'trace':
      return { duration_ms: detail.durationMs, status: detail.status };
    case 'metric':
      return { value: detail.value, threshold: detail.threshold, unit: detail.unit };
    case 'log':
      return { body: detail.body };
    case 'alert':
      return { unit: '' };
  }
}

/** @param publicUrl without a slash at the end */
export function presentIntegration(
  integration: Integration,
  publicUrl: string,
): Omit<IntegrationWire, 'secret' | 'ingest_key'> {
  const { type } = integration;
  return {
    id: integration.id,
    type,
    name: integration.name,
    ...presentSystem(integration),
    status: integrationStatusOf(integration),
    state: stateOfIntegration(integration),
    config: maskConfig(integration),
    created_at: integration.createdAt.toISOString(),
    last_used_at: integration.lastUsedAt?.toISOString() ?? null,
    last_error: integration.lastError,
    last_unkept: integration.unkept?.reason ?? null,
    last_unkept_at: integration.unkept?.at.toISOString() ?? null,
    ...(isIncoming(type) ? { ingest_url: publicUrl + INGEST_PATHS[type] } : {}),
  };
}

export function presentDelivery(attempt: DeliveryAttempt): Delivery {
  return {
    id: attempt.id,
    status: attempt.error === null ? 'delivered' : 'failed',
    event_id: attempt.eventId,
    event_type: attempt.eventType,
    attempt: attempt.attempt,
    attempted_at: attempt.attemptedAt.toISOString(),
    duration_ms: attempt.durationMs,
    http_status: attempt.httpStatus,
    error: attempt.error,
    response: attempt.response,
    next_attempt_at: attempt.nextAttemptAt?.toISOString() ?? null,
  };
}

export function presentEvent(event: StreamEvent, publicUrl: string): ServiceEventWire {
  if ('signIn' in event) {
    const { id, type, occurredAt, signIn } = event;
    return {
      id,
      type,
      occurred_at: occurredAt.toISOString(),
      sign_in: { email: signIn.email, return_to: signIn.returnTo },
    };
  }
  if ('page' in event) {
    const { id, type, occurredAt, page } = event;
    return {
      id,
      type,
      occurred_at: occurredAt.toISOString(),
      page: {
        id: page.pageId,
        attempt_id: page.attemptId,
        slack_user_id: page.slackUserId,
        incident_ids: [...page.incidentIds],
        title: page.title,
        lines: [...page.lines],
      },
    };
  }
  if ('schedule' in event) {
    return presentScheduleEvent(event);
  }
  return 'incident' in event ? presentIncidentEvent(event, publicUrl) : presentIntegrationEvent(event);
}

export function presentWebhook(
  event: ServiceEvent,
  publicUrl: string,
): IncidentWebhook | IntegrationWebhook | ScheduleWebhook {
  if ('schedule' in event) {
    const data = presentScheduleEvent(event);
    return { type: data.type, timestamp: data.occurred_at, data };
  }
  if ('incident' in event) {
    const data = presentIncidentEvent(event, publicUrl);
    return { type: data.type, timestamp: data.occurred_at, data };
  }
  const data = presentIntegrationEvent(event);
  return { type: data.type, timestamp: data.occurred_at, data };
}

function presentScheduleEvent({ id, type, occurredAt, schedule }: ScheduleEvent): ScheduleEventWire {
  return { id, type, occurred_at: occurredAt.toISOString(), schedule };
}

function presentIncidentEvent(event: IncidentEvent, publicUrl: string): IncidentEventWire {
  const { correlation, previousIncidentId, similarNumbers } = event.incident;
  return {
    id: event.id,
    type: event.type,
    occurred_at: event.occurredAt.toISOString(),
    incident: {
      ...presentIncidentSummary(event.incident, publicUrl, event.occurredAt),
      ...(correlation !== undefined && {
        correlation: presentCorrelation({ ...event.incident, correlation }),
        previous_incident_id: previousIncidentId,
        ...(similarNumbers.length === 0 && { similar: [] }),
      }),
    },
  };
}

function presentIntegrationEvent({ id, type, occurredAt, integration }: IntegrationEvent): IntegrationEventWire {
  const { reason, failingSince } = integration;
  return {
    id,
    type,
    occurred_at: occurredAt.toISOString(),
    integration: {
      id: integration.id,
      type: integration.type,
      name: integration.name,
      reason,
      failing_since: failingSince,
    },
  };
}
