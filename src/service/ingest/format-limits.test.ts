import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { readByPreset } from '../../../test/support/read-preset.ts';
import type { SignalBatch } from '../core/signal.ts';
import { TEXT_LIMITS } from '../core/text.ts';
import { AlertmanagerNotification, readAlerts } from './formats/alertmanager/alertmanager.ts';
import { CloudEvents } from './formats/cloudevents/cloud-event.ts';
import { datadogEvent } from './formats/datadog/datadog.samples.ts';
import { DatadogEvent, readDatadogEvent } from './formats/datadog/datadog.ts';
import { fluxEvent } from './formats/flux/flux.samples.ts';
import { FluxEvent, readFluxEvent } from './formats/flux/flux.ts';
import { GenericEvent, GenericEvents } from './formats/generic/generic-event.ts';
import { newRelicIssue } from './formats/new-relic/new-relic.samples.ts';
import { FormattedWebhook, readFormattedWebhook } from './formats/oncall/formatted-webhook.ts';
import { OpsgenieAlert, readOpsgenieAlert } from './formats/opsgenie/opsgenie-alert.ts';
import { PagerDutyEvent, readPagerDutyEvent } from './formats/pagerduty-events/pagerduty-event.ts';
import { PagerDutyV1Event, toVersion2 } from './formats/pagerduty-events/pagerduty-v1.ts';
import { sentryIssue } from './formats/sentry/sentry.samples.ts';
import { readSentryHook, SentryHook } from './formats/sentry/sentry.ts';
import { cloudWatchAlarm } from './formats/sns/cloudwatch.samples.ts';
import { CloudWatchAlarm, readCloudWatchAlarm } from './formats/sns/cloudwatch.ts';
import { uptimeKumaEvent } from './formats/uptime-kuma/uptime-kuma.samples.ts';
import { zabbixEvent } from './formats/zabbix/zabbix.samples.ts';
import { settle } from './mapping/settle.ts';

const NOW = new Date('2026-01-31T09:00:00Z');

const alert = {
  status: 'firing',
  labels: { alertname: 'Down' },
  startsAt: '2026-01-31T08:00:00Z',
  endsAt: '0001-01-01T00:00:00Z',
  fingerprint: '5ef77f1f8a3ecfdd',
};
const trigger = { event_action: 'trigger', payload: { summary: 'down' } };

/** Limits that docs/senders.md and the products' references name, each with a body that has `count` of it. */
const LIMITS: readonly (readonly [string, number, z.ZodType, (count: number) => unknown])[] = [
  [
    'alerts of Alertmanager',
    10_000,
    AlertmanagerNotification,
    (count) => ({ version: '4', alerts: many(count, alert) }),
  ],
  ['alerts of Grafana', 10_000, AlertmanagerNotification, (count) => ({ version: '1', alerts: many(count, alert) })],
  ['characters of a PagerDuty key', 255, PagerDutyEvent, (count) => ({ ...trigger, dedup_key: 'k'.repeat(count) })],
  [
    'characters of a key of PagerDuty v1',
    255,
    PagerDutyV1Event,
    (count) => ({ event_type: 'resolve', incident_key: 'k'.repeat(count) }),
  ],
  ['characters of an alias of Opsgenie', 512, OpsgenieAlert, (count) => ({ message: 'm', alias: 'a'.repeat(count) })],
  ['tags of Opsgenie', 20, OpsgenieAlert, (count) => ({ message: 'm', tags: many(count, 't') })],
  [
    'details of Opsgenie',
    200,
    OpsgenieAlert,
    (count) => ({ message: 'm', details: Object.fromEntries(Array.from({ length: count }, (_, at) => [at, 'd'])) }),
  ],
  ['characters of an id of OnCall', 512, FormattedWebhook, (count) => ({ title: 't', alert_uid: 'u'.repeat(count) })],
  [
    'CloudEvents in a batch',
    1_000,
    CloudEvents,
    (count) => many(count, { specversion: '1.0', id: '1', source: 'backup', type: 'failed' }),
  ],
  ['generic events', 1_000, GenericEvents, (count) => many(count, { service: 'backup', summary: 'failed' })],
  [
    'characters of the key of a generic event',
    255,
    GenericEvent,
    (count) => ({ service: 'backup', summary: 'failed', dedup_key: 'k'.repeat(count) }),
  ],
];

