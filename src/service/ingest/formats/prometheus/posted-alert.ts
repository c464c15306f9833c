import { addMinutes } from 'date-fns/addMinutes';
import { z } from 'zod';
import { type PostedAlert, signalOfPosted } from '../../../core/posted-alert.ts';
import type { ObservedSignal } from '../../../core/signal.ts';
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

/** Empty labels are absent, as in Prometheus. Of equal alerts the last one counts. */
export function readPostedAlerts(alerts: z.output<typeof PostableAlerts>, now: Date): PostedAlert[] {
  const read = alerts.map(({ labels: sent, annotations, startsAt, endsAt, generatorURL }): PostedAlert => {
    const labels = Object.fromEntries(
      Object.entries(sent).filter(([name, value]) => value !== '' && !REPLICA_LABELS.includes(name)),
    );
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
