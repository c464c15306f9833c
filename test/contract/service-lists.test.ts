import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { IntegrationList } from '../../src/contract/integrations.ts';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;
/** Newest first: `search`, `stock`, `payments`. */
let incidents: Incident[];

beforeAll(async () => {
  tocsin = await startTestService();
  incidents = [];
  for (const service of ['payments', 'stock', 'search']) {
    await tocsin.failIn([service], { name: `GET /${service}_100%` });
    tocsin.advance(SETTLE_MS);
    const [summary] = await vi.waitUntil(async () => found(await list({ service })), { timeout: HANG_MS });
    incidents.unshift(Incident.parse(await (await tocsin.call('GET', `/incidents/${summary?.id}`)).json()));
    tocsin.advance(minutesToMilliseconds(1));
  }
});

afterAll(() => tocsin[Symbol.asyncDispose]());

async function list(query: Record<string, string>): Promise<IncidentList> {
  const response = await tocsin.call('GET', `/incidents?${new URLSearchParams(query).toString()}`);
  expect(response.status).toBe(200);
  return IncidentList.parse(await response.json());
}

const found = (page: IncidentList) => (page.incidents.length > 0 ? page.incidents : null);

const rootsOf = (page: IncidentList) => page.incidents.map((incident) => incident.root_service);

const idsOf = (items: readonly unknown[]) => items.map((item) => Object(item).id);

describe('a list', () => {
  it.each([
    ['/incidents', (answer: unknown) => IncidentList.parse(answer).incidents],
    ['/signals', (answer: unknown) => SignalList.parse(answer).signals],
    ['/integrations', (answer: unknown) => IntegrationList.parse(answer).integrations],
  ])('is read by cursor as by offset, and says where it ends: %s', async (path, itemsOf) => {
    for (const name of path === '/integrations' ? ['one', 'two', 'three'] : []) {
      await tocsin.call('POST', '/integrations', { body: { type: 'otlp', name } });
    }
    const all: unknown = await (await tocsin.call('GET', path)).json();

    const walked: unknown[] = [];
    let query = '?limit=1';
    for (let pages = 1; query !== ''; pages += 1) {
      const answer: unknown = await (await tocsin.call('GET', path + query)).json();
      const { next_cursor: next, ...page } = answer as { next_cursor: string | null };
      walked.push(...itemsOf(answer));
      expect(page).toMatchObject({ total: 3, limit: 1, offset: 0, has_more: pages < 3 });
      query = next === null ? '' : `?limit=1&cursor=${next}`;
    }

    expect(walked).toHaveLength(3);
    expect(idsOf(walked)).toEqual(idsOf(itemsOf(all))); // an incident may change between two pages
    expect(all).toMatchObject({ next_cursor: null });
  });

  it('continues after the last item even if items were added and removed', async () => {
    await using moving = await startTestService();
    const create = (name: string) => moving.call('POST', '/integrations', { body: { type: 'otlp', name } });
    const read = async (query: string) =>
      IntegrationList.parse(await (await moving.call('GET', `/integrations?limit=2${query}`)).json());
    for (const name of ['a', 'b', 'c', 'd']) {
      await create(name);
      moving.advance(1_000);
    }

    const first = await read('');
    await create('e');
    await moving.call('DELETE', `/integrations/${first.integrations[1]?.id}`);
    const second = await read(`&cursor=${first.next_cursor}`);

    expect(first.integrations.map(({ name }) => name)).toEqual(['d', 'c']);
    expect(second.integrations.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(second).toMatchObject({ total: 4, next_cursor: null });
  });

  it('pages through the signals of an incident by cursor', async () => {
    await using many = await startTestService();
    await many.failIn(['payments'], { name: 'GET /a' });
    await many.failIn(['payments'], { name: 'GET /b' });
    const { id, signals } = await many.openIncident();
    const read = async (query: string) =>
      SignalList.parse(await (await many.call('GET', `/incidents/${id}/signals?limit=1${query}`)).json());

    const first = await read('');
    const second = await read(`&cursor=${first.next_cursor}`);

    expect([...first.signals, ...second.signals]).toEqual(signals);
    expect(second.next_cursor).toBeNull();
  });
});

describe('the list of incidents', () => {
  it('filters, and counts the matches', async () => {
    const [newest, middle] = incidents;
    await tocsin.call('POST', `/incidents/${middle?.id}/acknowledge`, { body: { user: 'ana' } });

    const narrow = async (query: Record<string, string>) => {
      const page = await list({ limit: '1', ...query });
      expect((await list(query)).incidents).toHaveLength(page.total ?? -1);
      return rootsOf(await list(query));
    };

    expect(await narrow({})).toEqual(['search', 'stock', 'payments']);
    expect(await narrow({ service: 'stock' })).toEqual(['stock']);
    expect(await narrow({ service: 'sto' })).toEqual([]);
    expect(await narrow({ severity: newest?.severity ?? '' })).toEqual(['search', 'stock', 'payments']);
    expect(await narrow({ severity: 'info' })).toEqual([]);
    expect(await narrow({ acknowledged: 'true' })).toEqual(['stock']);
    expect(await narrow({ acknowledged: 'false', status: 'open' })).toEqual(['search', 'payments']);
    expect(await narrow({ opened_from: middle?.opened_at ?? '' })).toEqual(['search', 'stock']);
    expect(await narrow({ opened_to: middle?.opened_at ?? '' })).toEqual(['payments']);
    expect(await narrow({ q: 'STO' })).toEqual(['stock']);
    expect(await narrow({ q: '\\' })).toEqual([]);
  });

  it.each([
    ['%', ['search', 'stock', 'payments']],
    ['s_o', []],
    ['stock_100%', ['stock']],
  ])('takes %s in a search for what it is, not for a pattern', async (q, roots) => {
    expect(incidents[1]?.title).toContain('stock_100%');
    expect(rootsOf(await list({ q }))).toEqual(roots);
  });
});

describe('the signals of an incident', () => {
  it('are in the response to a read and not to a change, unless requested', async () => {
    const id = incidents[0]?.id;
    const resolution = { resolution_note: 'restarted' };
    const ask = async (method: string, path: string, body?: object) => {
      const response = await tocsin.call(method, `/incidents/${id}${path}`, { body });
      expect(response.status).toBe(200);
      return Incident.parse(await response.json());
    };

    const full = await ask('GET', '');
    expect(full.signals).toHaveLength(1);
    expect(await ask('GET', '?signals=full')).toEqual(full);
    const { signals, signals_removed: removed, similar, cards, ...rest } = full;
    expect(removed).toBe(0);
    expect(similar).toEqual([]);
    expect(cards).toEqual([]);
    expect(await ask('GET', '?signals=none')).toEqual(rest);
    expect(await ask('POST', '/acknowledge', { user: 'ana' })).not.toHaveProperty('signals');
    expect(await ask('POST', '/acknowledge?signals=full', { user: 'ana' })).toMatchObject({ signals });
    expect(await ask('POST', '/resolve', resolution)).not.toHaveProperty('signals');
    expect(await ask('POST', '/resolve?signals=full', resolution)).toMatchObject({ signals });
  });
});
