import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContractViolationError } from './errors.ts';
import type { Listed } from './liberal.ts';
import { offersMore, walkPages } from './paging.ts';

interface Item {
  readonly id: string;
}

const items = (count: number): Item[] => Array.from({ length: count }, (_, index) => ({ id: `i${index}` }));

/** Walks over the list of a service without cursors. */
async function walk(readPage: (offset: number) => Omit<Listed<Item>, 'nextCursor' | 'unreadable'>): Promise<string[]> {
  const ids: string[] = [];
  for await (const item of walkPages('GET /incidents', ({ offset }) =>
    Promise.resolve({ ...readPage(offset), unreadable: [], nextCursor: null }),
  )) {
    ids.push(item.id);
  }
  return ids;
}

const ids = (list: readonly Item[]) => list.map(({ id }) => id);

describe('walkPages', () => {
  it('yields every item of an unchanging list once, for any page size and metadata', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 60 }),
        fc.integer({ min: 1, max: 25 }),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        async (count, size, tellsTotal, tellsLimit, tellsMore) => {
          const list = items(count);

          const walked = await walk((offset) => ({
            items: list.slice(offset, offset + size),
            total: tellsTotal ? count : null,
            limit: tellsLimit ? size : null,
            hasMore: tellsMore ? offset + size < count : null,
          }));

          expect(walked).toEqual(ids(list));
        },
      ),
    );
  });

  it('misses no item that stays in the list and repeats none, while others are added at the top or removed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.record({ arrive: fc.nat({ max: 3 }), leaveAt: fc.option(fc.nat({ max: 60 })) }), { maxLength: 30 }),
        async (count, size, changes) => {
          let list = items(count);
          let newest = count;
          const original = new Set(ids(list));
          const queue = [...changes];

          const walked = await walk((offset) => {
            const page = { items: list.slice(offset, offset + size), total: list.length, limit: size, hasMore: null };
            // Either items are added or one is removed, because the total cannot show both at once.
            const change = queue.shift();
            const { leaveAt } = change ?? { leaveAt: null };
            if (leaveAt !== null) {
              list = list.filter((_, index) => index !== leaveAt);
            } else {
              const arrived = Array.from({ length: change?.arrive ?? 0 }, () => ({ id: `i${newest++}` }));
              list = [...arrived, ...list];
            }
            return page;
          });

          expect(new Set(walked).size).toBe(walked.length);
          const stayed = ids(list).filter((id) => original.has(id));
          expect(walked).toEqual(expect.arrayContaining(stayed));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('stops if the service ignores the offset and always returns the same page', async () => {
    const offsets: number[] = [];

    const walked = await walk((offset) => {
      offsets.push(offset);
      return { items: items(50), total: null, limit: 50, hasMore: null };
    });

    expect(walked).toHaveLength(50);
    expect(offsets).toEqual([0, 50]);
  });

  it('continues up to the total if pages are smaller than reported', async () => {
    const list = items(30);

    const walked = await walk((offset) => ({
      items: list.slice(offset, offset + 10),
      total: 30,
      limit: 50,
      hasMore: null,
    }));

    expect(walked).toEqual(ids(list));
  });

  it('does not request a page after the last one if the service reports the end', async () => {
    const offsets: number[] = [];

    await walk((offset) => {
      offsets.push(offset);
      return { items: items(20).slice(offset, offset + 10), total: 20, limit: 10, hasMore: offset < 10 };
    });

    expect(offsets).toEqual([0, 10]);
  });

  it('uses the cursor once there is one, and misses nothing while the list changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.record({ arrive: fc.nat({ max: 3 }), leave: fc.array(fc.nat({ max: 60 }), { maxLength: 3 }) })),
        async (count, size, changes) => {
          let list = Array.from({ length: count }, (_, index) => ({ id: `i${count - index}` }));
          let newest = count;
          const original = new Set(ids(list));
          const queue = [...changes];
          const walked: string[] = [];

          const pages = walkPages('GET /incidents', ({ offset, cursor }) => {
            const rest = list.filter(({ id }) => cursor === null || Number(id.slice(1)) < Number(cursor));
            const page = rest.slice(cursor === null ? offset : 0).slice(0, size);
            const isLast = page.length === rest.length;
            const { arrive = 0, leave = [] } = queue.shift() ?? {};
            const arrived = Array.from({ length: arrive }, () => ({ id: `i${++newest}` })).reverse();
            const total = list.length;
            list = [...arrived, ...list.filter((_, index) => !leave.includes(index))];
            const nextCursor = isLast ? null : (page.at(-1)?.id.slice(1) ?? null);
            return Promise.resolve({ items: page, unreadable: [], total, limit: size, hasMore: !isLast, nextCursor });
          });
          for await (const { id } of pages) {
            walked.push(id);
          }

          expect(new Set(walked).size).toBe(walked.length);
          expect(walked).toEqual(expect.arrayContaining(ids(list).filter((id) => original.has(id))));
        },
      ),
    );
  });

  it('stops if the cursor leads to the same page again', async () => {
    const cursors: (string | null)[] = [];
    const page = { items: items(2), unreadable: [], total: 9, limit: 2 };

    for await (const _ of walkPages('GET /incidents', ({ cursor }) => {
      cursors.push(cursor);
      return Promise.resolve({ ...page, hasMore: true, nextCursor: 'again' });
    })) {
      expect(cursors).toEqual([null]);
    }

    expect(cursors).toEqual([null, 'again']);
  });

  it('gives up on a list that never ends', async () => {
    let next = 0;

    const walking = walk(() => ({ items: [{ id: `i${next++}` }], total: null, limit: 1, hasMore: true }));

    await expect(walking).rejects.toThrow(ContractViolationError);
  });
});

describe('offersMore', () => {
  const page = (count: number, rest: Partial<Listed<Item>>) => ({
    items: items(count),
    unreadable: [],
    total: null,
    limit: null,
    hasMore: null,
    nextCursor: null,
    ...rest,
  });

  it.each([
    ['the service says that there is more', page(50, { hasMore: true }), true],
    ['the service says that there is no more', page(50, { hasMore: false, total: 90 }), false],
    ['the total is larger', page(50, { total: 101 }), true],
    ['the page ends at the total', page(50, { total: 100, limit: 50 }), false],
    ['the page is full and has no metadata', page(50, {}), true],
    ['the page is full for the reported limit', page(20, { limit: 20 }), true],
    ['the page is not full', page(49, {}), false],
    ['the service ignored the limit and returned everything', page(70, {}), false],
    ['the total includes other items', page(49, { total: 1_000, limit: 50 }), false],
    ['the page is full with its unreadable items', page(49, { limit: 50, unreadable: ['x'] }), true],
    ['the page is empty', page(0, { total: 90 }), false],
  ])('when %s', (_, answer, expected) => {
    expect(offersMore(answer, { limit: 50, offset: 50 })).toBe(expected);
  });
});
