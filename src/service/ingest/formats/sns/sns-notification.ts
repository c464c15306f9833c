import type { SignalBatch } from '../../../core/signal.ts';
import type { Attributes } from '../../../core/telemetry.ts';
import { fingerprint, template } from '../../../core/text.ts';
import { scalarsIn, toSignal } from '../../alert.ts';
import { timeOf } from '../../vendor-values.ts';
import { CloudWatchAlarm, readCloudWatchAlarm } from './cloudwatch.ts';
import { EventBridgeEvent, readEventBridgeEvent } from './event-bridge.ts';
import type { SnsMessage } from './sns.ts';

type Notification = Pick<SnsMessage, 'Message' | 'Subject' | 'TopicArn' | 'Timestamp'>;

/** What a topic sends: an alarm of CloudWatch, an event of EventBridge, or anything else, which is an alert without an end. */
export function readNotification(sent: Notification, now: Date): SignalBatch {
  const body = parseJson(sent.Message);
  const alarm = CloudWatchAlarm.safeParse(body);
  if (alarm.success) {
    return readCloudWatchAlarm(alarm.data, sent.TopicArn, now);
  }
  const event = EventBridgeEvent.safeParse(body);
  return event.success ? readEventBridgeEvent(event.data, sent.TopicArn, now) : readOther(sent, scalarsIn(body), now);
}

/** Fields of Amazon's services that say what happened, and to what: RDS, Auto Scaling and others. */
const TEXTS = ['Event Message', 'Description', 'Message', 'message', 'description', 'summary', 'title'];
const SUBJECTS = ['Source ID', 'AutoScalingGroupName', 'Environment', 'ClusterName'];

function readOther({ Message, Subject, TopicArn, Timestamp }: Notification, fields: Attributes, now: Date) {
  const text = TEXTS.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '');
  const message = typeof text === 'string' ? text : '';
  const summary = [Subject, message].filter(Boolean).join(': ') || Message;
  const signal = toSignal({
    services: SUBJECTS.map((name) => fields[name]),
    labels: fields,
    otherwise: { 'the topic': TopicArn.split(':').at(-1) },
    summary,
    severity: 'error',
    observedAt: timeOf(Timestamp, now),
    fingerprint: fingerprint('alert', 'sns', TopicArn, template(summary)),
    attributes: { ...fields, message: Message },
    reportsEnd: false,
    source: { format: 'sns', topic: TopicArn },
  });
  return { signals: [signal] };
}

/** @returns null: it is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
