import type { IncidentEventType } from '../../contract/events.ts';
import { signalCountOf } from './incident.ts';
import type { IncidentState } from './incident-event.ts';
import type { ServiceEvent } from './integration-event.ts';
import { presentIncidentSummary } from './present.ts';
import { clip } from './text.ts';

/** PagerDuty cuts longer ones. */
const SUMMARY_LIMIT = 1_024;

const ACTIONS: Readonly<Partial<Record<IncidentEventType, 'trigger' | 'acknowledge' | 'resolve'>>> = {
  'incident.opened': 'trigger',
  'incident.reopened': 'trigger',
  'incident.acknowledged': 'acknowledge',
  'incident.closed': 'resolve',
  'incident.unmuted': 'trigger',
};

/**
 * An event in the format of PagerDuty's Events API v2 (developer.pagerduty.com, "Send an alert event"). The id of the
 * incident is the `dedup_key`, so that all its events are one alert.
 *
 * @throws TypeError for an event that PagerDuty has no action for; its integration is not subscribed to it
 */
export function presentPagerDutyEvent(event: ServiceEvent, routingKey: string, publicUrl: string): object {
  const action = 'incident' in event ? ACTIONS[event.type] : undefined;
  if (!('incident' in event) || action === undefined) {
    throw new TypeError(`PagerDuty has no action for ${event.type}`);
  }
  const about = { routing_key: routingKey, event_action: action, dedup_key: event.incident.id };
  return action === 'trigger' ? { ...about, ...describeTrigger(event.incident, publicUrl, event.occurredAt) } : about;
}

/** Tells nobody: nothing has this key. */
export function presentPagerDutyTest(routingKey: string): object {
  return { routing_key: routingKey, event_action: 'resolve', dedup_key: 'tocsin-test' };
}

function describeTrigger(incident: IncidentState, publicUrl: string, at: Date) {
  const { title, number, rootService, services, severity, openedAt, links } = incident;
  const { url } = presentIncidentSummary(incident, publicUrl, at);
  return {
    payload: {
      summary: clip(title, SUMMARY_LIMIT),
      source: rootService,
      component: rootService,
      severity,
      timestamp: openedAt.toISOString(),
      custom_details: { number, services, signals: signalCountOf(incident) },
    },
    client: 'Tocsin',
    client_url: url,
    links: links.map(({ kind, url: href }) => ({ href, text: kind })),
  };
}
