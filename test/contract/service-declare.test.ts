import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { REQUEST_LIMITS } from '../../src/contract/requests.ts';
import { Incident } from '../../src/contract/resources.ts';
import { createIncidentStore } from '../../src/service/store/incidents/incident-store.ts';
import { createQuietCloser } from '../../src/service/upkeep/auto-close.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';
import { openTables } from '../support/webhook-receiver.ts';

const ASKED = { title: 'cards are refused', service: 'payments', severity: 'critical', user: 'ana' } as const;

async function declare(tocsin: TestService, body: object, key?: string): Promise<Incident> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const response = await tocsin.call('POST', '/incidents', { body, headers });
  expect(response.status).toBe(201);
  return Incident.parse(await response.json());
}

/** Ten requests that are answered well. */
async function succeedIn(tocsin: TestService, service: string): Promise<void> {
  const now = tocsin.now().getTime();
  const spans = Array.from({ length: 10 }, () => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'GET /',
    kind: 2,
    startTimeUnixNano: `${now - 20}000000`,
    endTimeUnixNano: `${now}000000`,
  }));
  const attributes = [{ key: 'service.name', value: { stringValue: service } }];
  const body = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
  expect((await tocsin.call('POST', '/traces', { body })).status).toBe(200);
}

async function list(tocsin: TestService): Promise<IncidentList['incidents']> {
  return IncidentList.parse(await (await tocsin.call('GET', '/incidents?status=open')).json()).incidents;
}

async function read(tocsin: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
}

function change(tocsin: TestService, id: string, body: object, headers: Record<string, string> = {}) {
  return tocsin.call('PATCH', `/incidents/${id}`, { body, headers });
}

describe('declaring an incident', () => {
  it('opens one at once, with the words of the person', async () => {
    await using tocsin = await startTestService();

    const incident = await declare(tocsin, { ...ASKED, note: 'since the deploy, I think' });

    expect(incident).toMatchObject({
      status: 'open',
      title: ASKED.title,
      severity: 'critical',
      root_service: 'payments',
      declared_by: 'ana',
      lead: null,
    });
    expect(incident.timeline?.map(({ event, by, text }) => [event, by, text])).toEqual([
      ['opened', undefined, undefined],
      ['declared', 'ana', ASKED.title],
      ['note', 'ana', 'since the deploy, I think'],
    ]);
    expect(await list(tocsin)).toHaveLength(1);
  });

  it('opens one incident for requests with the same key, and one for each other key', async () => {
    await using tocsin = await startTestService();

    const first = await declare(tocsin, ASKED, 'key-1');
    const again = await declare(tocsin, ASKED, 'key-1');
    const other = await declare(tocsin, { ...ASKED, service: 'search' }, 'key-2');

    expect(again.id).toBe(first.id);
    expect(other.id).not.toBe(first.id);
  });

  it('counts what people declared, whatever else its service reports', async () => {
    await using tocsin = await startTestService();

    const first = await declare(tocsin, ASKED, 'key-1');
    await declare(tocsin, { ...ASKED, title: 'refunds too' }, 'key-2');

    await vi.waitUntil(async () => (await read(tocsin, first.id)).signal_count === 2, { timeout: HANG_MS });
    expect(await read(tocsin, first.id)).toMatchObject({ declarations: 2, signals_by_type: { metric: 2 } });
    expect(first.declarations).toBe(1);
  });

  it('takes a title, a service and a note of the longest length, and refuses longer ones', async () => {
    await using tocsin = await startTestService();
    const longest = { title: REQUEST_LIMITS.title, service: REQUEST_LIMITS.service, note: REQUEST_LIMITS.note };
    const body = Object.fromEntries(Object.entries(longest).map(([field, length]) => [field, 'x'.repeat(length)]));

    const incident = await declare(tocsin, body);
    const refused = await Promise.all(
      Object.keys(longest).map(async (field) => {
        const response = await tocsin.call('POST', '/incidents', { body: { ...body, [field]: `${body[field]}x` } });
        return response.status;
      }),
    );

    expect(incident.title).toBe(body.title);
    expect(refused).toEqual([422, 422, 422]);
  });

  it.each(['payments', 'search', 'mail', 'orders', 'web'])(
    'of %s becomes one with what is detected, whichever was first',
    async (service) => {
      await using tocsin = await startTestService();
      const other = `${service}-other`;
      await tocsin.failIn([service]);
      const detected = await tocsin.openIncident();

      const joined = await declare(tocsin, { ...ASKED, service });
      const declared = await declare(tocsin, { ...ASKED, service: other });
      await tocsin.failIn([other], { times: 5 });
      tocsin.advance(SETTLE_MS);
      await vi.waitUntil(async () => (await read(tocsin, declared.id)).signal_count > 1, { timeout: HANG_MS });

      expect(joined.id).toBe(detected.id);
      expect(joined).toMatchObject({ declared_by: 'ana', title: detected.title, detected: {} });
      expect(await read(tocsin, declared.id)).toMatchObject({ title: ASKED.title, severity: 'critical' });
      expect(await list(tocsin)).toHaveLength(2);
    },
  );

  it('sends the words of the person with the first event', async () => {
    await using tocsin = await startTestService();
    const tables = await openTables(tocsin);

    await declare(tocsin, ASKED);

    const [first] = await tables.selectFrom('events').selectAll().orderBy('sequence').execute();
    const words = { title: ASKED.title, severity: 'critical', declaredBy: 'ana' };
    expect(first).toMatchObject({ type: 'incident.opened', incident: words });
  });

  it('opens the incident again that somebody has just closed', async () => {
    await using tocsin = await startTestService();
    const { id } = await declare(tocsin, ASKED, 'key-1');
    await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'restarted' } });

    const again = await declare(tocsin, ASKED, 'key-2');

    expect(again).toMatchObject({ id, status: 'open' });
    expect(again.timeline?.map(({ event }) => event)).toEqual(['opened', 'declared', 'closed', 'reopened', 'declared']);
  });

  it('leaves closed what somebody closed before the declaration came again', async () => {
    await using tocsin = await startTestService();
    const { id } = await declare(tocsin, ASKED, 'key-1');
    const db = await openTables(tocsin);
    await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'restarted' } });
    await db.deleteFrom('idempotency_keys').execute(); // as after a crash before the response was stored

    const again = await declare(tocsin, ASKED, 'key-1');

    expect(again).toMatchObject({ id, status: 'closed', signal_count: 1 });
    expect(again.timeline?.map(({ event }) => event)).toEqual(['opened', 'declared', 'closed', 'declared']);
  });

  it('is not closed because nothing comes in', async () => {
    await using tocsin = await startTestService();
    const incidents = createIncidentStore(await openTables(tocsin));
    let aheadMs = 0;
    const now = () => new Date(tocsin.now().getTime() + aheadMs);
    const closeQuiet = createQuietCloser({ incidents, minutes: 30, now });
    const declared = await declare(tocsin, ASKED);

    aheadMs = 24 * 3_600_000;
    await closeQuiet();

    expect((await read(tocsin, declared.id)).status).toBe('open');
  });

  it('has not recovered because other requests to its service go well', async () => {
    await using tocsin = await startTestService();
    const { id } = await declare(tocsin, ASKED);

    const later = await vi.waitUntil(
      async () => {
        await succeedIn(tocsin, ASKED.service);
        tocsin.advance(2_000);
        const incident = await read(tocsin, id);
        return incident.activity === 'failing' ? null : incident;
      },
      { timeout: HANG_MS },
    );

    expect(later).toMatchObject({ activity: 'quiet', signal_count: 1 });
    expect(later.failures_per_minute?.counts.some((count) => count > 0)).toBe(false);
  });

  it('needs a key that may write', async () => {
    await using tocsin = await startTestService();
    const { readOnlyKey: key } = tocsin;

    const responses = [
      await tocsin.call('POST', '/incidents', { body: ASKED, key }),
      await tocsin.call('PATCH', '/incidents/1', { body: { lead: 'ana' }, key }),
    ];

    expect(responses.map(({ status }) => status)).toEqual([403, 403]);
  });
});

