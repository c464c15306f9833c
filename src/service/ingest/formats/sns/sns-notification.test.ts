import { describe, expect, it } from 'vitest';
import { cloudWatchAlarm } from './cloudwatch.samples.ts';
import { readNotification } from './sns-notification.ts';

const NOW = new Date('2026-01-31T09:00:00Z');
const TOPIC = 'arn:aws:sns:eu-central-1:0:backups';

function read(message: string | object, subject?: string) {
  const Message = typeof message === 'string' ? message : JSON.stringify(message);
  return readNotification({ Message, Subject: subject, TopicArn: TOPIC, Timestamp: '2026-01-31T08:00:00.000Z' }, NOW);
}

it('takes a text for an alert without an end', () => {
  const { signals } = read('backup 17 failed');
  const again = read('backup 18 failed');

  expect(signals).toMatchObject([{ service: 'backups', summary: 'backup 17 failed', detail: { reportsEnd: false } }]);
  expect(again.signals[0]?.fingerprint).toBe(signals[0]?.fingerprint);
});

/** docs.aws.amazon.com, "Amazon RDS event notification" and "Amazon EC2 Auto Scaling SNS notifications", read on 2026-11-26. */
it.each([
  [
    'RDS Notification Message',
    { 'Event Source': 'db-instance', 'Source ID': 'orders-db', 'Event Message': 'DB instance restarted' },
    { service: 'orders-db', summary: 'RDS Notification Message: DB instance restarted' },
  ],
  [
    'Auto Scaling: termination for group "web"',
    { Service: 'AWS Auto Scaling', AutoScalingGroupName: 'web', Description: 'Terminating EC2 instance: i-0abc' },
    { service: 'web', summary: 'Auto Scaling: termination for group "web": Terminating EC2 instance: i-0abc' },
  ],
  ['', { service: 'shop', severity: 'high', title: 'Queue is long' }, { service: 'shop', summary: 'Queue is long' }],
])('reads what a JSON message says: %s', (subject, message, expected) => {
  expect(read(message, subject).signals).toMatchObject([expected]);
});

/** docs.aws.amazon.com, "Alarm events and EventBridge", read as users publish it on 2026-11-26. */
const alarmEvent = (value: string) => ({
  version: '0',
  id: 'c4c1c1c9-6542-e61b-6ef0-8c4d36933a92',
  'detail-type': 'CloudWatch Alarm State Change',
  source: 'aws.cloudwatch',
  account: '000000000000',
  time: '2026-01-31T08:00:00Z',
  region: 'eu-central-1',
  resources: ['arn:aws:cloudwatch:eu-central-1:000000000000:alarm:payments-errors-high'],
  detail: {
    alarmName: 'payments-errors-high',
    state: { value, reason: 'Threshold Crossed', timestamp: '2026-01-31T08:00:00.000+0000' },
    previousState: { value: 'OK' },
    configuration: {
      description: 'more than 5 errors a minute',
      metrics: [
        { id: 'e1', expression: 'm1 / 2' },
        {
          id: 'm1',
          metricStat: {
            metric: { namespace: 'AWS/Lambda', name: 'Errors', dimensions: { FunctionName: 'payments' } },
            period: 60,
            stat: 'Sum',
          },
        },
      ],
    },
  },
});

describe('an event of EventBridge', () => {
  it('about an alarm is the same alert as the alarm itself', () => {
    const { signals } = read(alarmEvent('ALARM'));
    const direct = read(cloudWatchAlarm('ALARM', '2026-01-31T08:00:00.000+0000'));

    expect(signals).toMatchObject([
      {
        service: 'payments',
        summary: 'payments-errors-high: more than 5 errors a minute',
        attributes: { metric: 'AWS/Lambda Errors' },
        fingerprint: direct.signals[0]?.fingerprint,
      },
    ]);
    expect(read(alarmEvent('OK')).ends).toMatchObject([{ fingerprint: signals[0]?.fingerprint }]);
    expect(read(alarmEvent('INSUFFICIENT_DATA'))).toEqual({ signals: [] });
  });

  /** docs.aws.amazon.com, "Reference: AWS Health events Amazon EventBridge schema", read on 2026-11-26. */
  const health = (statusCode: string, eventTypeCategory = 'issue') => ({
    'detail-type': 'AWS Health Event',
    source: 'aws.health',
    account: '000000000000',
    time: '2026-01-31T08:00:00Z',
    region: 'eu-central-1',
    resources: [],
    detail: {
      eventArn: 'arn:aws:health:eu-central-1::event/EC2/AWS_EC2_OPERATIONAL_ISSUE/1',
      service: 'EC2',
      eventTypeCode: 'AWS_EC2_OPERATIONAL_ISSUE',
      eventTypeCategory,
      statusCode,
      startTime: 'Sat, 31 Jan 2026 07:55:00 GMT',
      ...(statusCode === 'closed' ? { endTime: 'Sat, 31 Jan 2026 08:30:00 GMT' } : {}),
      eventDescription: [{ language: 'en_US', latestDescription: 'Instances are unreachable.' }],
    },
  });

  it('of AWS Health is an alert until it is closed', () => {
    const { signals } = read(health('open'));

    expect(signals).toMatchObject([
      { service: 'EC2', severity: 'error', summary: 'AWS_EC2_OPERATIONAL_ISSUE: Instances are unreachable.' },
    ]);
    expect(read(health('closed')).ends).toEqual([
      { fingerprint: signals[0]?.fingerprint, endedAt: new Date('2026-01-31T08:30:00Z') },
    ]);
  });

  it('of AWS Health about planned work is an info', () => {
    expect(read(health('upcoming', 'scheduledChange')).signals).toMatchObject([{ severity: 'info' }]);
  });

  it('of another source says in words what happened', () => {
    const { signals } = read({
      'detail-type': 'ECS Task State Change',
      source: 'aws.ecs',
      time: '2026-01-31T08:00:00Z',
      resources: ['arn:aws:ecs:eu-central-1:000000000000:task/1'],
      detail: { lastStatus: 'STOPPED', stoppedReason: 'Essential container in task exited', group: 'service:web' },
    });

    expect(signals).toMatchObject([
      { service: 'aws.ecs', summary: 'ECS Task State Change: Essential container in task exited' },
    ]);
  });
});
