import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { Incident, IncidentSummary, Signal } from '../../src/contract/resources.ts';
import { HANG_MS } from '../support/hang.ts';
import { PUBLIC_URL, SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

const daysToMs = (days: number) => hoursToMilliseconds(24 * days);

async function read<Schema extends z.ZodType>(tocsin: TestService, path: string, schema: Schema) {
  const response = await tocsin.call('GET', path);
  expect(response.status).toBe(200);
  return schema.parse(await response.json());
}

it('opens an incident for failed spans, which can be acknowledged and resolved', async () => {
  await using tocsin = await startTestService();

  await tocsin.failIn(['payments']);
  const opened = await tocsin.openIncident();
  const acknowledged = await tocsin.call('POST', `/incidents/${opened.id}/acknowledge`, { body: { user: 'ana' } });
  const again = await tocsin.call('POST', `/incidents/${opened.number}/acknowledge`, { body: { user: 'ben' } });
  const resolution = { resolution_note: ' rolled back\n\t<ok> ', user: 'ben' };
  const resolved = await tocsin.call('POST', `/incidents/${opened.id}/resolve`, { body: resolution });
  const repeated = await tocsin.call('POST', `/incidents/${opened.id}/resolve`, { body: resolution });

  expect(opened).toMatchObject({
    status: 'open',
    root_service: 'payments',
    signal_count: 1,
    signals_by_type: { trace: 1, metric: 0, log: 0 },
    acknowledged_at: null,
    url: `${PUBLIC_URL}/dashboard/incidents/${opened.number}`,
  });
  expect([acknowledged, again, resolved, repeated].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await acknowledged.json()).toMatchObject({ status: 'open', acknowledged_by: 'ana' });
  expect(await again.json()).toMatchObject({ acknowledged_by: 'ana' });
  const closed = await read(tocsin, `/incidents/${opened.id}`, Incident);
  expect(closed).toMatchObject({
    status: 'closed',
    acknowledged_by: 'ana',
    resolved_by: 'ben',
    resolution_note: ' rolled back\n\t<ok> ',
  });
  expect(closed.timeline?.map(({ event, by }) => [event, by])).toEqual([
    ['opened', undefined],
    ['acknowledged', 'ana'],
    ['closed', 'ben'],
  ]);
  const [signal] = closed.signals ?? [];
  expect(await read(tocsin, `/signals/${signal?.id}`, Signal)).toEqual(signal);
  expect(signal).toMatchObject({ type: 'trace', service: 'payments', incident_id: opened.id, occurrences: 3 });
});

it('sends every field of the contract', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  const slack = { type: 'slack', config: { team_id: 'T1', app_id: 'A1', team_name: 'Acme' } };
  await tocsin.call('POST', '/integrations', { body: slack });

  const Page = { total: z.int(), limit: z.int(), offset: z.int(), has_more: z.boolean() };
  const OurSignal = Signal.required().omit({ ended_at: true, value: true, threshold: true, unit: true, body: true });
  const signals = z.array(OurSignal).min(1);
  const unnamed = { system: true } as const; // that of the main system
  await read(
    tocsin,
    '/incidents',
    IncidentList.required().extend({ ...Page, incidents: z.array(IncidentSummary.required().omit(unnamed)).min(1) }),
  );
  await read(tocsin, `/incidents/${id}`, Incident.required().omit(unnamed).extend({ signals }));
  await read(tocsin, `/incidents/${id}/signals`, SignalList.required().extend({ ...Page, signals }));
  await read(tocsin, '/signals', SignalList.required().extend({ ...Page, signals }));
  const { integrations } = await read(tocsin, '/integrations', IntegrationList.required().extend(Page));
  const OurIntegration = Integration.required().omit({ ...unnamed, secret: true, ingest_url: true, ingest_key: true });
  expect(() => z.array(OurIntegration).min(1).parse(integrations)).not.toThrow();
});

