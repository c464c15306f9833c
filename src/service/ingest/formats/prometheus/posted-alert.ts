import { z } from 'zod';
import { addMinutes } from '../../../../runtime/dates.ts';
import { type PostedAlert, signalOfPosted } from '../../../core/posted-alert.ts';
import type { ObservedSignal } from '../../../core/signal.ts';
import { readState } from '../../mapping/read-state.ts';
import { identify, MAX_ALERTS, readLabelled } from '../alertmanager/alertmanager.ts';

/** As in Alertmanager, `resolve_timeout`: of an alert without an end. */
const RESOLVE_MINUTES = 5;

/** Go's zero time means absent. */
const Time = z.iso
  .datetime({ offset: true })
  .nullish()
  .transform((text) => (text && !text.startsWith('0001-') ? new Date(text) : null));

const Labels = z.record(z.string(), z.string());

const PostableAlert = z.object({
  labels: Labels.refine((labels) => Object.values(labels).some((value) => value !== ''), 'must not be empty'),
  annotations: Labels.nullish(),
  startsAt: Time,
  endsAt: Time,
  generatorURL: z.string().nullish(),
});

/** `postableAlerts` of Alertmanager's API v2 (api/v2/openapi.yaml). Counted before they are checked. */
export const PostableAlerts = z.array(z.unknown()).max(MAX_ALERTS).pipe(z.array(PostableAlert));

/** Labels by which the replicas of a Prometheus differ. */
const REPLICA_LABELS = ['prometheus_replica', '__replica__'];

type Postable = z.output<typeof PostableAlerts>[number];

/** Whether its severity says that all is well: how senders that post no ends, such as collectd, tell it. */
function isWell({ labels, endsAt }: Postable): boolean {
  return endsAt === null && readState(labels.severity ?? '') === 'over';
}

/** Of the posts by which a severity says that all is well, the labels of what is over: all but the severity. */
export function labelsOfEnds(alerts: readonly Postable[]): Readonly<Record<string, string>>[] {
  return alerts.filter(isWell).map(({ labels }) => withoutEmpty({ ...labels, severity: '' }));
}

function withoutEmpty(labels: Postable['labels']): Postable['labels'] {
  return Object.fromEntries(
    Object.entries(labels).filter(([name, value]) => value !== '' && !REPLICA_LABELS.includes(name)),
  );
}

/** Those that say something fails or failed. Empty labels are absent, as in Prometheus. Of equal alerts the last one counts. */
export function readPostedAlerts(alerts: readonly Postable[], now: Date): PostedAlert[] {
  const posted = alerts.filter((alert) => !isWell(alert));
  const read = posted.map(({ labels: sent, annotations, startsAt, endsAt, generatorURL }): PostedAlert => {
    const labels = withoutEmpty(sent);
    const start = startsAt ?? (endsAt !== null && endsAt < now ? endsAt : now);
    return {
      fingerprint: identify(labels),
      labels,
      annotations: annotations ?? {},
      startsAt: start,
      endsAt: endsAt ?? addMinutes(now, RESOLVE_MINUTES),
      generatorUrl: generatorURL ?? null,
    };
  });
  return [...new Map(read.map((alert) => [alert.fingerprint, alert])).values()];
}

export function toPostedSignal(alert: PostedAlert, observedAt: Date): ObservedSignal {
  const { labels, annotations, generatorUrl } = alert;
  return readLabelled({
    labels,
    annotations,
    observedAt,
    fingerprint: signalOfPosted(alert),
    attributes: { ...labels, ...annotations },
    pages: [{ kind: 'generator', url: generatorUrl }],
    source: { format: 'prometheus', generator_url: generatorUrl },
  });
}
