import { hasMostlyFailed } from '../../../incident/harm.ts';
import { append } from '../bounded-map.ts';
import { accountKey } from './accounts.ts';
import { isAtOnce } from './at-once.ts';
import { causeOfLateAnswers } from './late-answers.ts';
import { lossesOf, soleCaller } from './lone-caller.ts';
import type { Verdict } from './verdicts.ts';

/** The one caller that loses most of what a place seems to lose; null: none does, or something else explains it. */
export function callerOf({ episode }: Verdict): string | null {
  const isExplained = episode.fate !== null || causeOfLateAnswers(episode) !== null;
  return isExplained ? null : soleCaller(lossesOf(episode));
}

/** Verdicts by the account key of their one caller. */
export type ByCaller = ReadonlyMap<string, readonly Verdict[]>;

/** @param odd verdicts that may explain others */
export function groupByCaller(odd: readonly Verdict[]): ByCaller {
  const byCaller = new Map<string, Verdict[]>();
  for (const verdict of odd) {
    const caller = callerOf(verdict);
    if (caller !== null) {
      append(byCaller, accountKey(verdict.account.sender, caller), verdict);
    }
  }
  return byCaller;
}

/** A fault of the caller affects all its callees alike. A verdict below this share of the worst is noise of its own. */
const ALIKE = 0.3;

/** What one caller loses on the way to several places at once and alike, a verdict included; empty: it does not. */
export function lostTogether(verdict: Verdict, caller: string, byCaller: ByCaller): Verdict[] {
  const losing = (byCaller.get(accountKey(verdict.account.sender, caller)) ?? []).filter((other) =>
    isAtOnce(other, verdict),
  );
  const highest = Math.max(...losing.map(shareOf));
  const group = losing.filter((other) => shareOf(other) >= ALIKE * highest && losesAlike(other, verdict));
  const places = new Set(group.map(({ account }) => account.place));
  return places.size >= 2 && group.includes(verdict) ? group : [];
}

function shareOf({ episode }: Verdict): number {
  return episode.requests / Math.max(episode.total, 1);
}

/** Both fail, or lose about as much time each time. */
function losesAlike({ episode: one }: Verdict, { episode: other }: Verdict): boolean {
  const [less = 0, more = 0] = [one, other]
    .map(({ extraMs, requests }) => extraMs / requests)
    .toSorted((a, b) => a - b);
  const bothFail = hasMostlyFailed(one) && hasMostlyFailed(other);
  return bothFail || less >= ALIKE * more;
}
