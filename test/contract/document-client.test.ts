import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

/**
 * A client that uses only the API document and ignores what the document leaves open. It must keep working whatever is
 * added to the API.
 */
const Id = z.union([z.string(), z.number()]);
const Listed = z.object({
  id: Id,
  status: z.enum(['open', 'closed']),
  signal_count: z.number(),
  root_service: z.string(),
  opened_at: z.unknown(),
});
const Envelope = z.object({ incidents: z.array(Listed), total: z.number(), limit: z.number() });
const Signal = z.object({ id: Id, service: z.string(), type: z.enum(['trace', 'metric', 'log']) });

it('completes the life cycle of an incident with the API document alone', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  await tocsin.openIncident();
  const get = async (path: string): Promise<unknown> => {
    const response = await tocsin.call('GET', path);
    expect(response.status).toBe(200);
    return response.json();
  };

  const open = Envelope.parse(await get('/incidents?status=open&limit=50&offset=0'));
  const id = open.incidents[0]?.id;
  expect(open).toMatchObject({ total: 1, limit: 50, incidents: [{ status: 'open', root_service: 'payments' }] });

  expect(await get(`/incidents/${id}`)).toMatchObject({ id });
  const [signal] = z.array(Signal).parse(onlyArrayOf(await get(`/incidents/${id}/signals`)));
  expect(onlyArrayOf(await get('/signals?service=payments&type=trace'))).toHaveLength(1);
  expect(onlyArrayOf(await get('/signals?service=orders'))).toEqual([]);
  expect(Object.values(z.record(z.string(), z.unknown()).parse(await get(`/signals/${signal?.id}`)))).toContain(id);

  const acknowledged = await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'on-call team' } });
  const resolved = await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'rolled back' } });
  expect([acknowledged.ok, resolved.ok]).toEqual([true, true]);
  expect(Envelope.parse(await get('/incidents?status=open'))).toMatchObject({ incidents: [], total: 0 });
  expect(Envelope.parse(await get('/incidents?status=closed'))).toMatchObject({
    incidents: [{ id, status: 'closed' }],
    total: 1,
  });
});

it('reads all incidents page by page, and signals of a time range', async () => {
  await using tocsin = await startTestService();
  const begin = tocsin.now().toISOString();
  for (const service of ['payments', 'stock', 'search']) {
    await tocsin.failIn([service]);
  }
  await vi.waitUntil(async () => (await readPage(tocsin, 0)).total === 3, { timeout: HANG_MS });
  const end = tocsin.now().toISOString();

  const pages = await Promise.all([0, 2, 4].map((offset) => readPage(tocsin, offset)));
  const inRange = await tocsin.call('GET', `/signals?from=${begin}&to=${end}`, { key: tocsin.readOnlyKey });
  const before = await tocsin.call('GET', `/signals?to=${begin}`, { key: tocsin.readOnlyKey });

  expect(pages.map(({ incidents, total, limit }) => [incidents.length, total, limit])).toEqual([
    [2, 3, 2],
    [1, 3, 2],
    [0, 3, 2],
  ]);
  expect(new Set(pages.flatMap(({ incidents }) => incidents.map(({ id }) => id))).size).toBe(3);
  expect(onlyArrayOf(await inRange.json())).toHaveLength(3);
  expect(onlyArrayOf(await before.json())).toEqual([]);
});

async function readPage(tocsin: TestService, offset: number): Promise<z.infer<typeof Envelope>> {
  tocsin.advance(SETTLE_MS);
  const answer = await tocsin.call('GET', `/incidents?limit=2&offset=${offset}`, { key: tocsin.readOnlyKey });
  return Envelope.parse(await answer.json());
}

it('creates, lists and deletes an integration', async () => {
  await using tocsin = await startTestService();
  const body = { type: 'slack', config: { team_id: 'T1', app_id: 'A1' } };
  const list = async () => onlyArrayOf(await (await tocsin.call('GET', '/integrations')).json());

  expect((await tocsin.call('POST', '/integrations', { body })).ok).toBe(true);
  const [integration] = z.array(z.object({ id: Id, status: z.string() })).parse(await list());
  expect((await tocsin.call('DELETE', `/integrations/${integration?.id}`)).ok).toBe(true);

  expect(await list()).toEqual([]);
});

/** Finds a list in any envelope, because the document only shows the envelope of incidents. */
function onlyArrayOf(answer: unknown): unknown[] {
  const arrays = Array.isArray(answer) ? [answer] : Object.values(z.record(z.string(), z.unknown()).parse(answer));
  return z.array(z.unknown()).parse(arrays.find((value) => Array.isArray(value)));
}
