import { expect, it } from 'vitest';
import { type Attack, runAttacks, type Verdict } from '../../bench/attack/attack.ts';
import { bombAttacks } from '../../bench/attack/attacks/bombs.ts';
import { connectionAttacks } from '../../bench/attack/attacks/connections.ts';
import { correlationAttacks } from '../../bench/attack/attacks/correlation.ts';

it.each([
  ['connections', connectionAttacks],
  ['bombs', bombAttacks],
  ['telemetry that is made to stop correlation, also after kill -9', correlationAttacks],
])('holds against %s', async (_kind, attacks: readonly Attack[]) => {
  const { signal } = new AbortController();
  const quick = attacks.filter(({ isQuick }) => isQuick);

  const verdicts: Verdict[] = [];
  for await (const verdict of runAttacks(quick, signal)) {
    verdicts.push(verdict);
  }

  expect(verdicts.filter(({ isHeld }) => !isHeld)).toEqual([]);
  expect(verdicts.map(({ name }) => name)).toEqual(quick.map(({ name }) => name));
});
