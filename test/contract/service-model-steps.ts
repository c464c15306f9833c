import fc from 'fast-check';
import type { Scope } from '../../src/contract/route.ts';

/** A step of one caller. `pick` chooses among the items that existed when its batch began. */
export type Step =
  | { readonly does: 'fail'; readonly service: string; readonly name: string; readonly times: number }
  | { readonly does: 'wait'; readonly ms: number }
  | { readonly does: 'acknowledge'; readonly pick: number; readonly user: string }
  | { readonly does: 'resolve'; readonly pick: number; readonly note: string }
  | { readonly does: 'walk'; readonly list: ListName; readonly limit: number }
  | { readonly does: 'create integration'; readonly name: string }
  | { readonly does: 'delete integration'; readonly pick: number }
  | { readonly does: 'create key'; readonly scope: Scope }
  | { readonly does: 'revoke key' | 'rotate key' | 'use key'; readonly pick: number };

export const LIST_NAMES = ['incidents', 'signals', 'integrations'] as const;
export type ListName = (typeof LIST_NAMES)[number];

const pick = fc.nat({ max: 5 });
const SERVICES = ['payments', 'stock', 'search'];

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('fail'),
      service: fc.constantFrom(...SERVICES),
      name: fc.constantFrom('GET /a', 'GET /b'),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('wait'), ms: fc.constantFrom(12_000, 12_000, 660_000) }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('acknowledge'), pick, user: fc.constantFrom('ana', 'ben') }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('resolve'), pick, note: fc.constantFrom('fixed', 'gone') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('walk'),
      list: fc.constantFrom(...LIST_NAMES),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('create integration'), name: fc.constantFrom('a', 'b') }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete integration'), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('create key'), scope: fc.constantFrom('read-only', 'read-write') }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('revoke key', 'rotate key', 'use key'), pick }) },
);
