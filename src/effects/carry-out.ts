/**
 * What a failed call means for its effect.
 *
 * - `overtaken`: the target refused it, because its state has changed since it was looked at. Nothing was done.
 * - `nothing done`: certainly; whether a repetition may succeed is another question.
 * - `unknown`: it may have been done, or may still be.
 */
export type Failure = 'overtaken' | 'nothing done' | 'unknown';

/** What to do about an effect. */
export type Decision<Seen, Result> =
  /** It is to be done, in the state that was seen. */
  | { readonly seen: Seen }
  /** Nothing has to be done. null: nothing is to be told either, or another process has taken it over. */
  | { readonly over: Result | null };

/**
 * One effect: something that is done outside the database, held by this process. How its target makes sure that it is done
 * once decides which of these methods say something:
 *
 * - *keyed*: the target carries out one of several calls with the same key;
 * - *findable*: `look` finds what an earlier attempt did, so `begin` stores the attempt before each call;
 * - neither: it is done at most twice, which its documentation says.
 *
 * A call that the network delays may reach the target after newer ones: it has a condition (what was seen), a key or a
 * deadline, so that it changes nothing then.
 *
 * @typeParam Done what the target answered
 * @typeParam Result what becomes of the effect
 */
export interface Effect<Seen, Done, Result> {
  /**
   * Reads the state of the target, or looks for what an earlier attempt left there. Then decides whether the effect is
   * still wanted, and not done yet.
   */
  look(): Promise<Decision<Seen, Result>>;
  /** Stores the attempt, so that whoever takes it over looks for it. @returns false: another process has taken it over */
  begin?(seen: Seen): Promise<boolean>;
  /** @param isLastTry it must not fail because the state changes all the time */
  call(seen: Seen, isLastTry: boolean): Promise<Done>;
  /** @returns null: it is not a failure of the target */
  failureOf(error: unknown): Failure | null;
  /** Forgets the attempt, which certainly did nothing. */
  end?(seen: Seen): Promise<void>;
  /** Looks again after an unclear end. @returns null: it is not seen; the next attempt looks again */
  lookAgain?(seen: Seen, error: unknown): Promise<Result | null>;
  /** Stores that it is done, with what follows from it. @returns null: another process has taken it over */
  settle(seen: Seen, done: Done): Promise<Result | null>;
}

/** Attempts at a call that is refused when the state has changed. */
const MOST_TRIES = 5;

/**
 * Carries out an effect that this process holds: look, still wanted?, store the attempt, call, look again after an unclear
 * end, settle. A process that dies between any two of these leaves an effect that another one takes over at the first.
 *
 * @returns null: nothing is to be told, or another process has taken it over
 * @throws what failed; the caller keeps the effect for later, or gives it up
 */
export async function carryOut<Seen, Done, Result>(
  effect: Effect<Seen, Done, Result>,
  triesLeft = MOST_TRIES,
): Promise<Result | null> {
  const decision = await effect.look();
  if ('over' in decision) {
    return decision.over;
  }
  const { seen } = decision;
  if ((await effect.begin?.(seen)) === false) {
    return null;
  }
  let done: Done;
  try {
    done = await effect.call(seen, triesLeft === 1);
  } catch (error) {
    const failure = effect.failureOf(error);
    if (failure === 'overtaken' && triesLeft > 1) {
      return carryOut(effect, triesLeft - 1);
    }
    if (failure === 'nothing done') {
      await effect.end?.(seen);
    }
    const found = failure === 'unknown' ? ((await effect.lookAgain?.(seen, error)) ?? null) : null;
    if (found === null) {
      throw error;
    }
    return found;
  }
  return effect.settle(seen, done);
}
