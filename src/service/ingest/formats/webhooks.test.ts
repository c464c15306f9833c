import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { readByPreset } from '../../../../test/support/read-preset.ts';
import type { SignalBatch } from '../../core/signal.ts';
import { settle } from '../mapping/settle.ts';
import { argoCdNotification } from './argo-cd/argo-cd.samples.ts';
import { ArgoCdNotification, readArgoCdNotification } from './argo-cd/argo-cd.ts';
import { datadogDefault, datadogEvent } from './datadog/datadog.samples.ts';
import { DatadogEvent, readDatadogEvent } from './datadog/datadog.ts';
import { fluxEvent } from './flux/flux.samples.ts';
import { FluxEvent, readFluxEvent } from './flux/flux.ts';
import type { PresetType } from './formats.ts';
import { gitHubDeployment, gitHubRelease } from './github/github.samples.ts';
import { GitHubEvent, readGitHubEvent } from './github/github.ts';
import { gitLabDeployment, gitLabRelease } from './gitlab/gitlab.samples.ts';
import { GitLabEvent, readGitLabEvent } from './gitlab/gitlab.ts';
import { newRelicIssue } from './new-relic/new-relic.samples.ts';
import { sentryEvent, sentryIssue, sentryMetricAlert, sentryPlugin } from './sentry/sentry.samples.ts';
import { readSentryHook, SentryHook } from './sentry/sentry.ts';
import { cloudWatchAlarm, cloudWatchMathAlarm } from './sns/cloudwatch.samples.ts';
import { CloudWatchAlarm, readCloudWatchAlarm } from './sns/cloudwatch.ts';
import { uptimeKumaEvent } from './uptime-kuma/uptime-kuma.samples.ts';
import { zabbixEvent, zabbixServiceEvent } from './zabbix/zabbix.samples.ts';

const NOW = new Date('2026-01-31T09:00:00Z');
const EIGHT = new Date('2026-01-31T08:00:00Z');

type Read = (payload: unknown) => SignalBatch;

function reading<Body>(schema: z.ZodType<Body>, read: (body: Body, now: Date) => SignalBatch): Read {
  return (payload) => read(schema.parse(payload), NOW);
}

/** The product is read by a preset. */
function preset(type: PresetType): Read {
  return (payload) => settle(readByPreset(type, payload, NOW, type), new Map(), NOW).batch;
}

const cloudWatch = reading(CloudWatchAlarm, (alarm, now) => readCloudWatchAlarm(alarm, 'arn:aws:sns:x:0:alarms', now));
const datadog = reading(DatadogEvent, readDatadogEvent);
const newRelic = preset('new_relic');
const sentry = reading(SentryHook, readSentryHook);
const zabbix = preset('zabbix');
const uptimeKuma = preset('uptime_kuma');
const gitHub = reading(GitHubEvent, readGitHubEvent);
const gitLab = reading(GitLabEvent, readGitLabEvent);
const argoCd = reading(ArgoCdNotification, readArgoCdNotification);
const flux = reading(FluxEvent, readFluxEvent);

/** A failure as each product reports it, its end, and what the failure becomes. */
const FAILURES: readonly (readonly [string, Read, unknown, unknown, object])[] = [
  [
    'CloudWatch',
    cloudWatch,
    cloudWatchAlarm('ALARM', '2026-01-31T08:00:00.000+0000'),
    cloudWatchAlarm('OK', '2026-01-31T08:05:00.000+0000'),
    { summary: 'payments-errors-high: more than 5 errors a minute', severity: 'error', observedAt: EIGHT },
  ],
  [
    'Datadog',
    datadog,
    datadogEvent('Triggered'),
    datadogEvent('Recovered'),
    {
      summary: 'High error rate',
      severity: 'error',
      observedAt: EIGHT,
      attributes: expect.objectContaining({ env: 'prod', team: 'checkout' }),
      links: [{ kind: 'generator', url: 'https://app.datadoghq.com/event/event?id=7654321' }],
    },
  ],
  [
    'New Relic',
    newRelic,
    newRelicIssue('ACTIVATED'),
    newRelicIssue('CLOSED'),
    {
      severity: 'critical',
      observedAt: EIGHT,
      attributes: expect.objectContaining({ alertPolicyNames: ['Checkout'] }),
    },
  ],
  [
    'an issue of Sentry',
    sentry,
    sentryIssue('created'),
    sentryIssue('resolved'),
    { summary: 'TimeoutError: the gateway did not answer', severity: 'error', observedAt: EIGHT },
  ],
  [
    'an issue alert of Sentry',
    sentry,
    sentryEvent,
    sentryIssue('archived'),
    { severity: 'critical', observedAt: EIGHT, attributes: expect.objectContaining({ rule: 'Errors of payments' }) },
  ],
  [
    'a metric alert of Sentry',
    sentry,
    sentryMetricAlert('warning'),
    sentryMetricAlert('resolved'),
    { severity: 'warning', observedAt: EIGHT },
  ],
  [
    'Zabbix',
    zabbix,
    zabbixEvent('1'),
    zabbixEvent('0'),
    { summary: 'Disk space is low on /var', severity: 'error', observedAt: EIGHT },
  ],
  [
    'Uptime Kuma',
    uptimeKuma,
    uptimeKumaEvent(0),
    uptimeKumaEvent(1),
    {
      summary: 'payments is down: Request failed with status code 502',
      observedAt: new Date('2026-01-31T08:00:00.123Z'),
      links: [{ kind: 'generator', url: 'https://pay.example.com/health' }],
    },
  ],
  [
    'a failed synchronisation of Argo CD',
    argoCd,
    argoCdNotification('Failed', 'Healthy'),
    argoCdNotification('Succeeded', 'Healthy'),
    { summary: 'synchronisation failed: one or more objects failed to apply' },
  ],
  [
    'a degraded application of Argo CD',
    argoCd,
    argoCdNotification('Succeeded', 'Degraded'),
    argoCdNotification('Running', 'Healthy'),
    { summary: 'payments is degraded' },
  ],
  [
    'Flux',
    flux,
    fluxEvent('error', 'BuildFailed'),
    fluxEvent('info', 'Progressing'),
    { summary: 'BuildFailed: kustomize build failed: no such file', observedAt: EIGHT },
  ],
  [
    'a business service of Zabbix',
    zabbix,
    zabbixServiceEvent('1', '55002'),
    zabbixServiceEvent('0', '55002'),
    { summary: 'Status of service "payments" changed to High', links: [] },
  ],
];

