import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { createId } from '../../src/service/core/ids.ts';
import { createDeliveryLog, LOG_LIMITS } from '../../src/service/store/webhooks/delivery-log.ts';
import { startTestService } from '../support/test-service.ts';
import {
  addWebhook,
  answer,
  listDeliveries,
  openIncidentOf,
  openTables,
  passTime,
  postToIntegration,
  startWebhookReceiver,
  takeLogged,
} from '../support/webhook-receiver.ts';

const DAY_MS = 86_400_000;
const webhooks = { allowPrivateAddresses: true };

it('logs each attempt with its status, time, duration and the beginning of the response', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response) => response.writeHead(500).end('x'.repeat(2_000)));
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncidentOf(tocsin);
  await takeLogged(tocsin, id, 1);
  receiver.respond = answer(204);
  await passTime(tocsin, 600_000);

  const [second, first] = await takeLogged(tocsin, id, 2);

  expect(first).toMatchObject({
    status: 'failed',
    event_type: 'incident.opened',
    event_id: receiver.received[0]?.headers['webhook-id'],
    attempt: 1,
    http_status: 500,
    error: 'answered 500',
    response: 'x'.repeat(1_024),
    next_attempt_at: expect.any(String),
  });
  expect(second).toMatchObject({
    status: 'delivered',
    event_id: first?.event_id,
    attempt: 2,
    http_status: 204,
    error: null,
    response: '',
    next_attempt_at: null,
  });
  expect(Date.parse(second?.attempted_at ?? '') - Date.parse(first?.attempted_at ?? '')).toBeGreaterThanOrEqual(
    600_000,
  );
});

it('has no deliveries for an integration that is no webhook', async () => {
  await using tocsin = await startTestService();
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'otlp' } });
  const { id } = Integration.parse(await created.json());

  expect(await listDeliveries(tocsin, id)).toMatchObject({ deliveries: [], total: 0 });
});

it('logs an attempt without a response', async () => {
  await using tocsin = await startTestService({ webhooks });
  const { id } = await addWebhook(tocsin, { url: 'http://127.0.0.1:1/' });
  await openIncidentOf(tocsin);

  const [delivery] = await takeLogged(tocsin, id, 1);

  expect(delivery).toMatchObject({ error: 'refused the connection', http_status: null, response: null });
});

it('masks what is secret in the logged response', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response, { headers }) =>
    response.end(`token t0p-s3cret; ${headers['webhook-signature']}`),
  );
  const { id } = await addWebhook(tocsin, { url: `${receiver.url}?token=t0p-s3cret` });
  await openIncidentOf(tocsin);

  const [delivery] = await takeLogged(tocsin, id, 1);

  expect(delivery?.response).toBe('token ***; v1,***');
});

it('has pages, and keeps a bounded number of deliveries for a bounded time', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const { id: other } = await addWebhook(tocsin, { url: `${receiver.url}/other` });
  const db = await openTables(tocsin);
  const at = new Date(tocsin.now().getTime() - 1_000_000);
  const entry = (integrationId: string, index: number, time: Date) => ({
    id: createId('dlv', time),
    integration_id: integrationId,
    sequence: null,
    event_id: `evt_${index}`,
    event_type: 'integration.test',
    attempt: 1,
    attempted_at: time,
    duration_ms: 1,
    http_status: 204,
    error: null,
    response: '',
    next_attempt_at: null,
  });
  const times = Array.from({ length: LOG_LIMITS.rows }, (_, index) => new Date(at.getTime() + index));
  await db
    .insertInto('webhook_attempts')
    .values([...times.map((time, index) => entry(id, index, time)), entry(other, 0, at)])
    .execute();

  const atLimit = (await listDeliveries(tocsin, id)).total;
  await postToIntegration(tocsin, `${id}/test`);
  const first = await listDeliveries(tocsin, id, '?limit=2');
  const second = await listDeliveries(tocsin, id, `?limit=2&cursor=${first.next_cursor}`);
  const last = await listDeliveries(tocsin, id, `?offset=${LOG_LIMITS.rows - 1}`);
  await createDeliveryLog(db).prune(new Date(at.getTime() + LOG_LIMITS.days * DAY_MS + 1));

  expect(atLimit).toBe(LOG_LIMITS.rows);
  expect(first).toMatchObject({ total: LOG_LIMITS.rows, has_more: true });
  expect([...first.deliveries.slice(1), ...second.deliveries].map((each) => each.event_id)).toEqual([
    'evt_999',
    'evt_998',
    'evt_997',
  ]);
  expect(last.deliveries.map((each) => each.event_id)).toEqual(['evt_1']); // the oldest made room
  expect((await listDeliveries(tocsin, other)).total).toBe(0);
  expect((await listDeliveries(tocsin, id)).total).toBe(LOG_LIMITS.rows);
});

it('lets a read-only key read deliveries, and do nothing else with them', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const ingestKey = await tocsin.service.createKey('sender', 'ingest');
  const paths = ['test', 'resend', 'enable', 'rotate-secret', `deliveries/${createId('dlv', new Date())}/resend`];
  const body = { since: '2026-01-31T08:00:00Z' };

  const refused = await Promise.all(
    paths.map((path) => tocsin.call('POST', `/integrations/${id}/${path}`, { key: tocsin.readOnlyKey, body })),
  );
  const ingest = await tocsin.call('GET', `/integrations/${id}/deliveries`, { key: ingestKey });

  expect(refused.map(({ status }) => status)).toEqual(paths.map(() => 403));
  expect(ingest.status).toBe(403);
  expect((await listDeliveries(tocsin, id)).deliveries).toEqual([]);
  expect(receiver.received).toEqual([]);
});

it.each(['%00', 'int_1', createId('int', new Date()), createId('sig', new Date())])(
  'answers 404 for the unknown integration %s',
  async (id) => {
    await using tocsin = await startTestService({ webhooks });
    const since = { since: '2026-01-31T08:00:00Z' };

    const responses = await Promise.all([
      tocsin.call('GET', `/integrations/${id}/deliveries`),
      tocsin.call('DELETE', `/integrations/${id}`),
      postToIntegration(tocsin, `${id}/resend`, since),
      postToIntegration(tocsin, `${id}/test`),
      postToIntegration(tocsin, `${id}/enable`),
      postToIntegration(tocsin, `${id}/rotate-secret`),
      postToIntegration(tocsin, `${id}/deliveries/${createId('dlv', new Date())}/resend`),
    ]);

    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 404));
  },
);

it('removes deliveries with their event and with their webhook', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncidentOf(tocsin);
  await takeLogged(tocsin, id, 1);
  await postToIntegration(tocsin, `${id}/test`);
  const db = await openTables(tocsin);

  await sql`delete from events`.execute(db);
  const left = await listDeliveries(tocsin, id);
  await tocsin.call('DELETE', `/integrations/${id}`);

  expect(left.deliveries.map((each) => each.event_type)).toEqual(['integration.test']);
  expect(await db.selectFrom('webhook_attempts').selectAll().execute()).toEqual([]);
});
