import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evidence } from '../../../../test/support/evidence.ts';
import type { Evidence } from '../../core/evidence.ts';
import type { LostSoFar } from '../../core/known-incident.ts';
import { addLost, type Counted, countLost, takeLost } from './lost-requests.ts';

/** @param since onset, before which the lost requests are no part of the fault */
function lost(requests: number, since: number, at: number, significance = 1, service = 'payments'): Evidence {
  const counts = {
    kind: 'error',
    requests,
    total: requests,
    failed: requests,
    extraMs: 0,
    perMinute: 0,
    path: [],
  } as const;
  return evidence({ family: 'harmed_requests', service, lost: counts, since, at, seenAt: at, significance });
}

it.each([
  { what: 'grow', found: [lost(10, 0, 10), lost(30, 0, 20)], sum: 30 },
  { what: 'of two episodes are added', found: [lost(300, 0, 100), lost(200, 110, 150)], sum: 500 },
  {
    what: 'of two episodes are added, though spans come late',
    found: [lost(300, 0, 115), lost(200, 112, 150)],
    sum: 500,
  },
  {
    what: 'before the onset do not count twice',
    found: [lost(8, 0, 10, 0.8), lost(6, 5, 20), lost(9, 5, 30)],
    sum: 11,
  },
])('lost requests $what', ({ found, sum }) => {
  let incident: LostSoFar | null = null;
  const counted: Counted = new Map();
  for (const each of found) {
    incident = countLost(counted, incident, each);
  }

  expect(incident).toMatchObject({ requests: sum, failed: sum, since: 0 });
});

it('gives a successor only what was lost since, from when it was counted last', () => {
  const counted: Counted = new Map();
  const first = countLost(counted, null, lost(870, 0, 100));
  const successor = countLost(counted, null, lost(874, 0, 160));

  expect([first, successor]).toMatchObject([
    { requests: 870, since: 0 },
    { requests: 4, since: 100 },
  ]);
});

it('counts an account once, whichever service explains what it lost', () => {
  const counted: Counted = new Map();
  const own = lost(35, 0, 100);
  const later = lost(40, 0, 110, 1, 'bank');
  const explained = { ...later, ...(later.lost && { lost: { ...later.lost, lostAt: 'payments' } }) };

  expect(countLost(counted, countLost(counted, null, own), explained)).toMatchObject({ requests: 40, since: 0 });
});

const index = (most: number) => fc.integer({ min: 0, max: most });
const operation = fc.oneof(
  fc.record({
    kind: fc.constant('report'),
    of: index(2),
    to: index(3),
    more: index(50),
    isNext: fc.boolean(),
  } as const),
  fc.record({ kind: fc.constant('merge'), of: index(3), to: index(3) } as const),
);

it('counts each request once over successors, roots that change, splits and merges, and no count falls', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      const counted: Counted = new Map();
      const incidents: (LostSoFar | null)[] = [null, null, null, null];
      const accounts = [0, 1, 2].map(() => ({ since: 0, requests: 0 }));
      let reported = 0;
      operations.forEach((each, step) => {
        const before = [...incidents];
        const at = 10 * (step + 1);
        if (each.kind === 'report') {
          const account = accounts[each.of] ?? { since: 0, requests: 0 };
          const next = each.isNext
            ? { since: at, requests: each.more }
            : { ...account, requests: account.requests + each.more };
          accounts[each.of] = next;
          reported += each.more;
          const found = lost(next.requests, next.since, at, 1, `service-${each.of}`);
          incidents[each.to] = countLost(counted, incidents[each.to] ?? null, found);
        } else if (each.of !== each.to) {
          incidents[each.to] = addLost(incidents[each.to] ?? null, incidents[each.of] ?? null);
          incidents[each.of] = null; // it is part of the other
          before[each.of] = null;
        }
        for (const [number, was] of before.entries()) {
          expect(incidents[number]?.requests ?? 0).toBeGreaterThanOrEqual(was?.requests ?? 0);
          expect(incidents[number]?.since ?? 0).toBeLessThanOrEqual(was?.since ?? Number.POSITIVE_INFINITY);
        }
      });

      expect(incidents.reduce((sum, each) => sum + (each?.requests ?? 0), 0)).toBe(reported);
    }),
  );
});

it('gives an incident back what it brought when a merge is taken back', () => {
  const [one, other] = [
    { requests: 5, total: 9, failed: 4, since: 10 },
    { requests: 2, total: 3, failed: 2, since: 20 },
  ];

  expect(takeLost(addLost(one, other), other)).toEqual(one);
});
