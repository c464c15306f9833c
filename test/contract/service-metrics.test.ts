import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import { createMetrics, measureDatabase } from '../../src/app/metrics.ts';
import { HANG_MS } from '../support/hang.ts';
import { createLosableDatabase } from '../support/losable-database.ts';
import { startTestService } from '../support/test-service.ts';
import { addWebhook, answer, passTime, readWebhook, rest, startWebhookReceiver } from '../support/webhook-receiver.ts';

/** The value of a series as Prometheus reads it; undefined: no such series. */
async function read(registry: Registry, series: string): Promise<number | undefined> {
  const line = (await registry.metrics()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

it('counts durable signals by type, and incidents', async () => {
  const registry = new Registry();
  await using tocsin = await startTestService({ registry });
  const before = await read(registry, 'tocsin_signals_accepted_total{type="trace"}');

  await tocsin.failIn(['payments'], { times: 3 });
  const { id } = await tocsin.openIncident();
  const open = await read(registry, 'tocsin_incidents_open');
  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'restarted' } });

  expect(before).toBe(0);
  expect(await read(registry, 'tocsin_signals_accepted_total{type="trace"}')).toBe(3);
  expect(await read(registry, 'tocsin_signals_accepted_total{type="log"}')).toBe(0);
  expect(await read(registry, 'tocsin_incidents_opened_total')).toBe(1);
  expect(open).toBe(1);
  expect(await read(registry, 'tocsin_incidents_open')).toBe(0);
  expect(await read(registry, 'tocsin_ingest_queue_size')).toBe(0);
});

it('measures requests by route, never by path', async () => {
  const registry = new Registry();
  await using tocsin = await startTestService({ registry });

  for (const id of ['1', '2', 'a-name-somebody-made-up']) {
    await tocsin.call('GET', `/incidents/${id}`);
  }
  await tocsin.call('GET', '/nowhere/a-name-somebody-made-up');

  const count = (labels: string) => read(registry, `http_server_request_duration_seconds_count{${labels}}`);
  const get = 'http_request_method="GET"';
  expect(await count(`${get},http_route="/v1/incidents/:id",http_response_status_code="404"`)).toBe(3);
  expect(await count(`${get},http_route="none",http_response_status_code="404"`)).toBe(1);
  expect(await registry.metrics()).not.toContain('somebody-made-up');
});

it('counts refused telemetry by reason', async () => {
  const registry = new Registry();
  await using tocsin = await startTestService({ registry, rateLimitPerMinute: 1 });

  await tocsin.call('POST', '/traces', { body: '{' });
  await tocsin.call('POST', '/traces', { key: tocsin.readOnlyKey, body: { resourceSpans: [] } });
  await tocsin.failIn(['payments'], { times: 5_000 });
  await tocsin.failIn(['payments'], { times: 5_000 });
  await tocsin.call('POST', '/alertmanager', { body: { version: '4', alerts: [] } });

  const refused = (reason: string) => read(registry, `tocsin_ingest_refused_total{reason="${reason}"}`);
  expect(await refused('malformed')).toBe(1);
  expect(await refused('unauthorized')).toBe(1);
  expect(await refused('rate_limited')).toBe(1);
  expect(await refused('storage_behind')).toBe(0);
});

it('counts webhook attempts and queued deliveries', async () => {
  const registry = new Registry();
  await using tocsin = await startTestService({ registry, webhooks: { allowPrivateAddresses: true } });
  await using receiver = await startWebhookReceiver(answer(500));
  const attempts = (outcome: string) => read(registry, `tocsin_webhook_attempts_total{outcome="${outcome}"}`);
  const { id } = await addWebhook(tocsin, { url: receiver.url });

  await tocsin.failIn(['payments']);
  await tocsin.openIncident();
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting[0]?.attempts === 1, { timeout: HANG_MS });
  await rest(tocsin, id);
  const [failed, waiting] = [await attempts('failed'), await read(registry, 'tocsin_webhook_deliveries_waiting')];
  receiver.respond = answer(204);
  await passTime(tocsin, 10_000); // longer than the pause after the first failure, and too short for the incident to change
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting.length === 0, { timeout: HANG_MS });

  expect([failed, waiting]).toEqual([1, 1]);
  expect(await attempts('delivered')).toBe(1);
  expect(await attempts('gone')).toBe(0);
  expect(await read(registry, 'tocsin_webhook_deliveries_waiting')).toBe(0);
});

it('answers without the database, and gives NaN for what it cannot read', async () => {
  const registry = createMetrics();
  await using database = await createLosableDatabase();
  await using _tocsin = await startTestService({ registry, database });
  measureDatabase(registry, database);
  const pool = 'db_client_connection_pool_name="tocsin_service"';
  const idle = () => read(registry, `db_client_connection_count{${pool},db_client_connection_state="idle"}`);
  await expect.poll(idle).toBeGreaterThan(0);

  database.lose();

  expect(await read(registry, 'tocsin_incidents_open')).toBeNaN();
  expect(await read(registry, 'tocsin_webhook_deliveries_waiting')).toBeNaN();
  expect(await read(registry, `db_client_connection_pending_requests{${pool}}`)).toBe(0);
  expect(await read(registry, 'process_cpu_seconds_total')).toBeGreaterThan(0);
});

it('counts open event streams', async () => {
  const registry = new Registry();
  await using tocsin = await startTestService({ registry });
  const streams = () => read(registry, 'tocsin_event_streams');

  const response = await tocsin.call('GET', '/events');
  const reader = response.body?.getReader();
  await reader?.read();
  const during = await streams();
  await reader?.cancel();

  expect(during).toBe(1);
  await expect.poll(streams).toBe(0);
});
