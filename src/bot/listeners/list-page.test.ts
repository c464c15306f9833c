import { expect, it } from 'vitest';
import type { IncidentSummary } from '../../contract/resources.ts';
import { readListPage } from './list-page.ts';

const AT = '2026-01-31T08:00:00.000Z';

function incident(id: string, fields: Partial<IncidentSummary> = {}): IncidentSummary {
  return { id, status: 'open', signal_count: 1, root_service: 'payments', opened_at: AT, ...fields };
}

/** A page from a service that counts 21; our own table has an acknowledgement by Ana for every incident. */
async function pageOf(incidents: IncidentSummary[], hasMore = false) {
  const asked: (readonly string[])[] = [];
  const service = {
    listIncidents: async () => ({ incidents, total: 21, limit: 10, hasMore }),
    incidents: async function* () {},
  };
  const findAll = async (ids: readonly string[]) => {
    asked.push(ids);
    const fields = { acknowledged_by: 'ana', acknowledged_at: AT, signal_count: 7, possible_roots: ['x', 'y'] };
    return new Map(ids.map((id) => [id, { ...incident(id), ...fields }]));
  };
  return { page: await readListPage({ service, store: { incidents: { findAll } } }, 10), asked };
}

it('completes the list from our own table in one query; the fields of the list win', async () => {
  const { page, asked } = await pageOf([incident('a'), incident('b', { acknowledged_by: null }), incident('c')]);

  expect(asked).toEqual([['a', 'c']]);
  expect(page.incidents.map(({ acknowledged_by }) => acknowledged_by)).toEqual(['ana', null, 'ana']);
  expect(page.incidents.map(({ signal_count }) => signal_count)).toEqual([1, 1, 1]);
});

it('makes no query when the list is complete', async () => {
  const { asked } = await pageOf([incident('a', { acknowledged_by: 'ben' })]);

  expect(asked).toEqual([]);
});

it('takes the total of the service except on the last page, where it is known', async () => {
  const last = await pageOf([incident('a'), incident('b')]);
  const between = await pageOf([incident('a'), incident('b')], true);

  expect([last.page.total, between.page.total]).toEqual([12, 21]);
});

it('takes the possible roots from our own table while the root is the same', async () => {
  const reported = { activity: 'failing', acknowledged: false } as const;
  const { page } = await pageOf([incident('a', reported), incident('b', { ...reported, root_service: 'other' })]);

  expect(page.incidents.map(({ possible_roots }) => possible_roots)).toEqual([['x', 'y'], undefined]);
  expect(page.incidents.map(({ acknowledged_by }) => acknowledged_by)).toEqual([undefined, undefined]);
});
