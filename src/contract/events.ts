import { z } from 'zod';
import { ScheduleGap } from './on-call.ts';
import { Incident, IncidentSummary } from './resources.ts';
import { Id, Timestamp } from './values.ts';

export const IncidentEventType = z.enum([
  'incident.opened',
  'incident.updated',
  'incident.acknowledged',
  'incident.closed',
  'incident.reopened',
  'incident.unmuted',
]);
export type IncidentEventType = z.infer<typeof IncidentEventType>;

/**
 * The incident right after a change. That of `incident.opened` also tells how it was correlated, so that a receiver need not
 * read it; `similar` is only there if it is empty.
 */
export const EventIncident = IncidentSummary.extend(
  Incident.pick({ correlation: true, similar: true, previous_incident_id: true }).shape,
);
export type EventIncident = z.infer<typeof EventIncident>;

/** A change of an incident, and the incident right after it. */
export const IncidentEvent = z.object({
  /** The same in the stream and in webhooks, so that receivers can drop duplicates. It says nothing about the order. */
  id: Id,
  type: IncidentEventType,
  occurred_at: Timestamp,
  incident: EventIncident,
});
export type IncidentEvent = z.infer<typeof IncidentEvent>;

export const IntegrationEventType = z.enum(['integration.disabled', 'integration.enabled']);
export type IntegrationEventType = z.infer<typeof IntegrationEventType>;

/** A webhook was disabled because its receiver failed, or enabled again. */
export const IntegrationEvent = z.object({
  id: Id,
  type: IntegrationEventType,
  occurred_at: Timestamp,
  integration: z.object({
    id: Id,
    type: z.string(),
    name: z.string().nullable(),
    /** Why it was disabled; null when it was enabled. */
    reason: z.string().nullable(),
    /** Time of the first failure after its last success; null when it was enabled. */
    failing_since: Timestamp.nullable(),
  }),
});
export type IntegrationEvent = z.infer<typeof IntegrationEvent>;

export const SIGN_IN_REQUESTED = 'sign_in.requested';

/** Somebody asks on the sign-in page for a link. Only keys with the scope read-write see it, and no webhook. */
export const SignInRequestedEvent = z.object({
  id: Id,
  type: z.literal(SIGN_IN_REQUESTED),
  occurred_at: Timestamp,
  sign_in: z.object({
    email: z.string(),
    /** The page to open afterwards. */
    return_to: z.string(),
  }),
});
export type SignInRequestedEvent = z.infer<typeof SignInRequestedEvent>;

/** A bot is asked to wake somebody by a message, or to say in it that somebody has the incident. */
export const PageEventType = z.enum(['page.asked', 'page.ended']);
export type PageEventType = z.infer<typeof PageEventType>;

/** Only keys with the scope read-write see it, and no webhook. See `POST /pages/{id}/attempts/{attempt_id}/report`. */
export const PageEvent = z.object({
  id: Id,
  type: PageEventType,
  occurred_at: Timestamp,
  page: z.object({
    /** null: a test of one way. */
    id: Id.nullable(),
    attempt_id: Id,
    /** Whom the message is for. */
    slack_user_id: z.string(),
    /** Those that an answer takes, this page's first; empty: a drill or a test. */
    incident_ids: z.array(Id),
    title: z.string(),
    lines: z.array(z.string()),
  }),
});
export type PageEvent = z.infer<typeof PageEvent>;

/** A schedule has gaps that were not told yet, or that begin within a day. */
export const SCHEDULE_GAPS = 'schedule.gaps';

export const ScheduleEvent = z.object({
  id: Id,
  type: z.literal(SCHEDULE_GAPS),
  occurred_at: Timestamp,
  schedule: z.object({ id: Id, name: z.string(), gaps: z.array(ScheduleGap) }),
});
export type ScheduleEvent = z.infer<typeof ScheduleEvent>;

/** All that the event stream sends. Readers skip types that they do not know. */
export const ServiceEvent = z.union([IncidentEvent, IntegrationEvent, SignInRequestedEvent, PageEvent, ScheduleEvent]);
export type ServiceEvent = z.infer<typeof ServiceEvent>;

/** Types that a webhook can subscribe to. */
export const WebhookEventType = z.enum([...IncidentEventType.options, ...IntegrationEventType.options, SCHEDULE_GAPS]);
export type WebhookEventType = z.infer<typeof WebhookEventType>;

/** The type of a test delivery, which no subscription needs to name. */
export const TEST_EVENT_TYPE = 'integration.test';

/** The payload of a webhook, in the shape that Standard Webhooks (standardwebhooks.com) recommends. */
export const IncidentWebhook = z.object({
  type: IncidentEventType,
  /** Time of the event, not of the attempt. */
  timestamp: Timestamp,
  data: IncidentEvent,
});
export type IncidentWebhook = z.infer<typeof IncidentWebhook>;

export const IntegrationWebhook = z.object({
  type: IntegrationEventType,
  timestamp: Timestamp,
  data: IntegrationEvent,
});
export type IntegrationWebhook = z.infer<typeof IntegrationWebhook>;

export const ScheduleWebhook = z.object({
  type: z.literal(SCHEDULE_GAPS),
  timestamp: Timestamp,
  data: ScheduleEvent,
});
export type ScheduleWebhook = z.infer<typeof ScheduleWebhook>;

/** The query of `GET /events`. */
export const EventsQuery = z.strictObject({
  /** For clients that cannot set the header `Last-Event-ID`; the header wins. */
  last_event_id: z.string().optional(),
});
