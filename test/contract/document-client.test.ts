import { expect, it } from 'vitest';
import { z } from 'zod';
import { startTestService } from '../support/test-service.ts';

/**
 * A client that knows the service document and nothing of ours: what the document calls "not shown" is not looked at.
 * Everything it does must go on working whatever we add.
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

it('goes through the life of an incident by the document alone', async () => {
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

it('creates, lists and deletes an integration', async () => {
  await using tocsin = await startTestService();
  const body = { type: 'slack', config: { team_id: 'T1', app_id: 'A1' } };
  const list = async () => onlyArrayOf(await (await tocsin.call('GET', '/integrations')).json());

  expect((await tocsin.call('POST', '/integrations', { body })).ok).toBe(true);
  const [integration] = z.array(z.object({ id: Id, status: z.string() })).parse(await list());
  expect((await tocsin.call('DELETE', `/integrations/${integration?.id}`)).ok).toBe(true);

  expect(await list()).toEqual([]);
});

/** A list in whatever envelope: the document shows none but that of incidents. */
function onlyArrayOf(answer: unknown): unknown[] {
  const arrays = Array.isArray(answer) ? [answer] : Object.values(z.record(z.string(), z.unknown()).parse(answer));
  return z.array(z.unknown()).parse(arrays.find((value) => Array.isArray(value)));
}
