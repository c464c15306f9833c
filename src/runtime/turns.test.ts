import { expect, it } from 'vitest';
import { createTurns, runInTurns } from './turns.ts';

it('gives turns to the owners one after the other, however many tasks each has', async () => {
  const turns = createTurns();
  const order: string[] = [];
  const work = async (owner: string) => {
    using _turn = await turns.take(owner);
    order.push(owner);
  };

  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(work));

  expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

it('serves other events between two turns', async () => {
  const turns = createTurns();
  const order: string[] = [];
  const work = async (name: string) => {
    using _turn = await turns.take(name);
    order.push(name);
    setImmediate(() => order.push(`event after ${name}`));
  };

  await Promise.all(['a', 'b'].map(work));

  expect(order).toEqual(['a', 'event after a', 'b']);
});

it('passes the turn on after a failure', async () => {
  const turns = createTurns();
  const fail = async () => {
    using _turn = await turns.take('a');
    throw new Error('broken');
  };

  const failed = fail();
  const next = turns.take('b');

  await expect(failed).rejects.toThrow('broken');
  await expect(next).resolves.toBeDefined();
});

it('interrupts long work for other events, and returns its result', async () => {
  function* work(): Generator<void, string> {
    while (!isInterrupted) {
      yield;
    }
    return 'done';
  }
  let isInterrupted = false;
  setImmediate(() => {
    isInterrupted = true;
  });

  await expect(runInTurns(work(), createTurns(), 'a')).resolves.toBe('done');
});
