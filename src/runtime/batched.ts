import { setImmediate } from 'node:timers/promises';

/** Calls that are answered at a time. */
const MOST = 100;

interface Waiting<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value | PromiseLike<Value>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers calls that are made at about the same time together: those that come while others are answered wait for the
 * next round. A caller sees nothing of that, so what handles one thing needs no second form for many.
 *
 * @param answerAll answers in the order of the keys, or changes nothing and throws
 * @param answerOne in place of `answerAll` for a call alone, and for each call of a round that failed: one that cannot be
 *   answered, or has to wait, does no harm to others. Absent: all fail
 */
export function batched<Key, Value>(
  answerAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
  answerOne?: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  let waiting: Waiting<Key, Value>[] = [];
  let isRunning = false;

  async function answer(round: readonly Waiting<Key, Value>[]): Promise<void> {
    const [first] = round;
    if (first !== undefined && round.length === 1 && answerOne !== undefined) {
      first.resolve(answerOne(first.key));
      return;
    }
    try {
      const values = await answerAll(round.map(({ key }) => key));
      for (const [index, { resolve }] of round.entries()) {
        resolve(values[index] as Value);
      }
    } catch (error) {
      for (const { key, resolve, reject } of round) {
        if (answerOne === undefined) {
          reject(error);
        } else {
          resolve(answerOne(key));
        }
      }
    }
  }

  async function run(): Promise<void> {
    await setImmediate();
    while (waiting.length > 0) {
      const round = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      await answer(round);
    }
    isRunning = false;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (!isRunning) {
        isRunning = true;
        void run();
      }
    });
}
