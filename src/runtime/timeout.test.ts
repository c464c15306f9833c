import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { withTimeout } from './timeout.ts';

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
