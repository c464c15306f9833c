import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Severity } from '../../../../contract/resources.ts';
import { whereLabels } from '../../../core/alert-place.ts';
import type { ObservedSignal, SignalBatch } from '../../../core/signal.ts';
import { fingerprint } from '../../../core/text.ts';
import { type Alert, severityNamed, severityOfPriority, toSignal } from '../../alert.ts';

const Labels = z.record(z.string(), z.string());

/** Maximum number of alerts in a notification. */
export const MAX_ALERTS = 10_000;

/** A value is null where the query gave no number. */
const Values = z.record(z.string(), z.number().nullable());

/** Addresses that Grafana adds; they are empty where it knows none. */
const GRAFANA_PAGES = {
  dashboardURL: z.string().optional(),
  panelURL: z.string().optional(),
  silenceURL: z.string().optional(),
  imageURL: z.string().optional(),
};

const SentAlert = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: Labels,
  annotations: Labels.nullish().transform((annotations) => annotations ?? {}),
  startsAt: z.iso.datetime({ offset: true }),
  /** In the year 1 while the alert fires. */
  endsAt: z.iso.datetime({ offset: true }),
  /** Derived from the labels, so it is the same in every notification of an alert. Absent before Alertmanager 0.20. */
  fingerprint: z.string().min(1).optional(),
  generatorURL: z.string().optional(),
  ...GRAFANA_PAGES,
  values: Values.nullish().catch(null),
});

/** The format of each version. */
const FORMATS = { 1: 'grafana', 4: 'alertmanager' } as const;

/**
 * The body that Alertmanager posts to a webhook receiver, version 4 (prometheus.io, "webhook_config"), or Grafana to a
 * contact point of type webhook, version 1 (grafana.com, "Webhook notifier", also what it sends to OnCall).
 */
export const AlertmanagerNotification = z.object({
  version: z.enum(['1', '4'], {
    error:
      'must be "4" (a webhook of Alertmanager) or "1" (a contact point of Grafana); payloads of your own need an integration of type json',
  }),
  // Counted before they are checked.
  alerts: z.array(z.unknown()).max(MAX_ALERTS).pipe(z.array(SentAlert)),
  /** What Grafana calls the whole; null: another sender has something else there. */
  title: z.string().nullish().catch(null),
  message: z.string().nullish().catch(null),
});
export type AlertmanagerNotification = z.infer<typeof AlertmanagerNotification>;
type AlertmanagerAlert = AlertmanagerNotification['alerts'][number];

/** A firing alert becomes a signal; a resolved one ends its signal. */
export function readAlerts({ version, alerts, title, message }: AlertmanagerNotification): SignalBatch {
  const resolved = alerts.filter(({ status }) => status === 'resolved');
  const format = FORMATS[version];
  const whole = { alertname: nameIn(title ?? ''), summary: message ?? '' };
  return {
    signals: alerts.filter(({ status }) => status === 'firing').map((alert) => readFiring(alert, format, whole)),
    ends: resolved.map((alert) => ({ fingerprint: fingerprintOf(alert), endedAt: new Date(alert.endsAt) })),
  };
}

/** @param whole what the notification says where an alert has no name */
function readFiring(
  alert: AlertmanagerAlert,
  format: (typeof FORMATS)[1 | 4],
  { alertname, summary }: Readonly<Record<'alertname' | 'summary', string>>,
): ObservedSignal {
  const { labels, annotations, startsAt, generatorURL, values, silenceURL, imageURL } = alert;
  const isNamed = labels.alertname !== undefined || alertname === '';
  return readLabelled({
    labels: isNamed ? labels : { ...labels, alertname },
    annotations: isNamed ? annotations : { summary, ...annotations },
    observedAt: new Date(startsAt),
    fingerprint: fingerprintOf(alert),
    attributes: {
      ...labels,
      ...annotations,
      ...(values && Object.keys(values).length > 0 ? { values } : {}),
      ...(silenceURL ? { silence_url: silenceURL } : {}),
      ...(imageURL ? { image_url: imageURL } : {}),
    },
    pages: [
      { kind: 'dashboard', url: alert.panelURL },
      { kind: 'dashboard', url: alert.dashboardURL },
      { kind: 'generator', url: generatorURL },
    ],
    source: { format, generator_url: generatorURL },
  });
}

/** `Checkout latency` of Grafana's `[FIRING:1]  (Checkout latency)`. */
function nameIn(title: string): string {
  return title
    .replace(/^\[[^\]]*\]\s*/, '')
    .replace(/^\((.*)\)$/, '$1')
    .trim();
}

/** What each sender of alerts with labels has. */
interface LabelledAlert extends Pick<Alert, 'observedAt' | 'fingerprint' | 'attributes' | 'pages' | 'source'> {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The text that says where is told rather than one that does not. */
export function readLabelled({ labels, annotations, ...alert }: LabelledAlert): ObservedSignal {
  const name = nameOf(labels);
  const texts = ['summary', 'description', 'message'].flatMap((kind) => annotations[kind] || []);
  const places = Object.values(whereLabels(labels));
  const text = texts.find((each) => places.some((place) => each.includes(place))) ?? texts[0] ?? '';
  return toSignal({
    ...alert,
    labels,
    otherwise: { "the alert's name": name },
    summary: text === '' ? name : `${name}: ${text}`,
    severity: severityOf(labels),
    reportsEnd: true,
  });
}

function severityOf({ severity, priority }: Readonly<Record<string, string>>): Severity {
  return severity === undefined ? (severityOfPriority(priority) ?? 'error') : severityNamed(severity);
}

/** Grafana calls the alerts of a rule without data, or with a failing query, `DatasourceNoData` and `DatasourceError`. */
function nameOf({ alertname = 'alert', rulename }: Readonly<Record<string, string>>): string {
  return alertname.startsWith('Datasource') && rulename !== undefined ? `${alertname} ${rulename}` : alertname;
}

function fingerprintOf({ fingerprint: ofLabels, labels }: AlertmanagerAlert): string {
  return fingerprint('alert', ofLabels ?? identify(labels));
}

/** Equal for equal labels. */
export function identify(labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
}
