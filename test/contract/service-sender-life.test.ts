import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { getPreset, withDifference } from '../../src/service/ingest/presets/presets.ts';
import { alertNotification } from '../support/alert-notification.ts';
import '../support/property-seed.ts';
import { argoCdNotification } from '../../src/service/ingest/formats/argo-cd/argo-cd.samples.ts';
import { datadogEvent } from '../../src/service/ingest/formats/datadog/datadog.samples.ts';
import { fluxEvent } from '../../src/service/ingest/formats/flux/flux.samples.ts';
import { newRelicIssue } from '../../src/service/ingest/formats/new-relic/new-relic.samples.ts';
import { sentryIssue } from '../../src/service/ingest/formats/sentry/sentry.samples.ts';
import { uptimeKumaEvent } from '../../src/service/ingest/formats/uptime-kuma/uptime-kuma.samples.ts';
import { zabbixEvent } from '../../src/service/ingest/formats/zabbix/zabbix.samples.ts';
import { runs } from '../support/runs.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

/**
 * A failure and its end as each sender reports them, in any order: again and again, twice, without a beginning, with requests
 * in between that cannot be read. What is open is what has begun and not ended, and nothing is ever answered with a 5xx.
 */
interface Sender {
  readonly path: (of: Failure) => string;
  readonly body: (of: Failure) => object;
  readonly config?: object;
}

interface Failure {
  /** Of its service, and part of whatever identifies it. */
  readonly name: string;
  /** Digits, for ids. */
  readonly id: string;
  readonly isOver: boolean;
}

const toVendor = (path: string, ids: readonly string[], payload: (isOver: boolean) => unknown): Sender => ({
  path: () => path,
  body: ({ name, id, isOver }) => {
    const text = JSON.stringify(payload(isOver))
      .replaceAll('payments', name)
      .replaceAll('2026-01-31T08:00:00Z', new Date().toISOString());
    return JSON.parse(ids.reduce((changed, own) => changed.replaceAll(own, id), text));
  },
});

const notification = (version: string, { name, id, isOver }: Failure) => {
  const at = new Date();
  const { alerts, ...group } = alertNotification(at, isOver ? at : null, { service: name });
  return { ...group, version, alerts: alerts.map((alert) => ({ ...alert, fingerprint: id })) };
};

const UPTIME_ROBOT = getPreset('uptime_robot');

const SENDERS = {
  alertmanager: { path: () => '/v1/alertmanager', body: (of) => notification('4', of) },
  grafana: { path: () => '/v1/grafana', body: (of) => notification('1', of) },
  pagerduty_events: {
    path: () => '/v2/enqueue',
    body: ({ name, isOver }) => ({
      event_action: isOver ? 'resolve' : 'trigger',
      dedup_key: name,
      payload: { summary: 'the disk is full', source: name, severity: 'error' },
    }),
  },
  opsgenie: {
    path: ({ name, isOver }) => (isOver ? `/v2/alerts/${name}/close?identifierType=alias` : '/v2/alerts'),
    body: ({ name, isOver }) => (isOver ? {} : { message: 'the disk is full', alias: name, entity: name }),
  },
  datadog: toVendor('/v1/datadog', ['9bd4ac313a4d1e8fae2482df7b77628'], (isOver) =>
    datadogEvent(isOver ? 'Recovered' : 'Triggered'),
  ),
  new_relic: toVendor('/v1/new-relic', ['d1b1f3fd-995a-4066-88ab-8ce4f6960654'], (isOver) =>
    newRelicIssue(isOver ? 'CLOSED' : 'ACTIVATED'),
  ),
  sentry: toVendor('/v1/sentry', ['1170820242'], (isOver) => sentryIssue(isOver ? 'resolved' : 'created')),
  zabbix: toVendor('/v1/zabbix', ['13501', '55001'], (isOver) => zabbixEvent(isOver ? '0' : '1')),
  uptime_kuma: toVendor('/v1/uptime-kuma', ['monitor-3'], (isOver) =>
    withDifference(uptimeKumaEvent(isOver ? 1 : 0), { monitor: { id: 'monitor-3' } }),
  ),
  argo_cd: toVendor('/v1/argo-cd', [], (isOver) =>
    argoCdNotification(isOver ? 'Running' : 'Failed', isOver ? 'Healthy' : 'Degraded'),
  ),
  flux: toVendor('/v1/flux', [], (isOver) =>
    fluxEvent(isOver ? 'info' : 'error', isOver ? 'ReconciliationSucceeded' : 'BuildFailed'),
  ),
  json: {
    path: () => '/v1/json',
    config: { preset: 'uptime_robot' },
    body: ({ name, id, isOver }) => {
      const sent = withDifference(UPTIME_ROBOT.failure, { monitorID: id, monitorFriendlyName: name });
      return Object(isOver ? withDifference(sent, UPTIME_ROBOT.end) : sent);
    },
  },
} satisfies Readonly<Record<string, Sender>>;

