import { expect, it } from 'vitest';
import { runAttacks, type Verdict } from '../../bench/attack/attack.ts';
import { QUICK_ATTACKS } from '../../bench/attack/attacks.ts';

it('holds against the quick attacks of npm run attack', { timeout: 60_000 }, async ({ signal }) => {
  const verdicts: Verdict[] = [];

  for await (const verdict of runAttacks(QUICK_ATTACKS, signal)) {
    verdicts.push(verdict);
  }

  expect(verdicts).toHaveLength(QUICK_ATTACKS.length);
  expect(verdicts.filter(({ isHeld }) => !isHeld)).toEqual([]);
});
