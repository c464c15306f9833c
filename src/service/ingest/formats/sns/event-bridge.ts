import { z } from 'zod';
import type { SignalBatch } from '../../../core/signal.ts';
import type { Attributes } from '../../../core/telemetry.ts';
import { fingerprint } from '../../../core/text.ts';
import { toSignal } from '../../alert.ts';
import { Text, Texts, timeOf } from '../../vendor-values.ts';
import { CloudWatchAlarm, readCloudWatchAlarm } from './cloudwatch.ts';

const Detail = z.record(z.string(), z.unknown()).catch({});

/**
 * An event of Amazon EventBridge, as a rule sends it to a topic (docs.aws.amazon.com, "AWS service events"; events of
 * CloudWatch, AWS Health, ECS and RDS as users of them publish them, read on 2026-11-26).
 */
export const EventBridgeEvent = z.object({
  'detail-type': z.string().trim().min(1),
  source: z.string().min(1),
  time: Text,
  account: Text,
  region: Text,
  resources: Texts,
  detail: Detail,
});
export type EventBridgeEvent = z.infer<typeof EventBridgeEvent>;

export function readEventBridgeEvent(event: EventBridgeEvent, topic: string, now: Date): SignalBatch {
  const alarm = AlarmChange.safeParse(event.detail);
  if (event.source === 'aws.cloudwatch' && alarm.success) {
    return readCloudWatchAlarm(toAlarm(event, alarm.data), topic, now);
  }
  return event.source === 'aws.health' ? readHealth(event, topic, now) : readOther(event, topic, now);
}

const MetricStat = z.object({
  metric: z.object({ name: Text, namespace: Text, dimensions: z.record(z.string(), Text).catch({}) }),
});

const AlarmChange = z.object({
  alarmName: z.string().min(1),
  state: z.object({ value: z.string(), reason: Text, timestamp: Text }),
  configuration: z
    .object({ description: Text, metrics: z.array(z.object({ metricStat: MetricStat.optional() })).catch([]) })
    .catch({ description: '', metrics: [] }),
});

/** The same alarm as CloudWatch itself sends it, so that either ends the other's. */
function toAlarm(event: EventBridgeEvent, { alarmName, state, configuration }: z.infer<typeof AlarmChange>) {
  return CloudWatchAlarm.parse({
    AlarmName: alarmName,
    AlarmArn: event.resources[0],
    AlarmDescription: configuration.description,
    AWSAccountId: event.account,
    Region: event.region,
    NewStateValue: state.value,
    NewStateReason: state.reason,
    StateChangeTime: state.timestamp || event.time,
    Trigger: {
      Metrics: configuration.metrics.flatMap(({ metricStat }) => {
        const { name, namespace, dimensions = {} } = metricStat?.metric ?? {};
        const Dimensions = Object.entries(dimensions).map(([of, value]) => ({ name: of, value }));
        return [{ MetricStat: { Metric: { MetricName: name, Namespace: namespace, Dimensions } } }];
      }),
    },
  });
}

const Health = z.object({
  eventArn: Text,
  service: Text,
  eventTypeCode: Text,
  /** `issue`, `investigation`, `scheduledChange` or `accountNotification`. */
  eventTypeCategory: Text,
  /** `open`, `upcoming` or `closed`. */
  statusCode: Text,
  endTime: Text,
  eventDescription: z.array(z.object({ latestDescription: Text })).catch([]),
});

/** An event of AWS Health: an outage is an error, what Amazon plans or notes is an info. */
function readHealth({ detail, region, account, time, resources }: EventBridgeEvent, topic: string, now: Date) {
  const health = Health.parse(detail);
  const ofEvent = fingerprint('alert', 'aws health', health.eventArn || resources.join(' ') || health.eventTypeCode);
  if (health.statusCode === 'closed') {
    return { signals: [], ends: [{ fingerprint: ofEvent, endedAt: timeOf(health.endTime, now) }] };
  }
  const description = health.eventDescription[0]?.latestDescription ?? '';
  const isFailure = health.eventTypeCategory === 'issue' || health.eventTypeCategory === 'investigation';
  const signal = toSignal({
    services: [health.service],
    summary: `${health.eventTypeCode || 'an event of AWS Health'}: ${description}`,
    severity: isFailure ? 'error' : 'info',
    observedAt: timeOf(time, now),
    fingerprint: ofEvent,
    attributes: { description, category: health.eventTypeCategory, region, account, resources },
    reportsEnd: true,
    source: { format: 'sns', topic, event: 'aws.health' },
  });
  return { signals: [signal] };
}

/** Fields of details that say what happened. */
const TEXTS = ['Message', 'message', 'description', 'stoppedReason', 'reason', 'state', 'lastStatus', 'status'];

function readOther(event: EventBridgeEvent, topic: string, now: Date): SignalBatch {
  const { detail, source, resources, region, account } = event;
  const text = TEXTS.map((name) => detail[name]).find((value) => typeof value === 'string' && value !== '');
  const what = event['detail-type'];
  const signal = toSignal({
    services: [detail.service as string | undefined, detail.SourceIdentifier as string | undefined, source],
    summary: typeof text === 'string' ? `${what}: ${text}` : what,
    severity: 'error',
    observedAt: timeOf(event.time, now),
    fingerprint: fingerprint('alert', 'event bridge', source, what, ...resources),
    attributes: { ...(detail as Attributes), resources, region, account }, // what JSON gives
    reportsEnd: false,
    source: { format: 'sns', topic, event: source },
  });
  return { signals: [signal] };
}
