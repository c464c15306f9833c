import { z } from 'zod';
import { namingDimensions } from '../../../core/meant-service.ts';
import type { SignalBatch } from '../../../core/signal.ts';
import { fingerprint } from '../../../core/text.ts';
import { toSignal } from '../../alert.ts';
import { NOTHING, Text, timeOf } from '../../vendor-values.ts';

const Dimension = z.object({ name: Text, value: Text });

const Metric = z.object({ MetricName: Text, Namespace: Text, Dimensions: z.array(Dimension).catch([]) });

/**
 * A metric alarm. One of an expression or of several metrics has them in `Metrics` instead; an entry without `MetricStat`
 * is an expression. A composite alarm has no trigger.
 */
const Trigger = Metric.extend({
  Metrics: z
    .array(z.object({ MetricStat: z.object({ Metric }).optional().catch(undefined) }))
    .catch([])
    .transform((queries) => queries.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Metric]))),
});

/**
 * What CloudWatch publishes when the state of an alarm changes (docs.aws.amazon.com, "Using Amazon CloudWatch alarms";
 * aws/aws-lambda-go, `events/sns.go`, read on 2026-11-25).
 */
export const CloudWatchAlarm = z.object({
  AlarmName: z.string().min(1),
  AlarmArn: Text,
  AlarmDescription: Text,
  AWSAccountId: Text,
  Region: Text,
  NewStateValue: Text,
  NewStateReason: Text,
  StateChangeTime: Text,
  Trigger: Trigger.catch({ MetricName: '', Namespace: '', Dimensions: [], Metrics: [] }),
});
export type CloudWatchAlarm = z.infer<typeof CloudWatchAlarm>;

/** Without enough data, nothing is known. */
export function readCloudWatchAlarm(alarm: CloudWatchAlarm, topic: string, now: Date): SignalBatch {
  const { AlarmName: name, AlarmArn: arn, Trigger: trigger } = alarm;
  const ofAlarm = fingerprint('alert', 'cloudwatch', arn || `${alarm.AWSAccountId} ${alarm.Region} ${name}`);
  const at = timeOf(alarm.StateChangeTime, now);
  if (alarm.NewStateValue !== 'ALARM') {
    return alarm.NewStateValue === 'OK' ? { signals: [], ends: [{ fingerprint: ofAlarm, endedAt: at }] } : NOTHING;
  }
  const metrics = [trigger, ...trigger.Metrics];
  const dimensions = Object.fromEntries(
    metrics.flatMap(({ Dimensions }) => Dimensions.map(({ name: of, value }) => [of, value])).toReversed(),
  );
  const signal = toSignal({
    services: [...namingDimensions(dimensions).map(([, value]) => value), name],
    summary: `${name}: ${alarm.AlarmDescription || alarm.NewStateReason}`,
    severity: 'error',
    observedAt: at,
    fingerprint: ofAlarm,
    attributes: {
      ...dimensions,
      reason: alarm.NewStateReason,
      metric: [...new Set(metrics.map(metricName))].filter((each) => each !== '').join(', '),
      region: alarm.Region,
      account: alarm.AWSAccountId,
    },
    reportsEnd: true,
    source: { format: 'sns', topic, alarm: name },
  });
  return { signals: [signal] };
}

function metricName({ Namespace, MetricName }: z.infer<typeof Metric>): string {
  return [Namespace, MetricName].filter((part) => part !== '').join(' ');
}
