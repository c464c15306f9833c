import { describe, expect, it } from 'vitest';
import type { IncidentSummary } from '../../../contract/resources.ts';
import { readListPage } from './list-page.ts';

const AT = '2026-01-31T08:00:00.000Z';

function incident(id: string, fields: Partial<IncidentSummary> = {}): IncidentSummary {
  return { id, status: 'open', signal_count: 1, root_service: 'payments', opened_at: AT, ...fields };
}

/** The first page of a service; our own table has an acknowledgement by Ana for every incident. */
async function pageOf(incidents: readonly IncidentSummary[], offset = 0) {
  const asked: (readonly string[])[] = [];
  const service = {
    listIncidents: async () => {
      const hasMore = incidents.length > 10;
      return { incidents: incidents.slice(0, 10), total: 21, limit: 10, hasMore };
    },
    async *incidents() {
      yield* incidents;
    },
  };
  const findAll = async (ids: readonly string[]) => {
    asked.push(ids);
    const fields = {
      acknowledged_by: 'ana',
      acknowledged_at: AT,
      signal_count: 7,
      possible_roots: ['x', 'y'],
      root_confidence: 67,
    };
    return new Map(ids.map((id) => [id, { ...incident(id), ...fields }]));
  };
  return { page: await readListPage({ service, store: { incidents: { findAll } } }, offset, new Date(AT)), asked };
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

describe('the order', () => {
  const opened = (minute: number) => ({ opened_at: new Date(Date.parse(AT) + minute * 60_000).toISOString() });
  const mute = {
    id: 'm',
    target: 'service',
    value: 's',
    until: '2026-01-31T09:00:00Z',
    created_by: 'a',
    created_at: AT,
  } as const;

  it('is the worst first, then what has been open longest, and what is muted last', async () => {
    const { page } = await pageOf([
      incident('new', opened(2)),
      incident('muted', { severity: 'critical', mute }),
      incident('old', opened(1)),
      incident('warning', { severity: 'warning', ...opened(0) }),
      incident('later', { severity: 'critical', ...opened(4) }),
      incident('critical', { severity: 'critical', ...opened(3) }),
    ]);

    expect(page.incidents.map(({ id }) => id)).toEqual(['critical', 'later', 'warning', 'old', 'new', 'muted']);
  });

  it('sorts an incident whose mute has ended like any other', async () => {
    const ended = incident('ended', { severity: 'critical', mute: { ...mute, until: AT } });
    const { page } = await pageOf([incident('new', opened(2)), ended]);

    expect(page.incidents.map(({ id }) => id)).toEqual(['ended', 'new']);
  });

  it('holds across pages, although the service lists by age', async () => {
    const all = Array.from({ length: 21 }, (_, index) => incident(`${index}`, opened(-index)));
    const worst = incident('worst', { severity: 'critical', ...opened(-90) });
    const first = await pageOf([...all, worst]);
    const last = await pageOf([...all, worst], 20);

    expect(first.page).toMatchObject({ total: 22, hasMore: true });
    expect(first.page.incidents.map(({ id }) => id).slice(0, 3)).toEqual(['worst', '20', '19']);
    expect(last.page).toMatchObject({ total: 22, hasMore: false });
    expect(last.page.incidents.map(({ id }) => id)).toEqual(['1', '0']);
  });

  it('counts up to 2,000', async () => {
    const { page } = await pageOf(Array.from({ length: 2_001 }, (_, index) => incident(`${index}`)));

    expect(page).toMatchObject({ total: null, hasMore: true });
  });
});

it('takes the possible roots, and how likely they are, from our own table while the root is the same', async () => {
  const reported = { activity: 'failing', acknowledged: false } as const;
  const { page } = await pageOf([incident('a', reported), incident('b', { ...reported, root_service: 'other' })]);

  expect(page.incidents.map(({ possible_roots }) => possible_roots)).toEqual([['x', 'y'], undefined]);
  expect(page.incidents.map(({ root_confidence }) => root_confidence)).toEqual([67, undefined]);
  expect(page.incidents.map(({ acknowledged_by }) => acknowledged_by)).toEqual([undefined, undefined]);
});
