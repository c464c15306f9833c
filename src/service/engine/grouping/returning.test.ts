import { expect, it } from 'vitest';
import { createCorrelatedSystem } from '../../../../test/support/correlated-system.ts';
import { evidence, lostAt } from '../../../../test/support/evidence.ts';
import { close } from '../engine.ts';

/** An error line that is certain, though no request is lost. */
const line = evidence({
  service: 'payments',
  family: 'new_error_log',
  subject: 'no merchant account',
  significance: 4,
});

it('is the same incident when its error line comes back after some minutes', () => {
  const system = createCorrelatedSystem();
  system.during(0, 2, [line]);
  system.during(7, 9, [line]);

  expect(system.incidents().map(({ root, activity }) => [root, activity])).toEqual([['payments', 'failing']]);
});

it.each([
  { what: 'another line', found: [evidence({ ...line, subject: 'disk full', fingerprint: 'disk full' })], at: 7 },
  { what: 'the line with lost requests', found: [line, lostAt('payments')], at: 7 },
  { what: 'the line after a long time', found: [line], at: 40 },
])('is another incident for $what', ({ found, at }) => {
  const system = createCorrelatedSystem();
  system.during(0, 2, [line]);
  system.during(at, at + 2, found);

  expect(system.incidents().map(({ root }) => root)).toEqual(['payments', 'payments']);
});

it('is another incident when somebody closed the first one', () => {
  const system = createCorrelatedSystem();
  system.during(0, 2, [line]);
  for (const { number } of system.incidents()) {
    close(system.state, number, 0);
  }
  system.during(7, 9, [line]);

  expect(system.incidents()).toHaveLength(2);
});
