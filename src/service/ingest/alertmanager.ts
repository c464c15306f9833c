import { z } from 'zod';
import type { ObservedSignal, SignalBatch } from '../core/signal.ts';
import { fingerprint } from '../core/text.ts';
import { severityNamed, toSignal } from './alert.ts';

const Labels = z.record(z.string(), z.string());

/** Maximum number of alerts in a notification. */
export const MAX_ALERTS = 10_000;

const Alert = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: Labels,
  annotations: Labels.default({}),
  startsAt: z.iso.datetime({ offset: true }),
  /** In the year 1 while the alert fires. */
  endsAt: z.iso.datetime({ offset: true }),
  /** Derived from the labels, so it is the same in every notification of an alert. */
  fingerprint: z.string().min(1),
  generatorURL: z.string().optional(),
});

/** The body that Alertmanager posts to a webhook receiver, version 4 (prometheus.io, "webhook_config"). */
export const AlertmanagerNotification = z.object({
  version: z.literal('4'),
  // Counted before they are checked.
  alerts: z.array(z.unknown()).max(MAX_ALERTS).pipe(z.array(Alert)),
});
export type AlertmanagerNotification = z.infer<typeof AlertmanagerNotification>;
type AlertmanagerAlert = AlertmanagerNotification['alerts'][number];

/** Labels that may name the service, the most specific first. */
const SERVICE_LABELS = ['service', 'service_name', 'app', 'job', 'namespace'];

/** A firing alert becomes a signal; a resolved one ends its signal. */
export function readAlerts({ alerts }: AlertmanagerNotification): SignalBatch {
  const resolved = alerts.filter(({ status }) => status === 'resolved');
  return {
    signals: alerts.filter(({ status }) => status === 'firing').map(readFiring),
    ends: resolved.map((alert) => ({ fingerprint: fingerprintOf(alert), endedAt: new Date(alert.endsAt) })),
  };
}

function readFiring(alert: AlertmanagerAlert): ObservedSignal {
  const { labels, annotations, startsAt, generatorURL } = alert;
  const name = labels.alertname ?? 'alert';
  const text = annotations.summary ?? annotations.description ?? annotations.message ?? '';
  return toSignal({
    services: SERVICE_LABELS.map((label) => labels[label]),
    summary: text === '' ? name : `${name}: ${text}`,
    severity: severityNamed(labels.severity),
    observedAt: new Date(startsAt),
    fingerprint: fingerprintOf(alert),
    attributes: { ...labels, ...annotations },
    pages: [{ kind: 'generator', url: generatorURL }],
    reportsEnd: true,
    source: { format: 'alertmanager', generator_url: generatorURL },
  });
}

function fingerprintOf({ fingerprint: ofLabels }: AlertmanagerAlert): string {
  return fingerprint('alert', ofLabels);
}
