import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createLoop } from './loop.ts';

const RETRY = { firstMs: 1_000, longestMs: 4_000 };

/** A loop whose timers fire when the test says so. */
function createTestLoop(step: (stopping: AbortSignal) => Promise<number>, options: { firstAfterMs?: number } = {}) {
  const delaysMs: number[] = [];
  const lines: string[] = [];
  let timer: (() => void) | null = null;
  const loop = createLoop({
    name: 'test',
    step,
    ...options,
    retry: RETRY,
    logger: pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) }),
    clock: {
      now: () => new Date(),
      after(ms, work) {
        delaysMs.push(ms);
        timer = work;
        return () => {
          timer = null;
        };
      },
    },
  });
  return {
    loop,
    delaysMs,
    lines,
    hasTimer: () => timer !== null,
    fire: async () => {
      timer?.();
      await setImmediate();
    },
  };
}

it('runs its step at the start and again after the delay that the step returns', async () => {
  let steps = 0;
  const { loop, delaysMs, fire } = createTestLoop(async () => {
    steps += 1;
    return steps * 100;
  });

  await setImmediate();
  const before = steps;
  loop.start();
  loop.start();
  await setImmediate();
  await fire();

  expect(before).toBe(0);
  expect([steps, delaysMs]).toEqual([2, [100, 200]]);
});

it('waits before its first step if it is told to, unless it is kicked or disposed of', async () => {
  let steps = 0;
  const step = async () => {
    steps += 1;
    return 100;
  };
  const waiting = createTestLoop(step, { firstAfterMs: 60_000 });
  waiting.loop.start();
  await setImmediate();
  const before = steps;
  await waiting.fire();
  const kicked = createTestLoop(step, { firstAfterMs: 60_000 });
  kicked.loop.start();
  kicked.loop.kick();
  await setImmediate();
  const ended = createTestLoop(step, { firstAfterMs: 60_000 });
  ended.loop.start();
  await ended.loop[Symbol.asyncDispose]();

  expect([before, steps, waiting.delaysMs]).toEqual([0, 2, [60_000, 100]]);
  expect([kicked.delaysMs, ended.hasTimer()]).toEqual([[60_000, 100], false]);
});

it('backs off while its step fails, logs the first failure only, and recovers', async () => {
  let steps = 0;
  const { loop, delaysMs, lines, fire } = createTestLoop(async () => {
    steps += 1;
    if (steps <= 4) {
      throw new Error(`failure ${steps}`);
    }
    return 7;
  });

  loop.start();
  await setImmediate();
  for (let times = 0; times < 4; times += 1) {
    await fire();
  }

  expect(delaysMs).toEqual([1_000, 2_000, 4_000, 4_000, 7]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('failure 1');
});

it('runs once more when it is kicked during a step, and never twice at the same time', async () => {
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const { loop, delaysMs } = createTestLoop(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
    return 100;
  });
  const end = async () => {
    ends.at(-1)?.();
    await setImmediate();
  };

  loop.start();
  loop.kick();
  loop.kick();
  await end();
  const kicked = ends.length;
  await end();

  expect([kicked, ends.length, most]).toEqual([2, 2, 1]);
  expect(delaysMs).toEqual([100]);
});

it('runs at once when it is kicked during its delay', async () => {
  let steps = 0;
  const { loop, delaysMs } = createTestLoop(async () => {
    steps += 1;
    return 60_000;
  });
  loop.kick();
  await setImmediate();
  const beforeStart = steps;
  loop.start();
  await setImmediate();

  loop.kick();
  await setImmediate();

  expect([beforeStart, steps, delaysMs.length]).toEqual([0, 2, 2]);
});

it('waits for the running step when it is disposed of, and runs no more', async () => {
  const order: string[] = [];
  const { promise: isEnded, resolve: end } = Promise.withResolvers<void>();
  const { loop, hasTimer } = createTestLoop(async (stopping) => {
    await isEnded;
    order.push(stopping.aborted ? 'step ended, aborted' : 'step ended');
    return 1;
  });
  loop.start();

  const disposed = loop[Symbol.asyncDispose]().then(() => order.push('disposed'));
  end();
  await disposed;
  loop.kick();
  await setImmediate();

  expect(order).toEqual(['step ended, aborted', 'disposed']);
  expect(hasTimer()).toBe(false);
});

it('does not log a step that fails because the loop stops', async () => {
  const { loop, lines } = createTestLoop(
    (stopping) =>
      new Promise((_resolve, reject) => {
        stopping.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  );
  loop.start();

  await loop[Symbol.asyncDispose]();

  expect(lines).toEqual([]);
});
