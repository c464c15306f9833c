import { expect, it, vi } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { createIncidentStore } from '../../src/service/store/incidents/incident-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createQuietCloser } from '../../src/service/upkeep/auto-close.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

async function createCloser(tocsin: TestService, minutes: number) {
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  return createQuietCloser({ incidents: createIncidentStore(db), minutes, now: tocsin.now });
}

async function read(tocsin: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
}

it('closes an incident without signals for the configured time, and says so in the note', async () => {
  await using tocsin = await startTestService();
  const closeQuiet = await createCloser(tocsin, 30);
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();

  tocsin.advance(29 * 60_000);
  await closeQuiet();
  const before = await read(tocsin, id);
  tocsin.advance(2 * 60_000);
  await closeQuiet();

  expect(before.status).toBe('open');
  expect(await read(tocsin, id)).toMatchObject({
    status: 'closed',
    resolution_note: 'Closed by itself: no signal for 30 minutes.',
    resolved_by: null,
  });
});

it('keeps a failing incident open', async () => {
  await using tocsin = await startTestService();
  const closeQuiet = await createCloser(tocsin, 2);
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  tocsin.advance(90_000);
  const again = tocsin.now().getTime();
  await tocsin.failIn(['payments']);
  tocsin.advance(SETTLE_MS);
  const lastSeen = async () => Date.parse((await read(tocsin, id)).last_seen_at ?? '');
  await vi.waitUntil(async () => (await lastSeen()) >= again, { timeout: HANG_MS });

  tocsin.advance(60_000);
  await closeQuiet();

  expect((await read(tocsin, id)).status).toBe('open');
});

it('keeps an incident open that fails again while it looks', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const incidents = createIncidentStore(db);
  const update: typeof incidents.update = (id, change) =>
    incidents.update(id, (before) => change({ ...before, lastSeenAt: tocsin.now() }));
  const closeQuiet = createQuietCloser({ incidents: { ...incidents, update }, minutes: 30, now: tocsin.now });
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  tocsin.advance(31 * 60_000);

  await closeQuiet();

  expect((await read(tocsin, id)).status).toBe('open');
});

it('does not count its own downtime as quiet', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  tocsin.advance(24 * 60 * 60_000);

  const closeQuiet = await createCloser(tocsin, 30);
  await closeQuiet();

  expect((await read(tocsin, id)).status).toBe('open');
});

it('keeps an incident open while an alert of it goes on, however seldom that is repeated', async () => {
  await using tocsin = await startTestService();
  const closeQuiet = await createCloser(tocsin, 30);
  const startedAt = tocsin.now();
  await tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt) });
  const { id } = await tocsin.openIncident();
  tocsin.advance(31 * 60_000);
  await closeQuiet();
  const firing = await read(tocsin, id);

  await tocsin.call('POST', '/alertmanager', { body: alertNotification(startedAt, tocsin.now()) });
  tocsin.advance(31 * 60_000);
  await closeQuiet();

  expect(firing.status).toBe('open');
  expect((await read(tocsin, id)).status).toBe('closed');
});

it('counts the time from when somebody opened it again', async () => {
  await using tocsin = await startTestService();
  const closeQuiet = await createCloser(tocsin, 30);
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  tocsin.advance(31 * 60_000);
  await closeQuiet();
  await tocsin.call('POST', `/incidents/${id}/reopen`, { body: { user: 'Ana' } });

  tocsin.advance(29 * 60_000);
  await closeQuiet();
  const before = await read(tocsin, id);
  tocsin.advance(2 * 60_000);
  await closeQuiet();

  expect(before.status).toBe('open');
  expect((await read(tocsin, id)).status).toBe('closed');
});

it('counts the time from when somebody split it from another', async () => {
  await using tocsin = await startTestService();
  const closeQuiet = await createCloser(tocsin, 30);
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await tocsin.failIn(['search']);
  const whole = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${id}/merge`, { body: { user: 'Ana', into: whole.id } });
  tocsin.advance(31 * 60_000);
  await tocsin.call('POST', `/incidents/${id}/split`, { body: { user: 'Ana' } });

  await closeQuiet();

  expect((await read(tocsin, id)).status).toBe('open');
});
