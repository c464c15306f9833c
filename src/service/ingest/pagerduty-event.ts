import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Attributes } from '../core/telemetry.ts';
import { fingerprint, template } from '../core/text.ts';
import { severityNamed, toSignal } from './alert.ts';
import type { IngestBatch } from './otlp-http.ts';

const DedupKey = z.string().min(1).max(255);

/**
 * What PagerDuty's Events API v2 takes at `/v2/enqueue` (developer.pagerduty.com, "Send an alert event"), without the
 * `routing_key`. Of what it demands only the summary is demanded here: an alert is not lost over less.
 */
export const PagerDutyEvent = z.discriminatedUnion('event_action', [
  z.object({
    event_action: z.literal('trigger'),
    dedup_key: DedupKey.nullish(),
    payload: z.object({
      summary: z.string().trim().min(1),
      source: z.string().nullish(),
      severity: z.string().nullish(),
      timestamp: z.string().nullish(),
      component: z.string().nullish(),
      group: z.string().nullish(),
      class: z.string().nullish(),
      custom_details: z.unknown().optional(),
    }),
    client: z.string().nullish(),
    client_url: z.string().nullish(),
  }),
  z.object({ event_action: z.enum(['acknowledge', 'resolve']), dedup_key: DedupKey }),
]);
export type PagerDutyEvent = z.infer<typeof PagerDutyEvent>;
type Trigger = Extract<PagerDutyEvent, { event_action: 'trigger' }>;

/** What PagerDuty would know the alert by. A trigger without a key gets one of what it says, so that repeats fold. */
export function dedupKeyOf(event: PagerDutyEvent): string {
  if (event.event_action !== 'trigger') {
    return event.dedup_key;
  }
  const { component, group, source, summary } = event.payload;
  const told = JSON.stringify([component, group, source, template(summary)]);
  return event.dedup_key ?? createHash('sha256').update(told).digest('hex').slice(0, 32);
}

/**
 * A trigger is a signal, a resolve ends it. An acknowledge is nothing: in Tocsin a person acknowledges an incident.
 *
 * @param sender keeps apart the keys of two senders
 */
export function readPagerDutyEvent(event: PagerDutyEvent, sender: string, now: Date): IngestBatch {
  const ofAlert = fingerprint('event', sender, dedupKeyOf(event));
  switch (event.event_action) {
    case 'trigger':
      return { signals: [readTrigger(event, ofAlert, now)], calls: [] };
    case 'resolve':
      return { signals: [], calls: [], ends: [{ fingerprint: ofAlert, endedAt: now }] };
    case 'acknowledge':
      return { signals: [], calls: [] };
  }
}

function readTrigger({ payload, client, client_url }: Trigger, ofAlert: string, now: Date) {
  const { summary, severity, source, component, group } = payload;
  const details = toAttributes(payload.custom_details);
  return toSignal({
    services: [details.service, component, group, source],
    summary,
    severity: severityNamed(severity),
    observedAt: readTimestamp(payload.timestamp, now),
    fingerprint: ofAlert,
    attributes: { ...details, source, component, group, class: payload.class },
    source: { format: 'pagerduty_events', client, client_url },
  });
}

function toAttributes(details: unknown): Attributes {
  return typeof details === 'object' && details !== null && !Array.isArray(details)
    ? (details as Attributes) // what JSON gives
    : {};
}

/** Not after `now`: the end of the alert, which has no time of its own, must not come before. */
function readTimestamp(text: string | null | undefined, now: Date): Date {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? now : new Date(Math.min(at, now.getTime()));
}
