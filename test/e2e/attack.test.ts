import { expect, it } from 'vitest';
import { runAttacks, type Verdict } from '../../bench/attack/attack.ts';
import { ATTACKS } from '../../bench/attack/attacks.ts';

it('holds against the quick attacks of npm run attack', { timeout: 60_000 }, async ({ signal }) => {
  const attacks = ATTACKS.filter(({ isQuick }) => isQuick);
  const verdicts: Verdict[] = [];

  for await (const verdict of runAttacks(attacks, signal)) {
    verdicts.push(verdict);
  }

  expect(verdicts).toHaveLength(attacks.length);
  expect(verdicts.filter(({ isHeld }) => !isHeld)).toEqual([]);
});
