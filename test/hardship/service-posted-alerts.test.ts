import { addMinutes } from 'date-fns/addMinutes';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { SignalList } from '../../src/contract/lists.ts';
import { HANG_MS } from '../support/hang.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';
import { openTables } from '../support/webhook-receiver.ts';

const Listed = z.array(z.object({ labels: z.object({ pod: z.string() }) }));

const LABELS = { alertname: 'Down', service: 'payments', severity: 'critical' };

function post(
  tocsin: TestService,
  body: unknown,
  key = tocsin.readWriteKey,
  path = '/api/v2/alerts',
): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = new Request(`${PUBLIC_URL}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return tocsin.service.fetch(request);
}

async function signals(tocsin: TestService): Promise<SignalList['signals']> {
  return SignalList.parse(await (await tocsin.call('GET', '/signals?type=metric')).json()).signals;
}

it('ends an alert that Prometheus no longer posts, at the end that the last post named', async () => {
  await using tocsin = await startTestService();
  const endsAt = addMinutes(new Date(), 4);
  await post(tocsin, [{ labels: LABELS, startsAt: new Date().toISOString(), endsAt: endsAt.toISOString() }]);
  const firing = await vi.waitUntil(async () => (await signals(tocsin)).find(({ incident_id: id }) => id != null), {
    timeout: HANG_MS,
  });

  tocsin.advance(5 * 60_000);
  const ended = await vi.waitUntil(async () => (await signals(tocsin)).find(({ ended_at: at }) => at != null), {
    timeout: HANG_MS,
    interval: 200,
  });

  expect(firing).toMatchObject({ ended_at: null });
  expect(ended).toMatchObject({ ended_at: endsAt.toISOString(), occurrences: 1 });
});

/** Prometheus with `api_version: v1`, Thanos Rule and Loki's ruler (thanos-io/thanos, `docs/components/rule.md`, 2026-11-26). */
it('takes alerts at the address of version 1, and ends them by either', async () => {
  await using tocsin = await startTestService();
  const alert = { labels: LABELS, startsAt: new Date().toISOString() };

  const fired = await post(tocsin, [alert], tocsin.readWriteKey, '/api/v1/alerts');
  const [firing] = await signals(tocsin);
  await post(tocsin, [{ ...alert, endsAt: new Date().toISOString() }]);

  expect(fired.status).toBe(200);
  expect(firing).toMatchObject({ service: 'payments', ended_at: null });
  expect(await signals(tocsin)).toMatchObject([{ id: firing?.id, ended_at: expect.any(String) }]);
});

it('stores an alert and its signal together, or neither', async () => {
  await using tocsin = await startTestService();
  const tables = await openTables(tocsin);
  await sql`alter table posted_alerts add constraint nothing_new check (false) not valid`.execute(tables);

  const refused = await post(tocsin, [{ labels: LABELS, startsAt: new Date().toISOString() }]);
  const between = await signals(tocsin);
  await sql`alter table posted_alerts drop constraint nothing_new`.execute(tables);
  const accepted = await post(tocsin, [{ labels: LABELS, startsAt: new Date().toISOString() }]);

  expect(refused.status).toBeGreaterThanOrEqual(500);
  expect(between).toEqual([]);
  expect(accepted.status).toBe(200);
  expect(await signals(tocsin)).toMatchObject([{ service: 'payments', occurrences: 1 }]);
});

it('lists each alert once that many replicas post at the same time, until they end it', async () => {
  await using tocsin = await startTestService();
  const startsAt = new Date().toISOString();
  const alertsOf = (endsAt?: string) =>
    ['a', 'b', 'c'].map((pod) => ({ labels: { ...LABELS, pod }, startsAt, endsAt }));
  const postAll = (alerts: readonly object[]) =>
    Promise.all(Array.from({ length: 6 }, async () => (await post(tocsin, alerts)).status));
  const list = async () => {
    const headers = { authorization: `Bearer ${tocsin.readWriteKey}` };
    const response = await tocsin.service.fetch(new Request(`${PUBLIC_URL}/api/v2/alerts`, { headers }));
    return Listed.parse(await response.json()).map(({ labels }) => labels.pod);
  };

  const begun = await postAll(alertsOf());
  const firing = await list();
  const over = await postAll(alertsOf(new Date().toISOString()));

  expect([...begun, ...over]).toEqual(Array.from({ length: 12 }, () => 200));
  expect(firing.toSorted()).toEqual(['a', 'b', 'c']);
  expect(await list()).toEqual([]);
});

/** fluxcd/notification-controller, `internal/notifier/alertmanager.go` and the address of its docs, read on 2026-11-25. */
it.each(['/api/v2/alerts/', '/v1/prometheus/api/v2/alerts/'])('takes an alert of Flux at %s', async (path) => {
  await using tocsin = await startTestService();
  const labels = {
    alertname: 'FluxKustomizationBuildfailed',
    severity: 'error',
    reason: 'BuildFailed',
    name: 'payments',
  };
  const annotations = { message: 'kustomize build failed' };
  const times = { startsAt: new Date().toISOString().replace(/\.\d+/, ''), endsAt: '0001-01-01T00:00:00Z' };

  const response = await post(tocsin, [{ status: 'firing', labels, annotations, ...times }], tocsin.readWriteKey, path);

  expect(response.status).toBe(200);
  expect(await signals(tocsin)).toMatchObject([
    { summary: 'FluxKustomizationBuildfailed: kustomize build failed', severity: 'error', ended_at: null },
  ]);
});

it.each([
  ['no list', { labels: LABELS }, 400, /must be a list|array/],
  ['an alert without labels', [{ labels: {} }], 400, /must not be empty/],
  ['a label that is no text', [{ labels: { alertname: 1 } }], 400, /text|string/],
])('refuses %s with a sentence', async (_, body, status, sentence) => {
  await using tocsin = await startTestService();

  const response = await post(tocsin, body);

  expect(response.status).toBe(status);
  expect(await response.json()).toMatch(sentence);
});

it('answers 401 to an unknown key anywhere, and 403 to a read-write key in the address', async () => {
  await using tocsin = await startTestService();
  const alerts = [{ labels: LABELS }];
  const inPath = (key: string) =>
    tocsin.service.fetch(
      new Request(`${PUBLIC_URL}/v1/prometheus/${key}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alerts),
      }),
    );

  const unknown = await post(tocsin, alerts, `tcn_in_${'x'.repeat(60)}`);
  const unknownInPath = await inPath(`tcn_in_${'x'.repeat(60)}`);
  const nonsense = await inPath('nonsense');
  const readWriteInPath = await inPath(tocsin.readWriteKey);

  expect([unknown.status, unknownInPath.status, nonsense.status]).toEqual([401, 401, 401]);
  expect(await unknown.text()).toBe(await nonsense.text());
  expect(readWriteInPath.status).toBe(403); // such a key does not belong into an address
});

it('reports its health like an Alertmanager', async () => {
  await using tocsin = await startTestService();
  const get = (path: string) => tocsin.service.fetch(new Request(`${PUBLIC_URL}${path}`));

  const statuses = await Promise.all(
    ['/-/healthy', '/-/ready', '/v1/prometheus/-/ready', '/api/v2/status'].map(
      async (path) => (await get(path)).status,
    ),
  );

  expect(statuses).toEqual([200, 200, 200, 401]);
});
