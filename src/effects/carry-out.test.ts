import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.ts';
import { carryOut, type Effect } from './carry-out.ts';

const OUTCOMES = ['works', 'works, answer lost', 'works later', 'does not happen'] as const;
type Outcome = (typeof OUTCOMES)[number];

const event = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim') }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('step'), outcome: fc.constantFrom(...OUTCOMES) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash'), outcome: fc.constantFrom(...OUTCOMES) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('a late call arrives') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('something else changes') }) },
);
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

class CallError extends Error {
  readonly failure: 'overtaken' | 'unknown';
  constructor(failure: CallError['failure']) {
    super(failure);
    this.failure = failure;
  }
}

/** What a partner does so that nothing is done twice. */
type Means = 'key' | 'condition' | 'search' | 'nothing';

/** One effect, the process that holds it, and a partner that answers, answers late, or not. */
function createModel(means: Means) {
  /** Times at which it was done. */
  let done = 0;
  /** How often anything has changed at the partner. */
  let version = 0;
  const keys = new Set<string>();
  const late: (() => void)[] = [];
  const row = { isSettled: false, attempts: 0, calls: 0 };
  let waiting: {
    run: () => unknown;
    isCall: boolean;
    resolve: (value: unknown) => void;
    reject: (error: Error) => void;
  } | null = null;
  let holder = {};

  function receive(condition: number): void {
    if (means === 'key' && keys.has('k')) {
      return;
    }
    if (means === 'condition' && condition !== version) {
      throw new CallError('overtaken');
    }
    keys.add('k');
    done += 1;
    version += 1;
  }

  function claim(): void {
    if (waiting !== null || row.isSettled) {
      return;
    }
    const mine = {};
    holder = mine;
    const step = <Result>(run: () => Result, isCall = false) =>
      new Promise<unknown>((resolve, reject) => {
        waiting = { run, isCall, resolve, reject };
      }) as Promise<Result>;
    const isSeen = () => means !== 'nothing' && means !== 'key' && row.attempts > 0 && done > 0;
    const settled = () =>
      step(() => {
        row.isSettled = true;
        return 'done' as const;
      });
    const effect: Effect<number, void, 'done'> = {
      async look() {
        const seen = await step(() => ({ version, isDone: isSeen() }));
        return seen.isDone ? { over: await settled() } : { seen: seen.version };
      },
      begin: () =>
        step(() => {
          row.attempts += 1;
          return true;
        }),
      call: (seen) => {
        row.calls += 1;
        return step(() => receive(seen), true);
      },
      failureOf: (error) => (error instanceof CallError ? error.failure : null),
      lookAgain: async () => ((await step(isSeen)) ? settled() : null),
      settle: settled,
    };
    void carryOut(effect)
      .catch(() => undefined) // the next claim repeats it
      .finally(() => {
        if (holder === mine) {
          waiting = null;
        }
      });
  }

  function happen(outcome: Outcome, isAlive: boolean): void {
    const effect = waiting;
    waiting = null;
    if (effect === null) {
      return;
    }
    const { run, isCall, resolve, reject } = effect;
    try {
      if (!isCall || outcome === 'works' || outcome === 'works, answer lost') {
        const result = isAlive || isCall || outcome === 'works' ? run() : null;
        if (isAlive && (!isCall || outcome === 'works')) {
          resolve(result);
          return;
        }
      } else if (outcome === 'works later' && means !== 'search') {
        late.push(run as () => void);
      }
      if (isAlive) {
        reject(new CallError('unknown'));
      }
    } catch (error) {
      if (isAlive) {
        reject(error as Error);
      }
    }
  }

  async function next(each: Event): Promise<void> {
    if (each.kind === 'claim') {
      claim();
    } else if (each.kind === 'step') {
      happen(each.outcome, true);
    } else if (each.kind === 'crash') {
      holder = {};
      happen(each.outcome, false);
    } else if (each.kind === 'a late call arrives') {
      try {
        late.shift()?.();
      } catch {
        // refused, and nobody waits for the answer
      }
    } else {
      version += 1;
    }
    await setImmediate();
  }

  return { next, row, done: () => done };
}

const SETTLING: readonly Event[] = [
  ...Array.from({ length: 60 }, (): Event => ({ kind: 'a late call arrives' })),
  ...Array.from({ length: 40 }, (): Event[] => [
    { kind: 'claim' },
    ...Array(8).fill({ kind: 'step', outcome: 'works' }),
  ]).flat(),
];

async function run(means: Means, happening: readonly Event[]) {
  const model = createModel(means);
  for (const each of [...happening, ...SETTLING]) {
    await model.next(each);
  }
  return model;
}

const events = fc.array(event, { maxLength: 50, size: 'max' });
const RUNS = { numRuns: runs(300), seed: 20_261_128 };

describe('an effect whose process may die between any two steps', () => {
  it.each(['key', 'condition', 'search'] as const)('is done exactly once by a partner with a %s', async (means) => {
    await fc.assert(
      fc.asyncProperty(events, async (happening) => {
        const { done, row } = await run(means, happening);

        expect([done(), row.isSettled]).toEqual([1, true]);
      }),
      RUNS,
    );
  });

  it('is done again by a partner without any of these, but by no more calls than were made', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (happening) => {
        const { done, row } = await run('nothing', happening);

        expect(done()).toBeGreaterThanOrEqual(1);
        expect(done()).toBeLessThanOrEqual(row.calls);
      }),
      RUNS,
    );
  });
});
