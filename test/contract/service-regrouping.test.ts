import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { IncidentList } from '../../src/contract/lists.ts';
import { Problem } from '../../src/contract/problem.ts';
import { Incident } from '../../src/contract/resources.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { openTables } from '../support/webhook-receiver.ts';

let tocsin: TestService;
let cart: Incident;
let disk: Incident;

/** Each opens an incident of its own. */
beforeEach(async () => {
  tocsin = await startTestService();
  await alert('cart', 'a');
  await alert('disk', 'a');
  const { incidents } = await vi.waitUntil(
    async () => {
      const list = await read('/incidents', IncidentList);
      return list.incidents.length === 2 ? list : undefined;
    },
    { timeout: HANG_MS },
  );
  [cart, disk] = (await Promise.all(['cart', 'disk'].map((service) => readOf(incidents, service)))) as [
    Incident,
    Incident,
  ];
  return () => tocsin[Symbol.asyncDispose]();
});

function readOf(incidents: readonly { id: string; root_service: string }[], service: string): Promise<Incident> {
  return get(incidents.find(({ root_service: root }) => root === service)?.id ?? '');
}

async function read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>> {
  return schema.parse(await (await tocsin.call('GET', path)).json());
}

const get = (id: string) => read(`/incidents/${id}`, Incident);

async function alert(service: string, dedup: string, to = tocsin): Promise<void> {
  const body = { service, summary: `${service} fails`, dedup_key: dedup };
  expect((await to.call('POST', '/generic', { body })).status).toBe(200);
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  tocsin.call('POST', `/incidents/${path}`, { body: { user: 'ana', ...body }, headers });

const servicesOf = ({ signals }: Incident) => signals?.map(({ service }) => service).toSorted();
const toldIn = ({ timeline }: Incident) => timeline?.slice(1).map(({ event, by, text }) => [event, by, text]);

/** Waits until a step of correlation has put another signal into the incident. */
async function joined(id: string, count: number): Promise<Incident> {
  return vi.waitUntil(
    async () => {
      const found = await get(id);
      return found.signals?.length === count && found.signal_count === count ? found : undefined;
    },
    { timeout: HANG_MS },
  );
}

describe('merging by hand', () => {
  it('closes the incident, and the other one has its signals at once', async () => {
    const answer = await post(`${cart.id}/merge`, { into: String(disk.number) });

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ status: 'closed', merged_into: disk.id, resolved_by: 'ana' });
    const [gone, whole] = [await get(cart.id), await get(disk.id)];
    expect(toldIn(gone)).toEqual([
      ['merged', 'ana', `#${disk.number}`],
      ['closed', 'ana', `Part of #${disk.number}: disk.`],
    ]);
    expect(toldIn(whole)).toEqual([['merged', 'ana', `#${cart.number}`]]);
    expect(whole).toMatchObject({ status: 'open', signal_count: 2, services: ['disk', 'cart'] });
    expect(servicesOf(whole)).toEqual(['cart', 'disk']);
  });

  it('lets what fails later of either join the one that stays open, also in a process that starts later', async () => {
    await post(`${cart.id}/merge`, { into: disk.id });
    await alert('cart', 'b');
    expect(servicesOf(await joined(disk.id, 3))).toEqual(['cart', 'cart', 'disk']);

    await using other = await startTestService({ database: tocsin.database });
    await alert('cart', 'c', other);

    expect(servicesOf(await joined(disk.id, 4))).toEqual(['cart', 'cart', 'cart', 'disk']);
    expect(await read('/incidents?status=open', IncidentList)).toMatchObject({ total: 1 });
  });

  it('is refused for itself, a closed or unknown incident, and one that has changed', async () => {
    const tag = (await tocsin.call('GET', `/incidents/${cart.id}`)).headers.get('etag') ?? '';
    await post(`${cart.id}/acknowledge`, {});
    const same = await post(`${cart.id}/merge`, { into: cart.id });
    const stale = await post(`${cart.id}/merge`, { into: disk.id }, { 'if-match': tag });
    const unknown = await post(`${cart.id}/merge`, { into: '999' });
    await post(`${disk.id}/resolve`, { resolution_note: 'replaced' });
    const intoClosed = await post(`${cart.id}/merge`, { into: disk.id });
    const closed = await post(`${disk.id}/merge`, { into: cart.id });

    const refusals = [same, stale, unknown, intoClosed, closed];
    expect(refusals.map(({ status }) => status)).toEqual([409, 412, 404, 409, 409]);
    const codes = await Promise.all(refusals.map(async (refusal) => Problem.parse(await refusal.json()).code));
    expect(codes).toEqual([
      'same-incident',
      'incident-changed',
      'incident-not-found',
      'incident-closed',
      'incident-closed',
    ]);
    expect(await get(cart.id)).toMatchObject({ status: 'open', merged_into: null, signal_count: 1 });
  });
});

describe('splitting by hand', () => {
  it('opens the merged incident with the signals that it had, and later ones go to each', async () => {
    await post(`${cart.id}/merge`, { into: disk.id });
    await alert('disk', 'b');
    await joined(disk.id, 3);

    const answer = await post(`${cart.id}/split`, {});

    expect(await answer.json()).toMatchObject({ status: 'open', merged_into: null, signal_count: 1, closed_at: null });
    expect(servicesOf(await get(cart.id))).toEqual(['cart']);
    expect(servicesOf(await get(disk.id))).toEqual(['disk', 'disk']);
    expect(toldIn(await get(cart.id))?.at(-1)).toEqual(['split', 'ana', `#${disk.number}`]);
    expect(toldIn(await get(disk.id))?.at(-1)).toEqual(['split', 'ana', `#${cart.number}`]);
    await alert('cart', 'b');
    await alert('disk', 'c');
    expect(servicesOf(await joined(cart.id, 2))).toEqual(['cart', 'cart']);
    expect(servicesOf(await joined(disk.id, 3))).toEqual(['disk', 'disk', 'disk']);
    expect(await read('/incidents', IncidentList)).toMatchObject({ total: 2 });
  });

  it('takes an incident out of a chain of merges with its own signals only', async () => {
    await alert('mail', 'a');
    const mail = await vi.waitUntil(
      async () => (await read('/incidents', IncidentList)).incidents.find(({ root_service: root }) => root === 'mail'),
      { timeout: HANG_MS },
    );
    await post(`${mail.id}/merge`, { into: cart.id });
    await post(`${cart.id}/merge`, { into: disk.id });

    await post(`${mail.id}/split`, {});

    expect(servicesOf(await get(mail.id))).toEqual(['mail']);
    expect(servicesOf(await get(disk.id))).toEqual(['cart', 'disk']);
  });

  it('leaves an incident as bad as it was judged before the merge, whatever its signals alone say', async () => {
    await post(`${cart.id}/merge`, { into: disk.id });
    const tables = await openTables(tocsin);
    await tables.updateTable('signals').set({ severity: 'info' }).where('service', '=', 'cart').execute();

    const answer = await post(`${cart.id}/split`, {});

    expect(Incident.parse(await answer.json()).severity).toBe(cart.severity);
  });

  it('is refused for an incident that is not part of another', async () => {
    const refused = await post(`${cart.id}/split`, {});

    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ code: 'incident-not-merged' });
  });
});
