import { z } from 'zod';
import type { Severity } from '../../contract/resources.ts';
import type { ObservedSignal } from '../core/signal.ts';
import { clip, fingerprint, keepable, oneLine, TEXT_LIMITS } from '../core/text.ts';

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
        /** Of the labels, so the same for every notification of one alert. */
        fingerprint: z.string().min(1),
        generatorURL: z.string().optional(),
      }),
    )
    .max(10_000),
});
export type AlertmanagerNotification = z.infer<typeof AlertmanagerNotification>;
type Alert = AlertmanagerNotification['alerts'][number];

/** The labels that may name the service, the most telling first. */
const SERVICE_LABELS = ['service', 'service_name', 'app', 'job', 'namespace'];

const SEVERITY_BY_LABEL: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  page: 'critical',
  error: 'error',
  warning: 'warning',
  info: 'info',
  none: 'info',
};

/** Of an alert that names no severity, or one we do not know: somebody found it worth an alert. */
const USUAL_SEVERITY: Severity = 'error';

/** A signal for each alert that fires; one that has ended is no news of a failure. */
export function readAlerts({ alerts }: AlertmanagerNotification): ObservedSignal[] {
  return alerts.filter(({ status }) => status === 'firing').map(toSignal);
}

function toSignal({ labels, annotations, startsAt, fingerprint: ofLabels, generatorURL }: Alert): ObservedSignal {
  const name = labels.alertname ?? 'alert';
  const service = SERVICE_LABELS.map((label) => labels[label]).find(Boolean) ?? 'unknown';
  const told = annotations.summary ?? annotations.description ?? annotations.message ?? '';
  return {
    type: 'metric',
    service: clip(service, TEXT_LIMITS.service),
    summary: oneLine(told === '' ? name : `${name}: ${told}`, TEXT_LIMITS.summary),
    severity: SEVERITY_BY_LABEL[labels.severity?.toLowerCase() ?? ''] ?? USUAL_SEVERITY,
    observedAt: new Date(startsAt),
    fingerprint: fingerprint('alert', ofLabels),
    occurrences: 1,
    traceId: null,
    spanId: null,
    attributes: keepable({ ...labels, ...annotations }),
    source: keepable({
      format: 'alertmanager',
      ...(generatorURL === undefined ? {} : { generator_url: generatorURL }),
    }),
    detail: { type: 'metric', value: null, threshold: null, unit: '' },
  };
}
