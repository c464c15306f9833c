import { describe, expect, it } from 'vitest';
import { offersMore } from '../../client/paging.ts';
import type { IncidentSummary } from '../../contract/resources.ts';
import { addMinutes } from '../../runtime/dates.ts';
import { readNewestClosed } from './closed-pages.ts';

const FIRST = new Date('2026-01-01T00:00:00.000Z');

/** Closed incidents by the minute at which they opened, in the order of the service's list. */
function serviceWith(minutes: readonly number[], { tellsTotal = true, size = 50 } = {}) {
  const all = minutes.map(
    (minute): IncidentSummary => ({
      id: `${minute}`,
      status: 'closed',
      signal_count: 1,
      root_service: 'payments',
      opened_at: addMinutes(FIRST, minute).toISOString(),
    }),
  );
  let reads = 0;
  return {
    reads: () => reads,
    async listIncidents({ limit = 50, offset = 0 } = {}) {
      reads += 1;
      const incidents = all.slice(offset, offset + Math.min(limit, size));
      const page = { items: incidents, unreadable: [], total: tellsTotal ? all.length : null, limit: size };
      const hasMore = offersMore({ ...page, hasMore: null, nextCursor: null }, { limit, offset });
      return { incidents, total: page.total, limit: size, hasMore };
    },
  };
}

const upTo = (count: number) => Array.from({ length: count }, (_, minute) => minute);
const idsOf = (incidents: readonly IncidentSummary[]) => incidents.map(({ id }) => Number(id));

describe('the closed incidents that opened last', () => {
  it('are on the first page of a list that is newest first, and older ones on those after it', async () => {
    const service = serviceWith(upTo(120).reverse());

    const newest = await readNewestClosed(service);
    const older = await newest.older?.();

    expect(idsOf(newest.incidents)).toEqual(upTo(120).slice(70).reverse());
    expect(idsOf(older?.incidents ?? [])).toEqual(upTo(70).slice(20).reverse());
    expect(service.reads()).toBe(2);
  });

  it('are on the last page of a list that is oldest first, however long it is', async () => {
    const service = serviceWith(upTo(5_000), { size: 20 });

    const newest = await readNewestClosed(service);
    const older = await newest.older?.();

    expect(idsOf(newest.incidents)).toEqual(upTo(5_000).slice(-20));
    expect(idsOf(older?.incidents ?? [])).toEqual(upTo(5_000).slice(-40, -20));
    expect(service.reads()).toBe(3);
  });

  it('are looked for on the first twenty pages of a list with another order, or without a total', async () => {
    const mixed = upTo(120).map((minute) => (minute * 7) % 120);

    const found = await readNewestClosed(serviceWith(mixed));
    const oldestFirst = await readNewestClosed(serviceWith(upTo(2_000), { tellsTotal: false }));

    expect(idsOf(found.incidents).toSorted((a, b) => a - b)).toEqual(upTo(120));
    expect(found.older).toBeNull();
    expect(oldestFirst.incidents).toHaveLength(1_000);
  });

  it('may be none', async () => {
    expect(await readNewestClosed(serviceWith([]))).toEqual({ incidents: [], older: null });
  });
});
