import { type Episode, leadsOver, WAY } from './episode.ts';
import type { Verdict } from './verdicts.ts';

/** Share of the lost requests that did not call the callee. */
const MOST_OF_IT = 0.75;
/** Share of the calls to a callee that are answered well, and fewest answers that tell it. */
const STILL_ANSWERS = 0.75;
const LEAST_ANSWERS = 4;
/** The callee fails before its callers give up on it; slots and late spans blur that. */
const BLUR_MS = 90_000;

/**
 * Explains failures of callers that do not call any more: a circuit breaker is open, or a pool is exhausted. The requests
 * that they lose do not reach a callee of theirs, and it is on the way of those that are lost at another place.
 *
 * @param odd verdicts that may explain others
 * @returns the verdict that explains it, by verdict
 */
export function explainFastFailures(verdicts: readonly Verdict[], odd: readonly Verdict[]): Map<Verdict, Verdict> {
  const found = new Map<Verdict, Verdict>();
  for (const verdict of verdicts) {
    const { account, episode } = verdict;
    const given = [...episode.notCalled].filter(([, count]) => count >= MOST_OF_IT * episode.requests);
    const silent = given.map(([callee]) => callee).filter((callee) => !stillAnswers(episode, callee));
    const steps = silent.map((callee) => `${callee}${WAY}${account.place}`);
    const explaining = steps.length === 0 ? [] : odd.filter((other) => explains(other, verdict, steps));
    const [surest] = explaining.toSorted((a, b) => b.significance - a.significance);
    if (surest !== undefined) {
      found.set(verdict, surest);
    }
  }
  return found;
}

/** A caller gives up on a callee after its calls have failed. One that answers it, though slowly, is no reason. */
function stillAnswers({ calledWell, calledInVain }: Episode, callee: string): boolean {
  const well = calledWell.get(callee) ?? 0;
  return well >= LEAST_ANSWERS && well >= STILL_ANSWERS * (well + (calledInVain.get(callee) ?? 0));
}

/** @param steps from a callee to the place of the verdict */
function explains(other: Verdict, verdict: Verdict, steps: readonly string[]): boolean {
  const { account, episode } = verdict;
  return (
    other.account.place !== account.place &&
    other.account.sender === account.sender &&
    other.episode.since <= episode.since + BLUR_MS &&
    !wasFoundBefore(verdict, other) &&
    steps.some((step) => [...other.episode.paths.keys()].some((path) => reaches(other, path, step)))
  );
}

/** Nobody gives up on a callee before it fails. */
function wasFoundBefore({ account, kind, isOpen }: Verdict, { episode }: Verdict): boolean {
  return isOpen && account.streams[kind].openedAt < episode.since;
}

/** A failure that callers got over is no reason to give up on others than the one that failed. */
function reaches({ kind }: Verdict, path: string, step: string): boolean {
  return kind === 'tolerated' ? `${path}${WAY}`.startsWith(`${step}${WAY}`) : leadsOver(path, step);
}
