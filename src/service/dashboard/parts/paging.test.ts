import { expect, it } from 'vitest';
import { readCursor } from '../../http/cursor.ts';
import { nextPage, previousPage, Trail } from './paging.ts';

const end = (page: number) => ({ at: new Date(page), id: `inc_${'0'.repeat(25)}${page % 10}` });

/** What a page reads from its address. */
function read({ cursor, trail }: Readonly<Record<string, string>>) {
  return { after: cursor === undefined ? null : readCursor(cursor, 'inc'), trail: Trail.parse(trail) };
}

it('leads back over the same pages', () => {
  const there = [read({})];
  for (let page = 1; page <= 4; page += 1) {
    there.push(read(nextPage(there.at(-1) ?? read({}), end(page)) ?? {}));
  }

  const back = [read(previousPage(there.at(-1) ?? read({})) ?? {})];
  while (back[0]?.after !== null) {
    back.unshift(read(previousPage(back[0] ?? read({})) ?? {}));
  }

  expect(there.map(({ after }) => after?.at.getTime() ?? null)).toEqual([null, 1, 2, 3, 4]);
  expect(back).toEqual(there.slice(0, 4));
  expect(previousPage(read({}))).toBeNull();
  expect(nextPage(read({}), null)).toBeNull();
});

it('remembers a bounded number of pages, and nothing that makes no sense', () => {
  let page = read({});
  for (let number = 1; number <= 50; number += 1) {
    page = read(nextPage(page, end(number)) ?? {});
  }

  expect(page.trail.length).toBe(20);
  expect([Trail.parse('"><script>'), Trail.parse('x'.repeat(5_000)), Trail.parse(undefined)]).toEqual([[], [], []]);
});
