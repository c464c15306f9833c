import { z } from 'zod';
import { Id, IncidentSummary, Timestamp } from './resources.ts';

export const IncidentEventType = z.enum([
  'incident.opened',
  'incident.updated',
  'incident.acknowledged',
  'incident.closed',
]);
export type IncidentEventType = z.infer<typeof IncidentEventType>;

/** A change of an incident, and the incident right after it. */
export const IncidentEvent = z.object({
  /** The same in the stream and in webhooks, so that receivers can drop duplicates. It says nothing about the order. */
  id: Id,
  type: IncidentEventType,
  occurred_at: Timestamp,
  incident: IncidentSummary,
});
export type IncidentEvent = z.infer<typeof IncidentEvent>;

/** The payload of a webhook, in the shape that Standard Webhooks (standardwebhooks.com) recommends. */
export const IncidentWebhook = z.object({
  type: IncidentEventType,
  /** Time of the event, not of the attempt. */
  timestamp: Timestamp,
  data: IncidentEvent,
});
export type IncidentWebhook = z.infer<typeof IncidentWebhook>;

/** The query of `GET /events`. */
export const EventsQuery = z.strictObject({
  /** For clients that cannot set the header `Last-Event-ID`; the header wins. */
  last_event_id: z.string().optional(),
});
