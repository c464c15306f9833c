import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { Incident } from '../../src/contract/resources.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;

beforeEach(async () => {
  tocsin = await startTestService();
  return () => tocsin[Symbol.asyncDispose]();
});

const read = async (id: string) => Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());

async function send(path: string, body: object): Promise<void> {
  expect((await tocsin.call('POST', path, { body })).status).toBe(200);
}

describe('the links of an incident', () => {
  it('are those of its alerts, runbooks first, each once', async () => {
    const alert = (fingerprint: string, annotations: object) => ({
      status: 'firing',
      labels: { alertname: 'DiskFull', service: 'db', severity: 'critical' },
      annotations,
      startsAt: tocsin.now().toISOString(),
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus.example/graph?g0.expr=up',
      fingerprint,
    });
    const runbook = 'https://wiki.example/disk';
    const alerts = [
      alert('a', { runbook_url: runbook, dashboard_url: 'https://grafana.example/d/1' }),
      alert('b', { runbook_url: runbook, dashboard_url: 'javascript:alert(1)' }),
    ];
    await send('/alertmanager', { version: '4', alerts });

    expect((await tocsin.openIncident()).links).toEqual([
      { kind: 'runbook', url: 'https://wiki.example/disk' },
      { kind: 'dashboard', url: 'https://grafana.example/d/1' },
      { kind: 'generator', url: 'http://prometheus.example/graph?g0.expr=up' },
    ]);
  });

  it.each<[string, (page: string) => Promise<Response>]>([
    [
      'a generic event',
      (page) =>
        tocsin.call('POST', '/generic', { body: { service: 'db', summary: 'x', attributes: { runbook_url: page } } }),
    ],
    [
      'a CloudEvent',
      (page) =>
        tocsin.call('POST', '/cloudevents', {
          headers: { 'content-type': 'application/cloudevents+json' },
          body: JSON.stringify({
            specversion: '1.0',
            id: '1',
            source: '/db',
            type: 'disk.full',
            service: 'db',
            data: { runbook_url: page },
          }),
        }),
    ],
    [
      'a PagerDuty event',
      (page) =>
        tocsin.service.fetch(
          new Request('http://tocsin.test:3000/v2/enqueue', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              routing_key: tocsin.readWriteKey,
              event_action: 'trigger',
              payload: { summary: 'disk full', source: 'db', severity: 'critical' },
              links: [{ href: page, text: 'Runbook' }, { href: 42 }],
            }),
          }),
        ),
    ],
  ])('may come from %s', async (_name, post) => {
    expect((await post('https://wiki.example/disk')).ok).toBe(true);

    expect((await tocsin.openIncident()).links).toEqual([{ kind: 'runbook', url: 'https://wiki.example/disk' }]);
  });
});

it('an incident names one of its failed traces, and the integrations that sent its signals', async () => {
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'generic', name: 'nightly' } });
  const { id, ingest_key: key = null } = Integration.parse(await created.json());
  await tocsin.call('POST', '/generic', { key, body: { service: 'payments', summary: 'refunds are late' } });
  await tocsin.failIn(['payments']);

  const incident = await tocsin.openIncident();
  const withTrace = await vi.waitUntil(
    async () => {
      const found = await read(incident.id);
      return typeof found.trace_id === 'string' ? found : undefined;
    },
    { timeout: HANG_MS },
  );

  expect(withTrace.signals?.map(({ trace_id: trace }) => trace)).toContain(withTrace.trace_id);
  expect(withTrace.integrations).toEqual([{ id, name: 'nightly' }]);
});

it('an incident names the deployments shortly before it', async () => {
  await send('/generic', { service: 'payments', summary: '1.4.2', type: 'deploy' });
  await send('/generic', { service: 'stock', summary: '7.0.0', type: 'deploy' });
  tocsin.advance(60_000);
  await tocsin.failIn(['payments']);

  const { changes } = await tocsin.openIncident();

  const failed_at = expect.any(String);
  expect(changes).toEqual([{ at: expect.any(String), service: 'payments', version: '1.4.2', failed_at }]);
  expect(Date.parse(changes?.[0]?.failed_at ?? '')).toBeGreaterThan(Date.parse(changes?.[0]?.at ?? ''));
});

describe('the failures of an incident in each minute', () => {
  it('add up to how often its signals were seen, and go on to the present minute', async () => {
    await tocsin.failIn(['payments'], { times: 5 });
    const { id } = await tocsin.openIncident();
    tocsin.advance(120_000);
    await tocsin.failIn(['payments'], { times: 7 });
    const seen = (incident: Incident) => incident.failures_per_minute?.counts.reduce((sum, count) => sum + count, 0);
    const after = await vi.waitUntil(
      async () => {
        tocsin.advance(1_000);
        const found = await read(id);
        return (seen(found) ?? 0) >= 12 ? found : undefined;
      },
      { timeout: HANG_MS, interval: 200 },
    );

    expect(seen(after)).toBe(12);
    expect(after.signals?.reduce((sum, { occurrences = 0 }) => sum + occurrences, 0)).toBe(12);
    tocsin.advance(3 * 60_000);
    const counts = (await read(id)).failures_per_minute?.counts ?? [];
    expect(counts.length).toBeGreaterThanOrEqual(6);
    expect(counts.slice(-2)).toEqual([0, 0]);
    tocsin.advance(60 * 60_000);
    expect((await read(id)).failures_per_minute?.counts).toEqual(Array.from({ length: 30 }, () => 0));
  });
});

it('an incident is called by what fails most at its root, not by what failed first', async () => {
  await tocsin.failIn(['payments'], { name: 'GET /health', agoMs: 2_000 });
  await tocsin.failIn(['payments'], { name: 'POST /charge', times: 60 });

  const { id } = await tocsin.openIncident();

  await vi.waitUntil(async () => (await read(id)).signal_count === 2, { timeout: HANG_MS });
  expect((await read(id)).title).toContain('POST /charge');
});