function many(count: number, item: unknown): unknown[] {
  return Array.from({ length: count }, () => item);
}

it.each(LIMITS)('accepts and refuses by the number of %s: %i', (_what, limit, schema, body) => {
  expect(schema.safeParse(body(limit)).success).toBe(true);
  expect(schema.safeParse(body(limit + 1)).success).toBe(false);
});

type ReadTitled = (title: string) => SignalBatch;

/** What stands before the title in the summary, and the alert with a title. */
const TITLED: readonly (readonly [string, string, ReadTitled])[] = [
  ['Alertmanager', 'Down: ', (summary) => readAlerts(notification('4', summary))],
  ['Grafana', 'Down: ', (summary) => readAlerts(notification('1', summary))],
  [
    'PagerDuty',
    '',
    (summary) => readPagerDutyEvent(PagerDutyEvent.parse({ ...trigger, payload: { summary } }), 'sender', NOW),
  ],
  [
    'PagerDuty v1',
    '',
    (description) =>
      readPagerDutyEvent(toVersion2(PagerDutyV1Event.parse({ event_type: 'trigger', description })), 'sender', NOW),
  ],
  ['Opsgenie', '', (message) => readOpsgenieAlert(OpsgenieAlert.parse({ message }), 'sender', NOW)],
  ['OnCall', '', (title) => readFormattedWebhook(FormattedWebhook.parse({ title }), 'sender', NOW)],
  [
    'CloudWatch',
    'payments-errors-high: ',
    (AlarmDescription) =>
      readCloudWatchAlarm(CloudWatchAlarm.parse({ ...cloudWatchAlarm('ALARM', ''), AlarmDescription }), 'topic', NOW),
  ],
  ['Datadog', '', (title) => readDatadogEvent(DatadogEvent.parse({ ...datadogEvent('Triggered'), title }), NOW)],
  ['New Relic', '', (title) => preset('new_relic', { ...newRelicIssue('ACTIVATED'), title })],
  [
    'Sentry',
    '',
    (title) => {
      const { data, ...hook } = sentryIssue('created');
      return readSentryHook(SentryHook.parse({ ...hook, data: { issue: { ...data.issue, title } } }), NOW);
    },
  ],
  ['Zabbix', '', (event_name) => preset('zabbix', { ...zabbixEvent('1'), event_name })],
  [
    'Uptime Kuma',
    'payments is down: ',
    (msg) => {
      const { heartbeat, ...event } = uptimeKumaEvent(0);
      return preset('uptime_kuma', { ...event, heartbeat: { ...heartbeat, msg } });
    },
  ],
  [
    'Flux',
    'BuildFailed: ',
    (message) => readFluxEvent(FluxEvent.parse(fluxEvent('error', 'BuildFailed', message)), NOW),
  ],
];

function preset(id: string, payload: unknown): SignalBatch {
  return settle(readByPreset(id, payload, NOW), new Map(), NOW).batch;
}

function notification(version: '1' | '4', summary: string): AlertmanagerNotification {
  return AlertmanagerNotification.parse({ version, alerts: [{ ...alert, annotations: { summary } }] });
}

describe.each(TITLED)('the title of an alert of %s', (_product, before, read) => {
  const longest = TEXT_LIMITS.summary - before.length;
  const summaryOf = (title: string) => read(title).signals[0]?.summary;

  it('is kept up to the longest summary', () => {
    expect(summaryOf('x'.repeat(longest))).toBe(before + 'x'.repeat(longest));
  });

  it('is cut above it, and the alert is not refused', () => {
    expect(summaryOf('x'.repeat(longest + 1))).toBe(`${before}${'x'.repeat(longest - 1)}…`);
  });

  it('of thousands of characters loses no alert', () => {
    expect(summaryOf('x'.repeat(39_000))).toHaveLength(TEXT_LIMITS.summary); // the most that Flux allows
  });
});
