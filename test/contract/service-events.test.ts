import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, it, vi } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { Incident } from '../../src/contract/resources.ts';
import { KEY_ACTORS } from '../../src/service/core/key-event.ts';
import { createApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createTestDatabase, IS_BEHIND_POOLER } from '../support/database.ts';
import { openEventStream } from '../support/event-stream.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { addWebhook, openIncidentOf, openTables, startWebhookReceiver, typeOf } from '../support/webhook-receiver.ts';

async function openDoor({ service }: TestService) {
  const door = await openFrontDoor('127.0.0.1', 0);
  door.handlers.service = service.fetch;
  return door;
}

/** Closes the service like the program does. */
async function startServed(options: Parameters<typeof startTestService>[0] = {}) {
  await using stack = new AsyncDisposableStack();
  const tocsin = stack.use(await startTestService(options));
  const door = stack.use(await openDoor(tocsin));
  stack.defer(() => tocsin.service.endStreams());
  const moved = stack.move();
  return { tocsin, door, url: door.url, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

it('streams the changes of an incident as they happen', async () => {
  await using served = await startServed();
  const { tocsin, url } = served;
  await using stream = await openEventStream(url, tocsin.readOnlyKey);

  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });
  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'rolled back' } });
  const events = await stream.take(3);

  expect(events.map(({ type }) => type)).toEqual(['incident.opened', 'incident.acknowledged', 'incident.closed']);
  expect(events.map(({ incident }) => [incident.id, incident.status, incident.acknowledged_by])).toEqual([
    [id, 'open', null],
    [id, 'open', 'ana'],
    [id, 'closed', 'ana'],
  ]);
  expect(stream.types).toEqual(events.map(({ type }) => type));
  expect(stream.positions).toEqual(['1', '2', '3']);
  expect(new Set(events.map(({ id }) => id)).size).toBe(3);
});

it('sends with a new incident what the single incident says about its correlation', async () => {
  await using served = await startServed();
  const { tocsin, url } = served;
  await using stream = await openEventStream(url, tocsin.readOnlyKey);

  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  const [opened] = await stream.take(1);
  const single = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());

  const { correlation, previous_incident_id: previous, similar } = single;
  expect(opened?.incident).toMatchObject({ correlation, previous_incident_id: previous, similar });
});

it('continues after the last event a reader saw, by header or by parameter', async () => {
  await using served = await startServed();
  const { tocsin, url } = served;
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });
  await using all = await openEventStream(url, tocsin.readOnlyKey, { lastEventId: '0' });
  const [, acknowledged] = await all.take(2);
  const opened = all.positions[0] ?? '';

  await using byHeader = await openEventStream(url, tocsin.readOnlyKey, { lastEventId: opened });
  await using byQuery = await openEventStream(url, tocsin.readOnlyKey, { query: `?last_event_id=${opened}` });
  await using fromNow = await openEventStream(url, tocsin.readOnlyKey);
  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'rolled back' } });

  const [, closed] = await byHeader.take(2);
  expect(await byHeader.take(2)).toEqual([acknowledged, closed]);
  expect(await byQuery.take(2)).toEqual([acknowledged, closed]);
  expect(await fromNow.take(1)).toEqual([closed]);
  expect(closed?.type).toBe('incident.closed');
});

it.each(['1', '-1', 'evt', '99999999999999999999'])('answers 410 for the unknown last event %s', async (id) => {
  await using tocsin = await startTestService();

  const response = await tocsin.call('GET', '/events', { headers: { 'last-event-id': id } });

  expect(response.status).toBe(410);
  expect(await response.json()).toMatchObject({ code: 'event-gone' });
});

it('refuses a request without a key, with an unknown parameter or with another method', async () => {
  await using tocsin = await startTestService();

  const answers = await Promise.all([
    tocsin.call('GET', '/events', { key: null }),
    tocsin.call('GET', '/events?last_event=1'),
    tocsin.call('POST', '/events'),
  ]);

  expect(answers.map(({ status }) => status)).toEqual([401, 400, 405]);
});

