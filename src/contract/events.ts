import { z } from 'zod';
import { Id, IncidentSummary, Timestamp } from './resources.ts';

export const IncidentEventType = z.enum([
  'incident.opened',
  'incident.updated',
  'incident.acknowledged',
  'incident.closed',
]);
export type IncidentEventType = z.infer<typeof IncidentEventType>;

/** What happened to an incident, and what it was right after. */
export const IncidentEvent = z.object({
  /** The same wherever the event is told of, so that who hears of it twice can tell; it says nothing of the order. */
  id: Id,
  type: IncidentEventType,
  occurred_at: Timestamp,
  incident: IncidentSummary,
});
export type IncidentEvent = z.infer<typeof IncidentEvent>;

/** What a webhook is sent: the shape that Standard Webhooks (standardwebhooks.com) recommends. */
export const IncidentWebhook = z.object({
  type: IncidentEventType,
  /** Of the event, not of the attempt. */
  timestamp: Timestamp,
  data: IncidentEvent,
});
export type IncidentWebhook = z.infer<typeof IncidentWebhook>;

/** Of `GET /events`. */
export const EventsQuery = z.strictObject({
  /** As the header `Last-Event-ID`, for who cannot set it; the header wins. */
  last_event_id: z.string().optional(),
});
