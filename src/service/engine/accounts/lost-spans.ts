import { AT_ONCE_MS } from './at-once.ts';
import { type Episode, leadsOver } from './episode.ts';
import type { Verdict } from './verdicts.ts';

/** Of the requests that a place loses, the most of which a service on their way may look at fault by lost spans. */
const MOST_BY_CHANCE = 0.2;

/**
 * Explains the few requests that services seem to lose on the way of those that are lost at another place. A few per cent of
 * all spans never come. Where the span that failed or was slow is missing, the one that waited for it looks at fault. Failures
 * that callers get over lose no request, with or without their spans.
 *
 * @param odd verdicts that may explain others
 * @returns the verdict that explains it, by verdict
 */
export function explainLostSpans(verdicts: readonly Verdict[], odd: readonly Verdict[]): Map<Verdict, Verdict> {
  const found = new Map<Verdict, Verdict>();
  for (const verdict of verdicts) {
    const { account, episode } = verdict;
    const explaining = odd.filter(
      (other) =>
        other.account.place !== account.place &&
        other.account.sender === account.sender &&
        (other.kind === 'harmed' || verdict.kind !== 'harmed') &&
        Math.abs(other.episode.since - episode.since) <= AT_ONCE_MS &&
        episode.requests <= MOST_BY_CHANCE * lostOver(other.episode, account.place) &&
        !isApart(episode, other.account.place),
    );
    const [most] = explaining.toSorted((a, b) => b.episode.requests - a.episode.requests);
    if (most !== undefined) {
      found.set(verdict, most);
    }
  }
  return found;
}

/** Whether what is lost at a place went well at another one, as its spans tell: then it is no loss of that one. */
function isApart({ wellAt, requests }: Episode, place: string): boolean {
  return (wellAt.get(place) ?? 0) > requests / 2;
}

/** Lost requests that came over a service. */
function lostOver({ paths }: Episode, service: string): number {
  return [...paths].reduce((sum, [path, count]) => sum + (leadsOver(path, service) ? count : 0), 0);
}