it('goes on after an event of a kind that only a newer version knows, as during an upgrade', async () => {
  await using database = await createTestDatabase();
  await using served = await startServed({ database, webhooks: { allowPrivateAddresses: true } });
  const { tocsin, url } = served;
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const db = await openTables(tocsin);
  const events = JSON.stringify({ events: ['incident.opened', 'deploy.finished'] });
  await sql`alter table events add deploy jsonb, drop constraint events_check`.execute(db);
  await sql`update integrations set config = config || ${events}::jsonb where id = ${id}`.execute(db);
  await using stream = await openEventStream(url, tocsin.readOnlyKey);

  await sql`
    with taken as (update event_sequence set last = last + 1 returning last)
    insert into events (sequence, id, type, occurred_at, deploy)
    select last, 'evt_newer', 'deploy.finished', clock_now(), '{"id": "deploy_1"}' from taken
  `.execute(db);
  await openIncidentOf(tocsin);

  expect((await stream.take(1))[0]?.type).toBe('incident.opened');
  expect((await receiver.take(1)).map(typeOf)).toEqual(['incident.opened']);
});

it('sends changes of another process over the same database', async () => {
  await using served = await startServed();
  const { tocsin, url } = served;
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await using other = await startTestService({ database: tocsin.database }); // which correlates from now on, by its clock
  await using stream = await openEventStream(url, tocsin.readOnlyKey);

  await other.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });

  expect(await stream.take(1)).toMatchObject([{ type: 'incident.acknowledged', incident: { id } }]);
});

it.skipIf(IS_BEHIND_POOLER)('listens again after its database connection was lost', async () => {
  await using served = await startServed();
  const { tocsin, url } = served;
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await using stream = await openEventStream(url, tocsin.readOnlyKey);
  const admin = new Client({ connectionString: tocsin.database.url });
  await admin.connect();
  const findListener = async () =>
    (
      await admin.query(
        `select pid from pg_stat_activity where datname = current_database() and query like 'listen "tocsin_events"%'`,
      )
    ).rows[0]?.pid;

  const before = await vi.waitUntil(findListener, { timeout: HANG_MS });
  await admin.query('select pg_terminate_backend($1)', [before]);
  await vi.waitUntil(async () => ![undefined, before].includes(await findListener()), { timeout: HANG_MS });
  await admin.end();
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });

  expect(await stream.take(1)).toMatchObject([{ type: 'incident.acknowledged' }]);
});

it('sends nothing more to a revoked key', async () => {
  await using served = await startServed();
  const { tocsin, url } = served;
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await using stream = await openEventStream(url, tocsin.readOnlyKey);
  const keys = createApiKeyStore(await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
  const key = await keys.authenticate(tocsin.readOnlyKey, new Date());

  await keys.revoke(key?.id ?? '', new Date(), KEY_ACTORS.commandLine);
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });
  await stream.waitForEnd();

  expect(stream.events).toEqual([]);
});

it('ends the streams of a revoked key at once, also while nothing happens', async () => {
  await using served = await startServed();
  const { tocsin, url } = served;
  await using stream = await openEventStream(url, tocsin.readOnlyKey);
  await using other = await openEventStream(url, tocsin.readWriteKey);
  const keys = createApiKeyStore(await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
  const key = await keys.authenticate(tocsin.readOnlyKey, new Date());

  await keys.revoke(key?.id ?? '', new Date(), KEY_ACTORS.commandLine);
  await stream.waitForEnd();

  expect(stream.isEnded).toBe(true);
  expect(other.isEnded).toBe(false);
});

it('lets the front door close at once with open streams', async () => {
  await using served = await startServed();
  const { tocsin, door, url } = served;
  await using stream = await openEventStream(url, tocsin.readOnlyKey);

  tocsin.service.endStreams();
  await stream.waitForEnd();
  await door[Symbol.asyncDispose]();

  expect(stream.isEnded).toBe(true);
});
