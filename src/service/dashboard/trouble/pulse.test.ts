import { expect, it, vi } from 'vitest';
import { HANG_MS } from '../../../../test/support/hang.ts';
import { createPulse } from './pulse.ts';

it('notifies all watchers when the database stops answering, and when it answers again', async () => {
  let answer: () => Promise<unknown> = async () => undefined;
  const pulse = createPulse(() => answer(), 5, 5);
  const told: boolean[] = [];
  const later: boolean[] = [];

  const stop = pulse.watch((isWell) => told.push(isWell));
  await vi.waitUntil(() => told.length === 1, { timeout: HANG_MS });
  answer = () => new Promise(() => undefined);
  await vi.waitUntil(() => told.length === 2, { timeout: HANG_MS });
  const stopLater = pulse.watch((isWell) => later.push(isWell));
  answer = async () => undefined;
  await vi.waitUntil(() => told.length === 3, { timeout: HANG_MS });
  stop();
  stopLater();

  expect(told).toEqual([true, false, true]);
  expect(later).toEqual([false, true]);
});
