import { describe, expect, it } from 'vitest';
import { batched } from './batched.ts';

describe('calls that are made at about the same time', () => {
  it('are answered together, and those that come meanwhile in the next round', async () => {
    const rounds: (readonly number[])[] = [];
    const firstRound = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const double = batched(async (keys: readonly number[]) => {
      rounds.push(keys);
      began.resolve();
      await firstRound.promise;
      return keys.map((key) => 2 * key);
    });

    const early = [double(1), double(2)];
    await began.promise;
    const late = [double(3), double(4)];
    firstRound.resolve();

    expect(await Promise.all([...early, ...late])).toEqual([2, 4, 6, 8]);
    expect(rounds).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('are answered one by one where they cannot be answered together', async () => {
    const halve = batched<number, number>(
      async () => {
        throw new Error('one of them is odd');
      },
      async (key) => {
        if (key % 2 === 1) {
          throw new Error(`${key} is odd`);
        }
        return key / 2;
      },
    );

    const ended = await Promise.allSettled([halve(2), halve(3), halve(4)]);

    expect(ended).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new Error('3 is odd') },
      { status: 'fulfilled', value: 2 },
    ]);
  });

  it('all fail where none can be answered alone', async () => {
    const fail = batched<number, number>(async () => {
      throw new Error('away');
    });

    const ended = await Promise.allSettled([fail(1), fail(2)]);

    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
