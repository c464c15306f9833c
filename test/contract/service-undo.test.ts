import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { lockWriters } from '../../src/service/store/shared/signal-state.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;
let incident: Incident;

beforeEach(async () => {
  tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  incident = await tocsin.openIncident();
  return () => tocsin[Symbol.asyncDispose]();
});

async function read(): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${incident.id}`)).json());
}

function post(action: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return tocsin.call('POST', `/incidents/${incident.id}/${action}`, { body, headers });
}

const told = async () => (await read()).timeline?.map(({ event, by, text }) => [event, by, text]);

describe('taking an acknowledgement back', () => {
  it('leaves the incident open and records who did it and why', async () => {
    await post('acknowledge', { user: 'ana' });

    const answer = await post('unacknowledge', { user: 'ben', reason: 'not mine' });
    const again = await post('unacknowledge', { user: 'ben' });

    expect([answer.status, again.status]).toEqual([200, 200]);
    expect(await answer.json()).toMatchObject({ status: 'open', acknowledged: false, acknowledged_by: null });
    expect(await told()).toEqual([
      ['opened', undefined, undefined],
      ['acknowledged', 'ana', undefined],
      ['unacknowledged', 'ben', 'not mine'],
    ]);
  });

  it('is refused for a closed incident, and after the incident has changed', async () => {
    const tag = (await tocsin.call('GET', `/incidents/${incident.id}`)).headers.get('etag') ?? '';
    await post('acknowledge', { user: 'ana' });
    const stale = await post('unacknowledge', { user: 'ana' }, { 'if-match': tag });
    await post('resolve', { resolution_note: 'restarted' });

    const refused = await post('unacknowledge', { user: 'ana' });

    expect([stale.status, refused.status]).toEqual([412, 409]);
    expect(await refused.json()).toMatchObject({ code: 'incident-closed' });
  });

  it('happens once for requests with the same idempotency key', async () => {
    await post('acknowledge', { user: 'ana' });
    const headers = { 'idempotency-key': 'undo-1' };
    const first = await post('unacknowledge', { user: 'ana' }, headers);
    await post('acknowledge', { user: 'ben' });

    const repeated = await post('unacknowledge', { user: 'ana' }, headers);

    expect(await repeated.text()).toBe(await first.text());
    expect(await read()).toMatchObject({ acknowledged_by: 'ben' });
  });
});

describe('opening a closed incident again', () => {
  it('keeps its number, its acknowledgement and the note of its closing', async () => {
    await post('acknowledge', { user: 'ana' });
    await post('resolve', { resolution_note: 'restarted', user: 'ana' });

    const reopened = await post('reopen', { user: 'ben', reason: 'it is back' });
    const again = await post('reopen', { user: 'ben' });

    expect([reopened.status, again.status]).toEqual([200, 200]);
    expect(await reopened.json()).toMatchObject({ status: 'open', closed_at: null, acknowledged_by: 'ana' });
    expect(await told()).toEqual([
      ['opened', undefined, undefined],
      ['acknowledged', 'ana', undefined],
      ['closed', 'ana', 'restarted'],
      ['reopened', 'ben', 'it is back'],
    ]);
  });

  it('is never done by a late acknowledgement or resolution', async () => {
    await post('resolve', { resolution_note: 'restarted' });

    const late = [await post('acknowledge', { user: 'ana' }), await post('resolve', { resolution_note: 'other' })];

    expect(late.map(({ status }) => status)).toEqual([409, 409]);
    expect(await read()).toMatchObject({ status: 'closed', resolution_note: 'restarted' });
  });

  it.each([
    ['while it is still failing', 0],
    ['long after it fell silent', 20],
  ])('lets new signals of the failure join it: closed and reopened %s', async (_name, minutes) => {
    tocsin.advance(minutesToMilliseconds(minutes));
    await post('resolve', { resolution_note: 'restarted' });
    tocsin.advance(minutesToMilliseconds(minutes));
    await post('reopen', { user: 'ana' });
    tocsin.advance(minutesToMilliseconds(4));

    await tocsin.failIn(['payments'], { name: 'GET /another' });

    const seen = async () => {
      tocsin.advance(1_000);
      return (await read()).signal_count;
    };
    await vi.waitUntil(async () => (await seen()) > 1, { timeout: HANG_MS, interval: 200 });
    const { incidents } = IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json());
    expect(incidents.map(({ id, status }) => [id, status])).toEqual([[incident.id, 'open']]);
  });

  it('lets new signals join it, also if correlation hears of the closing late', async () => {
    tocsin.advance(minutesToMilliseconds(20));
    await vi.waitUntil(async () => (await read()).activity !== 'failing', { timeout: HANG_MS });
    await post('resolve', { resolution_note: 'restarted' });
    const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
    const { reopening } = await db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      const waiting = (count: number) =>
        vi.waitUntil(async () => {
          const found = sql`select from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`;
          return (await found.execute(db)).rows.length === count;
        }, HANG_MS);
      const asked = post('reopen', { user: 'ana' });
      await waiting(1);
      tocsin.advance(minutesToMilliseconds(4));
      await waiting(2); // a tick that knows the incident as closed
      return { reopening: asked };
    });
    await reopening;

    await tocsin.failIn(['payments'], { name: 'GET /another' });

    const seen = async () => {
      tocsin.advance(1_000);
      const { incidents } = IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json());
      return incidents.reduce((sum, { signal_count: count }) => sum + count, 0);
    };
    await vi.waitUntil(async () => (await seen()) > 1, { timeout: HANG_MS, interval: 200 });
    expect((await read()).signal_count).toBe(2);
  });

  it('is sent to the stream of events, as are notes', async () => {
    await post('resolve', { resolution_note: 'restarted' });
    const stream = await tocsin.call('GET', '/events');
    const events = stream.body?.pipeThrough(new TextDecoderStream()).getReader();

    await post('reopen', { user: 'ana' });
    await post('notes', { user: 'ana', text: 'looking' });

    let sent = '';
    while (!/event: incident.reopened[\s\S]*event: incident.updated/.test(sent)) {
      sent += (await events?.read())?.value ?? '';
    }
    expect(sent).toContain('"status":"open"');
    await events?.cancel();
  });
});

describe('notes', () => {
  it('are kept exactly as sent, also of a closed incident', async () => {
    await post('notes', { user: 'ana', text: ' the disk\n<is> full ' });
    await post('resolve', { resolution_note: 'restarted' });
    const late = await post('notes', { user: 'ben', text: 'it was the disk' });

    expect(late.status).toBe(200);
    expect((await told())?.filter(([event]) => event === 'note')).toEqual([
      ['note', 'ana', ' the disk\n<is> full '],
      ['note', 'ben', 'it was the disk'],
    ]);
    expect(await read()).toMatchObject({ status: 'closed' });
  });

  it('have 1 to 3,000 characters, and reasons at most 1,000', async () => {
    const lengths = await Promise.all(
      [3_000, 3_001, 0].map((length) => post('notes', { user: 'a', text: 'x'.repeat(length) })),
    );
    const reasons = await Promise.all(
      [1_000, 1_001].map((length) => post('unacknowledge', { user: 'a', reason: 'x'.repeat(length) })),
    );

    expect(lengths.map(({ status }) => status)).toEqual([200, 422, 422]);
    expect(reasons.map(({ status }) => status)).toEqual([200, 422]);
  });

  it('need a read-write key', async () => {
    const path = `/incidents/${incident.id}/notes`;
    const refused = await tocsin.call('POST', path, { key: tocsin.readOnlyKey, body: { user: 'ana', text: 'x' } });

    expect(refused.status).toBe(403);
  });
});
