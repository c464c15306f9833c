import { hasMostlyFailed } from '../../../incident/harm.ts';
import type { Fate } from '../../core/telemetry-item.ts';
import { append } from '../bounded-map.ts';
import type { Accounts } from './accounts.ts';
import { AT_ONCE_MS, sumOverPlaces } from './at-once.ts';
import { explainingCallee } from './callee-contrast.ts';
import { unansweredIn } from './episode.ts';
import { explainFastFailures } from './fast-failures.ts';
import { causeOfLateAnswers } from './late-answers.ts';
import { loneCaller, lossesOf, soleCaller } from './lone-caller.ts';
import { explainLostSpans } from './lost-spans.ts';
import { refusingCallees } from './refusals.ts';
import { findFates } from './shared-fate.ts';
import { findSharedServers } from './shared-server.ts';
import { isTelling, type Verdict } from './verdicts.ts';

/** A verdict, and the place that explains it. */
export interface Located {
  readonly verdict: Verdict;
  readonly place: string;
  /** Places that the verdicts would blame otherwise. */
  readonly explains: readonly string[];
  readonly significance: number;
  readonly isOpen: boolean;
  /** null: nothing is shared with other places. */
  readonly fate: Fate | null;
}

/** Share of the lost requests that one cause must account for. */
const MOST_OF_IT = 0.75;

/**
 * Finds the place that explains each verdict. If one caller alone loses requests on the way to several callees, or to
 * one that all others reach, the caller is at fault: its network, its name resolution or its connection pool.
 */
export function locate(verdicts: readonly Verdict[], { byKey }: Accounts): Located[] {
  const fates = new Map([...findSharedServers(verdicts), ...findFates(verdicts)]);
  for (const [{ episode }, fate] of fates) {
    episode.fate = fate;
  }
  const isAlive: IsAlive = (callee, { account, episode }) =>
    (byKey.get(`${account.sender}|${callee}`)?.lastWellAt ?? 0) > episode.lastAt - GONE_MS;
  const all = locateEach(verdicts, isAlive);
  const odd = verdicts.filter(isTelling);
  const explained = new Map([...explainLostSpans(verdicts, odd), ...explainFastFailures(verdicts, odd)]);
  const byVerdict = new Map(all.map((located) => [located.verdict, located]));
  return all.map((located): Located => {
    const explaining = byVerdict.get(lastOf(explained, located.verdict));
    const { account, episode } = located.verdict;
    if (
      explaining === undefined ||
      explaining === located ||
      explaining.place === account.place ||
      episode.fate !== null
    ) {
      return located;
    }
    episode.blamedPlace = explaining.place;
    return { ...located, place: explaining.place, explains: [account.place] };
  });
}

/** What explains a verdict at last: what explains it may be explained as well. */
function lastOf(explained: ReadonlyMap<Verdict, Verdict>, verdict: Verdict): Verdict {
  const seen = new Set<Verdict>();
  let last = verdict;
  for (let next = explained.get(last); next !== undefined && !seen.has(next); next = explained.get(last)) {
    seen.add(next);
    last = next;
  }
  return last;
}

/** A callee that went well this shortly before the last loss is not gone. */
const GONE_MS = 10_000;

/** Whether anybody else reaches a callee well while a place loses requests. */
type IsAlive = (callee: string, verdict: Verdict) => boolean;

function locateEach(verdicts: readonly Verdict[], isAlive: IsAlive): Located[] {
  const suspected = findSuspected(verdicts);
  const causes = new Map(verdicts.map((verdict) => [verdict, causeOfLateAnswers(verdict.episode)]));
  const callerOf = (verdict: Verdict) =>
    causes.get(verdict) === null && verdict.episode.fate === null ? soleCaller(lossesOf(verdict.episode)) : null;
  const byCaller = new Map<string, Verdict[]>();
  for (const verdict of verdicts) {
    const caller = callerOf(verdict);
    if (caller !== null && isTelling(verdict)) {
      const key = `${verdict.account.sender}|${caller}`;
      append(byCaller, key, verdict);
    }
  }
  const all = verdicts.map((verdict): Located => {
    const { account, episode } = verdict;
    const cause = episode.fate === null ? (causes.get(verdict) ?? null) : account.place;
    if (cause !== null) {
      return locatedAt(verdict, cause, [account.place]);
    }
    const caller = callerOf(verdict);
    const losing = (byCaller.get(`${account.sender}|${caller}`) ?? []).filter((other) => isAtOnce(other, verdict));
    const highest = Math.max(...losing.map(shareOf));
    const group = losing.filter((other) => shareOf(other) >= ALIKE * highest && losesAlike(other, verdict));
    const places = [...new Set(group.map((other) => other.account.place))].toSorted();
    if (caller !== null && places.length >= 2 && group.includes(verdict)) {
      const sumOfAll = sumOverPlaces(
        group,
        (other) => other,
        (other) => other.significance,
      );
      return { ...locatedAt(verdict, caller, places), significance: sumOfAll };
    }
    const alone = isTelling(verdict) && !episode.isSameFault ? loneCaller(lossesOf(episode)) : null;
    if (alone !== null && alone !== episode.blamedBefore && !othersSuspect(verdict, alone, verdicts)) {
      return locatedAt(verdict, alone, [account.place]);
    }
    const refusing = refusingCallee(verdict, isAlive);
    const contrasted = episode.isSameFault ? null : explainingCallee(episode.contrast);
    const callee = suspected.get(verdict) ?? contrasted ?? refusing ?? undefined;
    if (callee !== undefined) {
      return locatedAt(verdict, callee, [account.place]);
    }
    // Without a new explanation, the earlier place stays.
    return locatedAt(verdict, episode.blamedPlace ?? account.place, []);
  });
  // A place that loses requests of others is a fault of its own.
  const atFault = new Set(all.flatMap(({ verdict, place }) => (isTelling(verdict) ? [place] : [])));
  return all.map((located) => {
    const isExplained = (place: string) => place === located.verdict.account.place || !atFault.has(place);
    return { ...located, explains: located.explains.filter(isExplained) };
  });
}

