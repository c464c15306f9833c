import { expect, it } from 'vitest';
import { createCorrelatedSystem } from '../../../../test/support/correlated-system.ts';
import { lostAt } from '../../../../test/support/evidence.ts';

/** In minutes. Correlation forgets a silent incident after ten. */
const PAUSES = [2, 15, 60, 24 * 60];

it.each(PAUSES)('tells that a failure has ended before it forgets it, after a pause of %i minutes', (minutes) => {
  const system = createCorrelatedSystem();
  system.during(0, 2, [lostAt('payments')]);
  system.pauseUntil(2 + minutes);
  system.during(2 + minutes, 22 + minutes, []);

  expect(system.activities()).toEqual(['quiet']);
  expect(system.state.correlation.live.byNumber.size).toBe(0);
});
