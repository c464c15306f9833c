import type { Fate } from '../../core/telemetry-item.ts';
import { type Accounts, accountKey } from './accounts.ts';
import { AT_ONCE_MS, sumOverPlaces } from './at-once.ts';
import { explainingCallee } from './callee-contrast.ts';
import { type ByCaller, callerOf, groupByCaller, lostTogether } from './common-caller.ts';
import { explainFastFailures } from './fast-failures.ts';
import { causeOfLateAnswers } from './late-answers.ts';
import { loneCaller, lossesOf } from './lone-caller.ts';
import { explainLostSpans } from './lost-spans.ts';
import { refusingCallees } from './refusals.ts';
import { findFates } from './shared-fate.ts';
import { findSharedServers } from './shared-server.ts';
import { looksAlike, suspectedCallee } from './suspected-callee.ts';
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

/** What the rules know besides the verdict. */
interface Known {
  /** Verdicts that may explain others. */
  readonly odd: readonly Verdict[];
  readonly byCaller: ByCaller;
  /** Whether anybody reaches a callee well while a place loses requests. */
  readonly isAlive: (callee: string, verdict: Verdict) => boolean;
}

/** A callee that went well this shortly before the last loss is not gone. */
const GONE_MS = 10_000;

/** Finds the place that explains each verdict, and remembers it in the episode. */
export function locate(verdicts: readonly Verdict[], { byKey }: Accounts): Located[] {
  const fates = new Map([...findSharedServers(verdicts), ...findFates(verdicts)]);
  for (const [{ episode }, fate] of fates) {
    episode.fate = fate;
  }
  const odd = verdicts.filter(isTelling);
  const isAlive: Known['isAlive'] = (callee, { account, episode }) =>
    (byKey.get(accountKey(account.sender, callee))?.lastWellAt ?? 0) > episode.lastAt - GONE_MS;
  const known = { odd, byCaller: groupByCaller(odd), isAlive };
  const found = verdicts.map((verdict) => findPlace(verdict, known));
  const byVerdict = new Map(found.map((each) => [each.verdict, each]));
  const explained = new Map([...explainLostSpans(verdicts, odd), ...explainFastFailures(verdicts, odd)]);
  // A place that loses requests of others is a fault of its own.
  const atFault = new Set(found.filter(({ verdict }) => isTelling(verdict)).map(({ place }) => place));
  return found.map((each): Located => {
    const { verdict, significance } = each;
    const { account, episode, isOpen } = verdict;
    const last = byVerdict.get(lastOf(explained, verdict)) ?? each;
    const isExplained = last !== each && last.place !== account.place && episode.fate === null;
    const place = isExplained ? last.place : each.place;
    remember(each, place);
    const others = new Set([...each.explains, episode.blamedBefore ?? each.place]);
    const explains = isExplained
      ? [account.place]
      : [...others].filter((other) => other !== place && (other === account.place || !atFault.has(other)));
    return { verdict, place, explains, significance, isOpen, fate: episode.fate };
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

/** A place that explains verdicts. */
interface Cause {
  readonly place: string;
  /** Places that would be blamed otherwise. */
  readonly explains: readonly string[];
  readonly significance: number;
}

interface Found extends Cause {
  readonly verdict: Verdict;
  /** The place that explained it until now; null: none did, or what seemed to does not any more. */
  readonly before: string | null;
  /** See `Episode`. */
  readonly refusedBy: string | null;
}

/** The first rule that finds a place decides; those about callees come last. Without one, the earlier place stays. */
function findPlace(verdict: Verdict, known: Known): Found {
  const { account, episode, significance } = verdict;
  const cause =
    sharedFate(verdict) ?? lateAnswers(verdict) ?? commonCaller(verdict, known) ?? onlyCaller(verdict, known);
  if (cause !== null) {
    return { ...cause, verdict, before: episode.blamedPlace, refusedBy: episode.refusedBy };
  }
  const refusedBy = refusingCallee(verdict, known);
  const before =
    episode.blamedPlace === episode.refusedBy && episode.refusedBy !== refusedBy ? null : episode.blamedPlace;
  const callee = suspectedCallee(verdict, known.odd) ?? contrastedCallee(verdict) ?? refusedBy;
  const earlier = { place: before ?? account.place, explains: [], significance };
  return { ...(causeAt(callee, [verdict]) ?? earlier), verdict, before, refusedBy };
}

function causeAt(place: string | null, losing: readonly Verdict[]): Cause | null {
  if (place === null) {
    return null;
  }
  const explains = [...new Set(losing.map(({ account }) => account.place))].toSorted();
  const significance = sumOverPlaces(
    losing,
    (verdict) => verdict,
    (verdict) => verdict.significance,
  );
  return { place, explains, significance };
}

/** What places share that fail at once explains them, so that each keeps its own. */
function sharedFate(verdict: Verdict): Cause | null {
  return verdict.episode.fate === null ? null : causeAt(verdict.account.place, [verdict]);
}

function lateAnswers(verdict: Verdict): Cause | null {
  return causeAt(causeOfLateAnswers(verdict.episode), [verdict]);
}

/** A caller that loses requests on the way to several callees is at fault: its network, its name resolution or its pool. */
function commonCaller(verdict: Verdict, { byCaller }: Known): Cause | null {
  const caller = callerOf(verdict);
  const losing = caller === null ? [] : lostTogether(verdict, caller, byCaller);
  return losing.length === 0 ? null : causeAt(caller, losing);
}

/** So is one that alone loses them on the way to a place that all others reach. */
function onlyCaller(verdict: Verdict, { odd }: Known): Cause | null {
  const { episode } = verdict;
  const caller = isTelling(verdict) && !episode.isSameFault ? loneCaller(lossesOf(episode)) : null;
  const isCause = caller !== null && caller !== episode.blamedBefore && !othersSuspect(verdict, caller, odd);
  return isCause ? causeAt(caller, [verdict]) : null;
}

/**
 * Whether another caller of the place than `caller` loses requests at the same time that may be lost there. Without client spans
 * it seems to lose them itself, and to reach the place well.
 */
function othersSuspect(verdict: Verdict, caller: string, odd: readonly Verdict[]): boolean {
  const { place, sender } = verdict.account;
  return odd.some(
    (other) =>
      other.account.sender === sender &&
      other.account.place !== caller &&
      other.episode.since <= verdict.episode.since + AT_ONCE_MS &&
      looksAlike(other, verdict, place) &&
      !looksAlike(other, verdict, caller),
  );
}

function contrastedCallee({ episode }: Verdict): string | null {
  return episode.isSameFault ? null : explainingCallee(episode.contrast);
}

/** The callee that refuses the calls of a place; null: none does, or what seemed to has answered before more failures. */
function refusingCallee(verdict: Verdict, { isAlive }: Known): string | null {
  const { refusedBy, refusals } = verdict.episode;
  if (refusedBy !== null && refusals.has(refusedBy)) {
    return refusedBy;
  }
  return refusingCallees(refusals).find((callee) => !isAlive(callee, verdict)) ?? null;
}

/** @param place what explains it at last: the place that was found, or what explains that one */
function remember({ verdict: { account, episode }, place: found, before, refusedBy }: Found, place: string): void {
  const earlier = before ?? account.place;
  if (found !== earlier) {
    episode.blamedBefore = before;
  }
  episode.blamedPlace = place === earlier ? before : place;
  episode.refusedBy = refusedBy;
}
