import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { NamedPage } from '../../../core/links.ts';
import type { SignalBatch } from '../../../core/signal.ts';
import type { Attributes, AttributeValue } from '../../../core/telemetry.ts';
import { fingerprint, template } from '../../../core/text.ts';
import { severityNamed, toSignal } from '../../alert.ts';
import { labelsInText } from '../../label-text.ts';
import { timeOf } from '../../vendor-values.ts';

/** No alert is lost over a number in place of a text, or anything else there. */
const text = z
  .preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string().nullish().catch(null))
  .optional();

const DedupKey = z.string().max(255);

/**
 * An event of PagerDuty's Events API v2 at `/v2/enqueue` (developer.pagerduty.com, "Send an alert event"), without the
 * `routing_key`. Only `summary` is required, so that no alert is lost over a missing field.
 */
export const PagerDutyEvent = z.discriminatedUnion('event_action', [
  z.object({
    event_action: z.literal('trigger'),
    /** Empty: absent. */
    dedup_key: DedupKey.nullish(),
    payload: z.object({
      summary: z.string().trim().min(1),
      source: text,
      severity: text,
      timestamp: text,
      component: text,
      group: text,
      class: text,
      custom_details: z.unknown().optional(),
    }),
    client: z.string().nullish(),
    client_url: z.string().nullish(),
    links: z.array(z.unknown()).nullish(),
  }),
  z.object({ event_action: z.enum(['acknowledge', 'resolve']), dedup_key: DedupKey.min(1) }),
]);
export type PagerDutyEvent = z.infer<typeof PagerDutyEvent>;
type Trigger = Extract<PagerDutyEvent, { event_action: 'trigger' }>;

/** A trigger without a key gets one derived from its content, so that repeats fold. */
export function dedupKeyOf(event: PagerDutyEvent): string {
  if (event.event_action !== 'trigger') {
    return event.dedup_key;
  }
  const { component, group, source, summary } = event.payload;
  const content = JSON.stringify([component, group, source, template(summary)]);
  return event.dedup_key || createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Fingerprint of the signal of an event. @param sender separates the keys of different senders */
export function pagerDutyFingerprint(event: PagerDutyEvent, sender: string): string {
  return fingerprint('event', sender, dedupKeyOf(event));
}

/** A trigger becomes a signal and a resolve ends it. An acknowledge is for the alert's incident. */
export function readPagerDutyEvent(event: PagerDutyEvent, sender: string, now: Date): SignalBatch {
  const ofAlert = pagerDutyFingerprint(event, sender);
  switch (event.event_action) {
    case 'trigger':
      return { signals: [readTrigger(event, ofAlert, now)] };
    case 'resolve':
      return { signals: [], ends: [{ fingerprint: ofAlert, endedAt: now }] };
    case 'acknowledge':
      return { signals: [] };
  }
}

function readTrigger({ payload, client, client_url, links }: Trigger, ofEvent: string, now: Date) {
  const { summary, source, component, group } = payload;
  const details = toAttributes(payload.custom_details);
  const ofAlert = labelsInText(details.firing); // where Alertmanager writes them by default
  const labels: Attributes = { ...ofAlert, ...details };
  return toSignal({
    services: [details.service, component],
    labels,
    otherwise: {
      'the group': group,
      "the alert's name": labels.alertname,
      'the source': source,
      'the host': hostIn(details),
      'the summary': summary,
    },
    summary: summary.replace(/^\[FIRING(?::\d+)?\] */, ''),
    severity: severityNamed(ofAlert.severity ?? payload.severity),
    observedAt: timeOf(payload.timestamp ?? '', now),
    seenAt: now,
    fingerprint: ofEvent,
    attributes: { ...labels, source, component, group, class: payload.class },
    pages: [...(links ?? []).slice(0, MAX_LINKS).flatMap(readLink), { kind: 'generator', url: client_url }],
    reportsEnd: true,
    source: { format: 'pagerduty_events', client, client_url },
  });
}

/** What agents of Nagios, Icinga and Zabbix call it; they name no source in events of version 1. */
function hostIn(details: Attributes): AttributeValue | undefined {
  const [, host] = Object.entries(details).find(([name]) => /^host_?name$|^host$/i.test(name)) ?? [];
  return host;
}

/** Links of an event that are read. */
const MAX_LINKS = 20;

const EventLink = z.object({ href: z.string(), text: z.string().nullish() });

/** Its text says what it is. No alert is lost over an invalid link. */
function readLink(link: unknown): NamedPage[] {
  const { success, data } = EventLink.safeParse(link);
  if (!success) {
    return [];
  }
  const text = (data.text ?? '').toLowerCase();
  const named = /runbook|playbook/.test(text) ? 'runbook' : 'generator';
  return [{ kind: text.includes('dashboard') ? 'dashboard' : named, url: data.href }];
}

function toAttributes(details: unknown): Attributes {
  return typeof details === 'object' && details !== null && !Array.isArray(details)
    ? (details as Attributes) // what JSON gives
    : {};
}
