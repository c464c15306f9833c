import { expect, it } from 'vitest';
import { evidence } from '../../../../test/support/evidence.ts';
import { createCallGraph, neighboursAt } from '../graph/call-graph.ts';
import { findOpenings } from './openings.ts';

const SECOND = 1_000;
const AT = Date.parse('2026-01-01T00:00:00Z');

/** Roots of what opens for new error lines beyond chance, with lost requests at the same place. */
function rootsOf({ waitedMs, lostSureness }: { waitedMs: number; lostSureness: number }): string[] {
  const lines = evidence({ family: 'new_error_log', origin: 'log', strength: 2, significance: 1.5, at: AT });
  const moment = { graph: neighboursAt(createCallGraph(), AT), at: AT, odd: new Map([['payments', lostSureness]]) };
  const since = new Map([[lines.fingerprint, AT - waitedMs]]);
  return findOpenings([lines], moment, since).map(({ root }) => root);
}

it.each([
  ['open soon if no request is lost', { waitedMs: 40 * SECOND, lostSureness: 0 }, ['payments']],
  ['wait while lost requests may tell more', { waitedMs: 40 * SECOND, lostSureness: 0.5 }, []],
  ['open if the lost requests stay too few', { waitedMs: 100 * SECOND, lostSureness: 0.5 }, ['payments']],
  ['open nothing beside lost requests that are no chance', { waitedMs: 100 * SECOND, lostSureness: 1.2 }, []],
])('error lines %s', (_, given, expected) => {
  expect(rootsOf(given)).toEqual(expected);
});

it.each([
  ['20 seconds', 20 * SECOND, []],
  ['more than a minute', 65 * SECOND, ['payments']],
])('requests that are slower without harm for %s', (_, lastedMs, expected) => {
  const seenAt = AT - 20 * SECOND;
  const about = { significance: 1.5, strength: 1.5, at: AT, seenAt, since: seenAt - lastedMs } as const;
  const slow = evidence({ family: 'lost_time', origin: 'trace', ...about });
  const moment = { graph: neighboursAt(createCallGraph(), AT), at: AT };
  const since = new Map([[slow.fingerprint, AT - 40 * SECOND]]);

  const roots = findOpenings([slow], moment, since).map(({ root }) => root);

  expect(roots).toEqual(expected);
});