let tocsin: TestService;
let last = 0;

beforeAll(async () => {
  tocsin = await startTestService();
});
afterAll(() => tocsin[Symbol.asyncDispose]());

async function post(key: string, path: string, body: string | Uint8Array): Promise<number> {
  const scheme = path.startsWith('/v2/alerts') ? 'GenieKey' : 'Bearer';
  const headers = { authorization: `${scheme} ${key}`, 'content-type': 'application/json' };
  const request = new Request(PUBLIC_URL + path, { method: 'POST', headers, body: Uint8Array.from(Buffer.from(body)) });
  return (await tocsin.service.fetch(request)).status;
}

/** Whether a failure of the service is open. */
async function isOpen(service: string): Promise<boolean> {
  const { signals } = SignalList.parse(await (await tocsin.call('GET', `/signals?service=${service}`)).json());
  return signals.some(({ ended_at }) => ended_at === null);
}

const unreadable = fc.oneof(
  fc.constantFrom('', '{', 'null', '[]', '{}', '"text"', '[[[]]]', '{"alerts":7,"data":[],"title":{}}'),
  fc.json(),
  fc.uint8Array({ maxLength: 60 }),
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ failure: fc.constantFrom<'a' | 'b'>('a', 'b'), isOver: fc.boolean() }) },
  { weight: 1, arbitrary: unreadable },
);

it.each(Object.entries<Sender>(SENDERS))('has open what %s began and did not end', async (type, sender) => {
  const created = await tocsin.call('POST', '/integrations', {
    body: { type, name: type, config: sender.config ?? {} },
  });
  const { ingest_key: key } = (await created.json()) as { ingest_key: string };
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
    last += 2;
    const own = { a: `${type}-${last}-a`.replaceAll('_', '-'), b: `${type}-${last}-b`.replaceAll('_', '-') };
    const begun = new Set<string>();
    const wrongly: number[] = [];
    for (const each of steps) {
      const isUnreadable = typeof each === 'string' || each instanceof Uint8Array;
      const { failure, isOver } = isUnreadable ? { failure: 'a' as const, isOver: false } : each;
      const of = { name: own[failure], id: String(70_000_000 + last + (failure === 'a' ? 0 : 1)), isOver };
      const event = type === 'pagerduty_events' ? { ...sender.body(of), routing_key: key } : sender.body(of);
      const status = await post(key, sender.path(of), isUnreadable ? each : JSON.stringify(event));
      wrongly.push(...(status >= (isUnreadable ? 500 : 300) ? [status] : []));
      if (!isUnreadable) {
        begun[isOver ? 'delete' : 'add'](of.name);
      }
    }

    expect(wrongly).toEqual([]);
    for (const name of Object.values(own)) {
      expect([name, await isOpen(name)]).toEqual([name, begun.has(name)]);
    }
  });

  await fc.assert(property, { numRuns: runs(6) });
});
