import { isAtOnce } from './at-once.ts';
import { unansweredIn } from './episode.ts';
import type { Verdict } from './verdicts.ts';

/** Share of the lost requests that one cause must account for. */
const MOST_OF_IT = 0.75;

/**
 * A caller without client spans looks as if it failed or was slow itself. The callee is at fault if another caller
 * loses requests on the way to it at the same time, or suspects it too.
 *
 * @param odd verdicts that may explain others
 * @returns null: no other verdict confirms what this one suspects
 */
export function suspectedCallee(verdict: Verdict, odd: readonly Verdict[]): string | null {
  const suspects = [...verdict.episode.suspects.keys()].filter((place) => suspectsMostly(verdict, place));
  return suspects.find((place) => odd.some((other) => confirms(other, verdict, place))) ?? null;
}

function confirms(other: Verdict, verdict: Verdict, place: string): boolean {
  return (
    other !== verdict &&
    other.account.sender === verdict.account.sender &&
    isAtOnce(other, verdict) &&
    (losesOnTheWay(other, place, verdict) || looksAlike(other, verdict, place))
  );
}

/** Whether other callers than that of a verdict lose requests on the way to a place. */
function losesOnTheWay({ account, episode }: Verdict, place: string, verdict: Verdict): boolean {
  const { edges, requests } = episode;
  return (
    account.place === place &&
    unansweredIn(episode) >= MOST_OF_IT * requests &&
    (edges.get(verdict.account.place) ?? 0) < MOST_OF_IT * requests
  );
}

/** Whether another place than that of a verdict may have lost most of its requests at a callee. */
export function looksAlike(other: Verdict, verdict: Verdict, callee: string): boolean {
  return other.account.place !== verdict.account.place && suspectsMostly(other, callee);
}

function suspectsMostly({ episode }: Verdict, place: string): boolean {
  return (episode.suspects.get(place) ?? 0) >= MOST_OF_IT * episode.requests;
}