it('folds equal signals and pages through the others, newest first', async () => {
  await using tocsin = await startTestService();

  await tocsin.failIn(['payments'], { name: 'GET /a', times: 1 });
  for (const name of ['GET /a', 'GET /b', 'GET /c']) {
    tocsin.advance(10);
    await tocsin.failIn(['payments'], { name, times: 1 });
  }

  const all = await read(tocsin, '/signals', SignalList);
  expect(all).toMatchObject({ total: 3, limit: 50, offset: 0, has_more: false });
  expect(all.signals.map(({ occurrences }) => occurrences)).toEqual([1, 1, 2]);
  const first = await read(tocsin, '/signals?limit=2', SignalList);
  const second = await read(tocsin, '/signals?limit=2&offset=2', SignalList);
  expect(first).toMatchObject({ total: 3, limit: 2, has_more: true });
  expect(second).toMatchObject({ total: 3, offset: 2, has_more: false });
  expect([...first.signals, ...second.signals]).toEqual(all.signals);
});

it('searches signals, of all incidents and of one, with totals that count what matches', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments', 'stock'], { name: 'GET /a_100%' });
  await tocsin.failIn(['payments'], { name: 'GET /b' });
  const incident = await tocsin.openIncident();
  const of = `/incidents/${incident.id}/signals`;

  const find = async (path: string) => {
    const { total, signals } = await read(tocsin, path, SignalList);
    expect(total).toBe(signals.length);
    return signals.map(({ service, summary }) => `${service} ${summary?.split(' ')[1]}`).toSorted();
  };
  expect(await find('/signals?q=get%20/A_100%25')).toEqual(['payments /a_100%', 'stock /a_100%']);
  expect(await find('/signals?q=axx100')).toEqual([]);
  expect(await find('/signals?q=STOCK&type=trace')).toEqual(['stock /a_100%']);
  expect(await find(`${of}?service=payments`)).toEqual(['payments /a_100%', 'payments /b']);
  expect(await find(`${of}?q=%2Fb`)).toEqual(['payments /b']);
  expect(await find(`${of}?type=log`)).toEqual([]);
  expect((await tocsin.call('GET', `/signals?q=${'x'.repeat(200)}`)).status).toBe(200);
  expect((await tocsin.call('GET', `/signals?q=${'x'.repeat(201)}`)).status).toBe(400);
});

it('filters signals by service, type and a half-open time range', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments', 'stock']);
  const { signals } = await read(tocsin, '/signals?service=stock&type=trace', SignalList);
  const at = signals[0]?.observed_at ?? '';
  const later = new Date(Date.parse(at) + 1).toISOString();

  const count = async (query: string) => (await read(tocsin, `/signals?${query}`, SignalList)).total;
  expect(signals.map(({ service }) => service)).toEqual(['stock']);
  expect(await count('type=metric')).toBe(0);
  expect(await count(`from=${at}&to=${later}`)).toBe(2);
  expect(await count(`from=${later}`)).toBe(0);
  expect(await count(`to=${at}`)).toBe(0);
  expect(await count(`from=${at.replace('Z', '+00:00')}`)).toBe(2); // an unencoded + arrives as a space
  expect(await count(`from=${Date.parse(at) / 1000}`)).toBe(2);
});

