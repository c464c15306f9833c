import { expect, it } from 'vitest';
import { type Attack, runAttacks, type Verdict } from '../../bench/attack/attack.ts';
import { QUICK_ATTACKS, QUICK_CORRELATION_ATTACKS } from '../../bench/attack/attacks.ts';

it('holds against the quick attacks of npm run attack', async ({ signal }) => {
  expect(await failing(QUICK_ATTACKS, signal)).toEqual([]);
});

it('holds against telemetry that is made to stop correlation, also after kill -9', async ({ signal }) => {
  expect(await failing(QUICK_CORRELATION_ATTACKS, signal)).toEqual([]);
});

/** @returns attacks against which the service did not hold, and those that were not run */
async function failing(attacks: readonly Attack[], signal: AbortSignal): Promise<readonly unknown[]> {
  const verdicts: Verdict[] = [];
  for await (const verdict of runAttacks(attacks, signal)) {
    verdicts.push(verdict);
  }
  return [...verdicts.filter(({ isHeld }) => !isHeld), ...attacks.slice(verdicts.length)];
}
