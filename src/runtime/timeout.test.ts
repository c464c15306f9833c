import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { settlesWithin, withTimeout } from './timeout.ts';

test('work that takes too long is aborted', async () => {
  const late = withTimeout(5, (signal) => sleep(60_000, undefined, { signal }));

  await expect(late).rejects.toMatchObject({ cause: { name: 'TimeoutError', message: 'no answer within 0.005 s' } });
});

test.each([
  ['an answer', () => Promise.resolve('yes')],
  ['a failure', () => Promise.reject(new Error('no'))],
])('no timer is left after %s', async (_, work: () => Promise<string>) => {
  vi.useFakeTimers();
  try {
    await withTimeout(10_000, work).catch(() => undefined);

    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['resolved', () => Promise.resolve()],
  ['rejected', () => Promise.reject(new Error('no'))],
])('work that has %s has settled in time', async (_, work: () => Promise<void>) => {
  expect(await settlesWithin(10_000, work())).toBe(true);
});

test('work that never ends has not settled in time', async () => {
  expect(await settlesWithin(5, new Promise(() => undefined))).toBe(false);
});

test('work that fails after the timeout causes no unhandled rejection', async () => {
  const { promise: work, reject } = Promise.withResolvers<void>();

  const isInTime = await settlesWithin(5, work);
  reject(new Error('too late'));
  await sleep(0);

  expect(isInTime).toBe(false);
});
