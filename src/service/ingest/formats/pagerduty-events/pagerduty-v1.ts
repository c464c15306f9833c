import { z } from 'zod';
import type { PagerDutyEvent } from './pagerduty-event.ts';

const IncidentKey = z.string().max(255);

/** An event of PagerDuty's Events API v1 (developer.pagerduty.com, "Events API v1"), without the `service_key`. */
export const PagerDutyV1Event = z.discriminatedUnion('event_type', [
  z.object({
    event_type: z.literal('trigger'),
    /** Empty: absent. */
    incident_key: IncidentKey.nullish(),
    description: z.string().trim().min(1),
    details: z.unknown().optional(),
    client: z.string().nullish(),
    client_url: z.string().nullish(),
    contexts: z.array(z.unknown()).nullish(),
  }),
  z.object({ event_type: z.enum(['acknowledge', 'resolve']), incident_key: IncidentKey.min(1) }),
]);
export type PagerDutyV1Event = z.infer<typeof PagerDutyV1Event>;

/** The same event of version 2. Details may name the severity. */
export function toVersion2(event: PagerDutyV1Event): PagerDutyEvent {
  if (event.event_type !== 'trigger') {
    return { event_action: event.event_type, dedup_key: event.incident_key };
  }
  const { incident_key, description, details, client, client_url, contexts } = event;
  return {
    event_action: 'trigger',
    dedup_key: incident_key,
    payload: { summary: description, custom_details: details, severity: severityIn(details) },
    client,
    client_url,
    links: contexts,
  };
}

function severityIn(details: unknown): string | null {
  const { data } = z.object({ severity: z.string() }).safeParse(details);
  return data?.severity ?? null;
}
