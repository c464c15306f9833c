import { z } from 'zod';
import type { ObservedSignal } from '../core/signal.ts';
import { fingerprint } from '../core/text.ts';
import { severityNamed, toSignal } from './alert.ts';
import type { IngestBatch } from './otlp-http.ts';

const Labels = z.record(z.string(), z.string());

/** What Alertmanager posts to a webhook receiver: version 4 of its `Message` (prometheus.io, "webhook_config"). */
export const AlertmanagerNotification = z.object({
  version: z.literal('4'),
  alerts: z
    .array(
      z.object({
        status: z.enum(['firing', 'resolved']),
        labels: Labels,
        annotations: Labels.default({}),
        startsAt: z.iso.datetime({ offset: true }),
        /** In the year 1 while it fires. */
        endsAt: z.iso.datetime({ offset: true }),
        /** Of the labels, so the same for every notification of one alert. */
        fingerprint: z.string().min(1),
        generatorURL: z.string().optional(),
      }),
    )
    .max(10_000),
});
export type AlertmanagerNotification = z.infer<typeof AlertmanagerNotification>;
type AlertmanagerAlert = AlertmanagerNotification['alerts'][number];

/** The labels that may name the service, the most telling first. */
const SERVICE_LABELS = ['service', 'service_name', 'app', 'job', 'namespace'];

/** A signal for each alert that fires; one that is resolved ends its signal. */
export function readAlerts({ alerts }: AlertmanagerNotification): IngestBatch {
  const resolved = alerts.filter(({ status }) => status === 'resolved');
  return {
    signals: alerts.filter(({ status }) => status === 'firing').map(readFiring),
    calls: [],
    ends: resolved.map((alert) => ({ fingerprint: fingerprintOf(alert), endedAt: new Date(alert.endsAt) })),
  };
}

function readFiring(alert: AlertmanagerAlert): ObservedSignal {
  const { labels, annotations, startsAt, generatorURL } = alert;
  const name = labels.alertname ?? 'alert';
  const told = annotations.summary ?? annotations.description ?? annotations.message ?? '';
  return toSignal({
    services: SERVICE_LABELS.map((label) => labels[label]),
    summary: told === '' ? name : `${name}: ${told}`,
    severity: severityNamed(labels.severity),
    observedAt: new Date(startsAt),
    fingerprint: fingerprintOf(alert),
    attributes: { ...labels, ...annotations },
    source: { format: 'alertmanager', generator_url: generatorURL },
  });
}

function fingerprintOf({ fingerprint: ofLabels }: AlertmanagerAlert): string {
  return fingerprint('alert', ofLabels);
}
