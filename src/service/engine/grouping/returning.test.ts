import { expect, it } from 'vitest';
import { createCorrelatedSystem, MINUTE, START } from '../../../../test/support/correlated-system.ts';
import { evidence, lostAt } from '../../../../test/support/evidence.ts';
import { close } from '../engine.ts';

/** An error line that is certain, though no request is lost. */
const line = evidence({
  service: 'payments',
  family: 'new_error_log',
  subject: 'no merchant account',
  significance: 4,
});
const lost = evidence({
  ...lostAt('payments'),
  lost: { kind: 'self', requests: 40, total: 50, failed: 40, path: [], extraMs: 0, perMinute: 40 },
});

/** Correlation forgets a silent incident after ten minutes. */
const WHILE_KNOWN = 7;
const WHEN_FORGOTTEN = 40;

it.each([
  { what: 'its error line', found: [line], at: WHILE_KNOWN },
  { what: 'its error line', found: [line], at: WHEN_FORGOTTEN },
  { what: 'lost requests', found: [lost], at: WHILE_KNOWN },
  { what: 'lost requests', found: [lost], at: WHEN_FORGOTTEN },
  { what: 'lost requests with the line that explains them', found: [line, lost], at: WHEN_FORGOTTEN },
])('is the same incident when $what come back in minute $at', ({ found, at }) => {
  const system = createCorrelatedSystem();
  system.during(0, 2, found);
  system.during(at, at + 2, found);

  expect(system.incidents().map(({ number, root, activity }) => [number, root, activity])).toEqual([
    [1, 'payments', 'failing'],
  ]);
});

it.each([
  { what: 'another line', found: [evidence({ ...line, subject: 'disk full', fingerprint: 'disk full' })] },
  { what: 'the line with lost requests, where none were lost', found: [line, lost] },
])('is another incident for $what', ({ found }) => {
  const system = createCorrelatedSystem();
  system.during(0, 2, [line]);
  system.during(WHILE_KNOWN, WHILE_KNOWN + 2, found);

  expect(system.incidents().map(({ root }) => root)).toEqual(['payments', 'payments']);
});

it.each([
  { what: 'while it was known', closedAt: 5 },
  { what: 'after it was forgotten', closedAt: 30 },
])('is another incident, which names the first, when somebody closed that $what', ({ closedAt }) => {
  const system = createCorrelatedSystem();
  system.during(0, 2, [lost]);
  system.during(2, closedAt, []);
  close(system.state, 1, START + closedAt * MINUTE);
  system.during(WHEN_FORGOTTEN, WHEN_FORGOTTEN + 2, [lost]);

  expect(system.incidents().map(({ number, previous }) => [number, previous])).toEqual([
    [1, null],
    [2, 1],
  ]);
});

it('keeps what it lost before it was forgotten', () => {
  const system = createCorrelatedSystem();
  system.during(0, 2, [lost]);
  const [before] = system.incidents().map((incident) => incident.lost);
  system.during(2, WHEN_FORGOTTEN, []);
  system.during(WHEN_FORGOTTEN, WHEN_FORGOTTEN + 2, [lost]);

  const [after] = system.incidents().map((incident) => incident.lost);
  expect(after?.requests).toBeGreaterThanOrEqual(before?.requests ?? Number.POSITIVE_INFINITY);
  expect(after?.since).toBe(before?.since);
});