it('lets the same failure join its closed incident for ten minutes, then opens a new one that names it', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const first = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${first.id}/resolve`, { body: { resolution_note: 'restarted' } });

  tocsin.advance(minutesToMilliseconds(9));
  await tocsin.failIn(['payments']);
  tocsin.advance(SETTLE_MS);
  const readFirst = () => read(tocsin, `/incidents/${first.id}`, Incident);
  await expect.poll(readFirst, { timeout: HANG_MS }).toMatchObject({
    status: 'closed',
    signal_count: 1,
    signals: [{ occurrences: 6 }],
  });
  tocsin.advance(minutesToMilliseconds(2));
  await tocsin.failIn(['payments']);
  const second = await tocsin.openIncident();

  expect(second).toMatchObject({ status: 'open', previous_incident_id: first.id });
  expect(second.number).toBeGreaterThan(first.number ?? Number.POSITIVE_INFINITY);
});

it('lists earlier resolutions of the same failure only', async () => {
  await using tocsin = await startTestService();
  const fail = async (service: string, name = 'GET /') => {
    await tocsin.failIn([service], { name });
    return tocsin.openIncident();
  };
  const close = (id: string, note: string) =>
    tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: note, user: 'ana' } });
  const payments = await fail('payments');
  await close(payments.id, 'rolled back 1.2.3');
  await close((await fail('orders')).id, 'restarted');
  tocsin.advance(minutesToMilliseconds(11));
  await close((await fail('payments', 'POST /refund')).id, 'another failure of payments');
  tocsin.advance(minutesToMilliseconds(11));
  const again = await fail('payments');

  expect(again.similar).toMatchObject([
    { id: payments.id, number: payments.number, resolution_note: 'rolled back 1.2.3', resolved_by: 'ana' },
  ]);
  expect(payments.similar).toEqual([]);
});

it('updates its explanation when signals are seen again', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const opened = await tocsin.openIncident();

  await tocsin.failIn(['payments'], { name: 'GET /', times: 7 });

  expect(opened.correlation?.evidence[0]).toContain('3 of 3 requests failed here');
  const readEvidence = async () => (await tocsin.openIncident()).correlation?.evidence[0];
  await expect.poll(readEvidence, { timeout: HANG_MS }).toContain('10 of 10 requests failed here');
});

it('accepts old signals, and those of a day that the default partition has', async () => {
  await using tocsin = await startTestService();
  tocsin.advance(daysToMs(40));
  await tocsin.failIn(['stock'], { agoMs: daysToMs(40) });
  await tocsin.failIn(['payments']);
  tocsin.advance(-daysToMs(40));
  await tocsin.failIn(['search']);

  const { signals } = await read(tocsin, '/signals', SignalList);

  expect(signals.map(({ service }) => service)).toEqual(['payments', 'search', 'stock']);
  for (const signal of signals) {
    expect(await read(tocsin, `/signals/${signal.id}`, Signal)).toEqual(signal);
  }
});

it('creates the same Slack integration once, however often it is requested', async () => {
  await using tocsin = await startTestService();
  const slack = { type: 'slack', name: 'Acme', config: { team_id: 'T1', app_id: 'A1' } };

  const answers = await Promise.all(
    Array.from({ length: 8 }, () => tocsin.call('POST', '/integrations', { body: slack })),
  );
  const other = await tocsin.call('POST', '/integrations', { body: { type: 'otlp' } });

  const made = answers.filter(({ status }) => status === 201);
  const bodies = z.array(Integration).parse(await Promise.all(answers.map((answer) => answer.json())));
  const [{ id } = { id: '' }] = bodies;
  expect(made).toHaveLength(1);
  expect(made[0]?.headers.get('location')).toBe(`/v1/integrations/${id}`);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
  expect(new Set(bodies.map((body) => body.id)).size).toBe(1);
  expect(other.status).toBe(201);
  expect((await tocsin.call('DELETE', `/integrations/${id}`)).status).toBe(204);
  expect((await tocsin.call('DELETE', `/integrations/${id}`)).status).toBe(404);
  const { integrations } = await read(tocsin, '/integrations', IntegrationList);
  expect(integrations.map(({ type }) => type)).toEqual(['otlp']);
});

it('is ready while the database answers, and says why otherwise', async () => {
  const tocsin = await startTestService();
  const ready = await tocsin.service.readiness();
  await tocsin[Symbol.asyncDispose]();
  tocsin.advance(1_000); // the result is reused for a second

  expect(ready).toEqual([
    { name: 'database', ready: true },
    { name: 'schema', ready: true },
  ]);
  expect(await tocsin.service.readiness()).toEqual([{ name: 'database', ready: false, detail: expect.any(String) }]);
});
