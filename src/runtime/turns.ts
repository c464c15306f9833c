/** How long a task may run before the event loop serves other requests. */
const SLICE_MS = 20;

/**
 * One turn at a time, round-robin over the owners that wait, so that an owner with many tasks does not hold up the others.
 * Between two turns the event loop serves whatever else waits.
 */
export interface Turns {
  /** Resolves when it is the owner's turn. Disposing of the result ends the turn. */
  take(owner: string): Promise<Disposable>;
}

type Grant = () => void;

export function createTurns(): Turns {
  /** Owners in the order of their next turns. */
  const waiting = new Map<string, Grant[]>();
  let isTaken = false;

  function passOn(): void {
    const [next] = waiting;
    if (next === undefined) {
      isTaken = false;
      return;
    }
    const [owner, grants] = next;
    const grant = grants.shift();
    waiting.delete(owner);
    if (grants.length > 0) {
      waiting.set(owner, grants);
    }
    grant?.();
  }

  return {
    async take(owner) {
      if (isTaken) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const grants = waiting.get(owner) ?? [];
        grants.push(resolve);
        waiting.set(owner, grants);
        await promise;
      }
      isTaken = true;
      return { [Symbol.dispose]: () => void setImmediate(passOn) };
    },
  };
}

/**
 * Runs the steps in turns, so that long work does not block the event loop. A step should take a few milliseconds at most.
 *
 * @returns what the generator returns
 */
export async function runInTurns<Result>(steps: Generator<void, Result>, turns: Turns, owner: string): Promise<Result> {
  for (;;) {
    using _turn = await turns.take(owner);
    const endsAt = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done === true) {
        return step.value;
      }
    } while (performance.now() < endsAt);
  }
}