describe.each(FAILURES)('%s', (_name, read, failure, end, expected) => {
  it('becomes an alert of the service', () => {
    const { signals, ends = [] } = read(failure);

    expect(ends).toEqual([]);
    expect(signals).toMatchObject([{ service: 'payments', type: 'metric', detail: { type: 'alert' }, ...expected }]);
  });

  it('ends the same alert', () => {
    const [signal] = read(failure).signals;
    const { signals, ends } = read(end);

    expect(signals).toEqual([]);
    expect(ends).toEqual([{ fingerprint: signal?.fingerprint, endedAt: expect.any(Date) }]);
    expect(ends?.[0]?.endedAt.getTime()).toBeGreaterThanOrEqual(signal?.observedAt.getTime() ?? Infinity);
  });

  it('is no alert from the time to come', () => {
    const later = JSON.parse(
      JSON.stringify(failure).replaceAll('2026-01-31', '2031-01-31').replaceAll('1769846400', '1927612800'),
    );

    expect(read(later).signals[0]?.observedAt).toEqual(NOW);
  });
});

const DEPLOYMENTS: readonly (readonly [string, Read, unknown, string, Date])[] = [
  ['a deployment of GitHub', gitHub, gitHubDeployment('success'), 'f95f852 to production', EIGHT],
  ['a release of GitHub', gitHub, gitHubRelease('published'), 'v1.8.2', EIGHT],
  ['a deployment of GitLab', gitLab, gitLabDeployment('success'), '279484c0 to production', EIGHT],
  ['a release of GitLab', gitLab, gitLabRelease, 'v1.8.2', EIGHT],
  ['a synchronisation of Argo CD', argoCd, argoCdNotification('Succeeded', 'Healthy'), 'f95f852', EIGHT],
  [
    'a synchronisation of Argo CD from several sources',
    argoCd,
    {
      ...argoCdNotification('Succeeded', 'Healthy'),
      revision: ['1.8.2', 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e'],
    },
    '1.8.2 f95f852',
    EIGHT,
  ],
  ['what Flux applied', flux, fluxEvent('info', 'Progressing'), 'f95f852', EIGHT],
  ['a reconciliation of Flux', flux, fluxEvent('info', 'ReconciliationSucceeded'), 'f95f852', EIGHT],
];

it.each(DEPLOYMENTS)('takes %s for a change of its service', (_name, read, payload, subject, at) => {
  const { signals, telemetry } = read(payload);

  expect(signals).toEqual([]);
  expect(telemetry).toEqual([{ kind: 'change', service: 'payments', at: at.getTime(), subject }]);
});

const IGNORED: readonly (readonly [string, Read, unknown])[] = [
  ['an alarm without enough data', cloudWatch, cloudWatchAlarm('INSUFFICIENT_DATA', '')],
  ['an event of Datadog that only informs', datadog, { ...datadogDefault('A user signed in'), alert_type: 'info' }],
  ['an assigned issue of Sentry', sentry, sentryIssue('assigned')],
  ['another webhook of Sentry', sentry, { action: 'created', data: { installation: {} } }],
  ['a comment in Zabbix', zabbix, { ...zabbixEvent('1'), event_update_status: '1' }],
  ['a test of Uptime Kuma', uptimeKuma, { heartbeat: null, monitor: null, msg: 'My Webhook Alert (1) Testing' }],
  ['a pending monitor of Uptime Kuma', uptimeKuma, uptimeKumaEvent(2)],
  ['a monitor of Uptime Kuma in maintenance', uptimeKuma, uptimeKumaEvent(3)],
  ['a ping of GitHub', gitHub, { zen: 'Keep it logically awesome.', hook_id: 1 }],
  ['a pending deployment of GitHub', gitHub, gitHubDeployment('in_progress')],
  ['a failed deployment of GitHub', gitHub, gitHubDeployment('failure')],
  ['a deleted release of GitHub', gitHub, gitHubRelease('deleted')],
  ['a running deployment of GitLab', gitLab, gitLabDeployment('running')],
  ['a push to GitLab', gitLab, { object_kind: 'push', project: { name: 'payments' } }],
  ['a Kustomization of Flux that waits', flux, fluxEvent('info', 'DependencyNotReady')],
];

it.each(IGNORED)('ignores %s', (_name, read, payload) => {
  const { signals, ends = [], telemetry = [] } = read(payload);

  expect([...signals, ...ends, ...telemetry]).toEqual([]);
});

/** What Sentry documents has no project beside the address in its API (docs.sentry.io, "Issue Alerts", 2026-11-26). */
it('names the project of an issue alert of Sentry by its address', () => {
  const { event, triggered_rule } = sentryEvent.data;
  const url = 'https://sentry.io/api/0/projects/shop/front-end/events/e4874d664c3540c1a32eab185f12c5ab/';
  const { signals } = sentry({ action: 'triggered', data: { triggered_rule, event: { ...event, tags: [], url } } });

  expect(signals).toMatchObject([{ service: 'front-end' }]);
});

it('reads the older plugin "WebHooks" of Sentry, and the end of its issue', () => {
  const { signals } = sentry(sentryPlugin);

  expect(signals).toMatchObject([
    {
      service: 'payments',
      severity: 'critical',
      summary: 'TimeoutError: the gateway did not answer',
      attributes: { environment: 'production', rule: 'Errors of payments' },
      links: [{ url: 'https://sentry.io/organizations/shop/issues/1170820242/?referrer=webhooks_plugin' }],
    },
  ]);
  expect(sentry(sentryIssue('resolved')).ends).toMatchObject([{ fingerprint: signals[0]?.fingerprint }]);
});

it.each(['will expire in 7 days', 'will be expired in 7 days'])(
  'takes a certificate of Uptime Kuma that %s for a warning',
  (when) => {
    const msg = `[Shop][https://shop.example] server certificate shop.example ${when}`;
    const { signals } = uptimeKuma({ heartbeat: null, monitor: null, msg });

    expect(signals).toMatchObject([
      {
        service: 'Shop',
        severity: 'warning',
        summary: `server certificate shop.example ${when}`,
        links: [{ kind: 'generator', url: 'https://shop.example/' }],
      },
    ]);
  },
);

it('names the service of an alarm of several metrics by their dimensions', () => {
  const { signals } = cloudWatch(cloudWatchMathAlarm());

  expect(signals).toMatchObject([
    { service: 'payments', attributes: { metric: 'AWS/Lambda Errors, AWS/Lambda Invocations' } },
  ]);
});

it('takes an event of Zabbix without a severity for an error', () => {
  const event = { ...zabbixEvent('1'), event_nseverity: '{EVENT.NSEVERITY}' };

  expect(zabbix(event).signals).toMatchObject([{ severity: 'error' }]);
});

it('takes problems of business services of Zabbix for different alerts', () => {
  const first = zabbix(zabbixServiceEvent('1', '55002'));
  const second = zabbix(zabbixServiceEvent('1', '55003'));

  expect(first.signals[0]?.fingerprint).not.toBe(second.signals[0]?.fingerprint);
});

describe('a failed check of Flux', () => {
  const failed = flux(fluxEvent('error', 'HealthCheckFailed')).signals[0]?.fingerprint;
  const endedBy = (reason: string, message?: string) =>
    flux(fluxEvent('info', reason, message)).ends?.map((end) => end.fingerprint);

  it('of the health ends when it passes, which is no deployment', () => {
    const passed = fluxEvent('info', 'Progressing', 'Health check passed in 5.02s');

    expect(flux(passed)).toEqual({
      signals: [],
      ends: expect.arrayContaining([{ fingerprint: failed, endedAt: EIGHT }]),
    });
  });

  it('of a test of Helm ends when the test passes', () => {
    const test = flux(fluxEvent('error', 'TestFailed')).signals[0]?.fingerprint;

    expect(endedBy('TestSucceeded')).toContain(test);
    expect(flux(fluxEvent('info', 'TestSucceeded')).telemetry).toBeUndefined();
  });

  it('does not end because something was applied', () => {
    expect(endedBy('Progressing')).not.toContain(failed);
    expect(endedBy('ReconciliationSucceeded')).toContain(failed);
  });
});