describe('setting fields by hand', () => {
  it('shows them in place of what is found, keeps them, and goes back', async () => {
    await using tocsin = await startTestService();
    await tocsin.failIn(['payments']);
    const { id, title, severity = 'error' } = await tocsin.openIncident();
    const set = { title: 'Checkout is down', severity: 'critical', root_service: 'bank', user: 'ana' };

    await change(tocsin, id, set);
    await tocsin.failIn(['payments'], { times: 9 });
    tocsin.advance(SETTLE_MS);
    await vi.waitUntil(async () => Number((await read(tocsin, id)).signals?.[0]?.occurrences) > 3, {
      timeout: HANG_MS,
    });

    const shown = await read(tocsin, id);
    expect(shown).toMatchObject({ title: set.title, severity: 'critical', root_service: 'bank' });
    expect(shown.detected).toMatchObject({ root_service: 'payments', severity });
    expect(shown.services).toEqual(expect.arrayContaining(['bank', 'payments']));
    expect((await list(tocsin)).map(({ title: listed }) => listed)).toEqual([set.title]);
    await change(tocsin, id, { title: null, severity: null, root_service: null, user: 'ben' });
    expect(await read(tocsin, id)).toMatchObject({ title, severity, root_service: 'payments', detected: {} });
  });

  it('forgets a root that nothing has failed in, once another one is set', async () => {
    await using tocsin = await startTestService();
    await tocsin.failIn(['payments', 'search']);
    const { id, services = [] } = await tocsin.openIncident();

    await change(tocsin, id, { root_service: 'paymets', user: 'ana' });
    await change(tocsin, id, { root_service: 'search', user: 'ana' });
    await change(tocsin, id, { root_service: null, user: 'ana' });

    expect((await read(tocsin, id)).services?.toSorted()).toEqual(services.toSorted());
  });

  it('names who leads and who communicates, and says who changed it', async () => {
    await using tocsin = await startTestService();
    const { id } = await declare(tocsin, ASKED);

    await change(tocsin, id, { lead: 'ana', communications: 'ben', user: 'cleo' });
    const response = await change(tocsin, id, { lead: null, user: 'ana' });

    const incident = Incident.parse(await response.json());
    expect(incident).toMatchObject({ lead: null, communications: 'ben' });
    expect(incident.timeline?.filter(({ event }) => event === 'changed').map(({ by, text }) => [by, text])).toEqual([
      ['cleo', 'lead: ana; communications: ben'],
      ['ana', 'lead: nobody'],
    ]);
  });

  it('changes nothing twice, and nothing that somebody changed meanwhile', async () => {
    await using tocsin = await startTestService();
    const { id } = await declare(tocsin, ASKED);
    const tag = (await tocsin.call('GET', `/incidents/${id}`)).headers.get('etag') ?? '';

    const first = await change(tocsin, id, { lead: 'ana' });
    const again = await change(tocsin, id, { lead: 'ana' });
    const stale = await change(tocsin, id, { lead: 'ben' }, { 'if-match': tag });
    const nothing = await change(tocsin, id, { user: 'ben' });

    expect([first.status, again.status, stale.status, nothing.status]).toEqual([200, 200, 412, 422]);
    const { timeline = [] } = await read(tocsin, id);
    expect(timeline.filter(({ event }) => event === 'changed')).toHaveLength(1);
  });
});
