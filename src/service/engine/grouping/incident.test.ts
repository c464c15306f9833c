import { expect, it } from 'vitest';
import { evidence } from '../../../../test/support/evidence.ts';
import type { Evidence } from '../../core/telemetry-item.ts';
import { createIncident, join } from './incident.ts';

/** @param since onset, before which the lost requests are no part of the fault */
function lost(requests: number, since: number, at: number, significance = 1): Evidence {
  const counts = {
    kind: 'error',
    requests,
    total: requests,
    failed: requests,
    extraMs: 0,
    perMinute: 0,
    path: [],
  } as const;
  return evidence({ family: 'harmed_requests', lost: counts, since, at, seenAt: at, significance });
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
  const incident = createIncident(1, 0, 'payments', null);
  for (const each of found) {
    join(incident, each, each.at);
  }

  expect(incident.lostRequests).toBe(sum);
});