/** @param explains places that the verdict would blame otherwise, beside the one that it blamed before */
function locatedAt(verdict: Verdict, place: string, explains: readonly string[]): Located {
  const { account, significance, isOpen, episode } = verdict;
  if (episode.blamedPlace !== place && (episode.blamedPlace !== null || place !== account.place)) {
    episode.blamedBefore = episode.blamedPlace;
    episode.blamedPlace = place;
  }
  const others = new Set([...explains, episode.blamedBefore ?? place]);
  return {
    verdict,
    place,
    explains: [...others].filter((other) => other !== place),
    significance,
    isOpen,
    fate: episode.fate,
  };
}

/** The callee that refuses the calls of a place; null: none does, or what seemed to has answered before more failures. */
function refusingCallee(verdict: Verdict, isAlive: IsAlive): string | null {
  const { episode } = verdict;
  const { refusedBy, refusals } = episode;
  if (refusedBy !== null && refusals.has(refusedBy)) {
    return refusedBy;
  }
  if (refusedBy !== null && episode.blamedPlace === refusedBy) {
    episode.blamedPlace = null;
  }
  episode.refusedBy = refusingCallees(refusals).find((callee) => !isAlive(callee, verdict)) ?? null;
  return episode.refusedBy;
}

/**
 * A caller without client spans looks as if it failed or was slow itself. The callee is at fault if another caller
 * loses requests on the way to it at the same time, or suspects it too.
 *
 * @returns the callee by verdict
 */
function findSuspected(verdicts: readonly Verdict[]): Map<Verdict, string> {
  const odd = verdicts.filter(isTelling);
  const found = new Map<Verdict, string>();
  for (const verdict of verdicts) {
    const suspects = [...verdict.episode.suspects].filter(
      ([, count]) => count >= MOST_OF_IT * verdict.episode.requests,
    );
    const confirmed = suspects.filter(([place]) =>
      odd.some(
        (other) =>
          other !== verdict &&
          other.account.sender === verdict.account.sender &&
          isAtOnce(other, verdict) &&
          (losesOnTheWay(other, place, verdict) || looksAlike(other, verdict, place)),
      ),
    );
    if (confirmed[0] !== undefined) {
      found.set(verdict, confirmed[0][0]);
    }
  }
  return found;
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

function looksAlike({ account, episode }: Verdict, verdict: Verdict, place: string): boolean {
  return account.place !== verdict.account.place && (episode.suspects.get(place) ?? 0) >= MOST_OF_IT * episode.requests;
}

/**
 * Whether another caller of the place than `caller` loses requests at the same time that may be lost there. Without client spans
 * it seems to lose them itself, and to reach the place well.
 */
function othersSuspect(verdict: Verdict, caller: string, verdicts: readonly Verdict[]): boolean {
  const { place, sender } = verdict.account;
  return verdicts.some(
    (other) =>
      other.account.sender === sender &&
      other.account.place !== caller &&
      isTelling(other) &&
      other.episode.since <= verdict.episode.since + AT_ONCE_MS &&
      looksAlike(other, verdict, place) &&
      !looksAlike(other, verdict, caller),
  );
}

/** A fault of the caller affects all its callees alike. A verdict below this share of the worst is noise of its own. */
const ALIKE = 0.3;

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

function isAtOnce(one: Verdict, other: Verdict): boolean {
  return Math.abs(one.episode.since - other.episode.since) <= AT_ONCE_MS;
}
