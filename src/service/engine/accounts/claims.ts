import { serverOf } from '../../core/peer.ts';
import { FATEFUL, type Fate, type Fateful } from '../../core/telemetry-item.ts';
import { increase, sumOf } from '../bounded-map.ts';
import { LEAST_ANSWERS, LIMITS, SMALL_SHARE, TINY_SHARE } from '../constants.ts';
import { lossOf } from '../requests/blame.ts';
import type { SpanNode } from '../requests/request-tree.ts';
import type { UsualTimes } from '../requests/usual-times.ts';
import { type Accounts, accountKey } from './accounts.ts';
import { type ComparedRequests, FROM, sidesOf, totalsOf, toWhereabouts, valuesOf } from './compared-requests.ts';
import { GONE_MS, LATE_SHARE, LOST_SPANS, MOSTLY, SHOWS } from './constants.ts';
import { allLosses, type Episode, leadsOver, unansweredIn } from './episode.ts';
import { contrast } from './likelihood.ts';
import { calleesIn, hasAnsweredLost, logOfCallee } from './run-counts.ts';
import { isTelling, type Verdict } from './verdicts.ts';

/** A possible cause of the requests that a place loses: another place, or a host, zone, pod or server that several places share. */
export type Cause = PlaceCause | { readonly fate: Fate };

interface PlaceCause {
  readonly place: string;
  /** It loses requests on the way to its callees. Requests that it loses by itself do not count for this cause. */
  readonly isCaller?: true;
}

/**
 * One piece of evidence for a cause. `gain` is a log-likelihood ratio: how much better the cause explains which requests were lost at
 * the place, and which were not, than a fault of the place itself.
 */
export interface Claim {
  readonly verdict: Verdict;
  readonly cause: Cause;
  readonly gain: number;
  /** The service that runs at the host, zone or pod of the cause. Absent: the place does. */
  readonly ranThere?: string | undefined;
}

/** All that claims are computed from, besides the verdict. */
interface Known {
  readonly verdicts: readonly Verdict[];
  readonly byKey: Accounts['byKey'];
}

type ClaimsOf = (verdict: Verdict, known: Known) => Claim[];

export const CLAIMS: Readonly<Record<Term, ClaimsOf>> = {
  callers: ofCallers,
  callees: ofCallees,
  'late answers': ofLateAnswers,
  'lost spans': ofLostSpans,
  servers: ofServer,
  where: ofWhere,
};

/**
 * A caller is the cause if its requests to the place are lost, and those of other callers are not: its network, credentials or
 * connection pool failed, or it asks for something else. Losses of callers without client spans are counted at the callers themselves,
 * so they are added to the others' losses here.
 */
function ofCallers(verdict: Verdict, { verdicts }: Known): Claim[] {
  const { account, episode } = verdict;
  const { edges, seenCallers, requests } = allLosses(episode);
  if (unansweredIn(episode) < MOSTLY * episode.requests) {
    return [];
  }
  const mayLoseThere = ({ account: other, episode: { runs } }: Verdict) =>
    other.sender === account.sender && calleesIn(runs).has(account.place);
  const elsewhere = verdicts.filter(mayLoseThere);
  return [...edges].flatMap(([place, lost]): Claim[] => {
    if (place === '') {
      return [];
    }
    const seen = seenCallers.get(place) ?? 0;
    const own = { lost, well: Math.max(0, seen - lost) };
    const hidden = elsewhere.filter(({ account: other }) => other.place !== place);
    const others = {
      lost: Math.max(0, requests - lost) + hidden.reduce((sum, other) => sum + other.episode.requests, 0),
      well: Math.max(0, sumOf(seenCallers) - seen - (requests - lost)),
    };
    return [{ verdict, cause: { place, isCaller: true }, gain: contrast(own, others) }];
  });
}

/** A callee is the cause if the runs that call it are lost, and no others. For places whose calls have no client spans. */
function ofCallees(verdict: Verdict, { byKey }: Known): Claim[] {
  const { account, episode } = verdict;
  return [...calleesIn(episode.runs)].flatMap((place): Claim[] => {
    const wellAt = byKey.get(accountKey(account.sender, place))?.lastWellAt ?? 0;
    const answersOthersOnly = wellAt > episode.lastAt - GONE_MS && !hasAnsweredLost(episode.runs, place);
    return answersOthersOnly ? [] : [{ verdict, cause: { place }, gain: logOfCallee(episode.runs, place) }];
  });
}

function ofLateAnswers(verdict: Verdict): Claim[] {
  const place = causeOfLateAnswers(verdict.episode);
  const answers = verdict.episode.lateAnswers.places.get(place ?? '') ?? 0;
  return place === null ? [] : [{ verdict, cause: { place }, gain: SHOWS * answers }];
}

/**
 * A place that is reached through this one, and loses requests, is the cause of the few that seem to be lost here: their spans at that
 * place got lost or are late, so the caller that waited looks at fault.
 */
function ofLostSpans(verdict: Verdict, { verdicts }: Known): Claim[] {
  const { account, episode, kind } = verdict;
  return verdicts.flatMap((other): Claim[] => {
    const { place, sender } = other.account;
    const mayLeak = isTelling(other) && sender === account.sender && (other.kind === 'harmed' || kind !== 'harmed');
    if (!mayLeak || place === account.place || isApart(episode, place)) {
      return [];
    }
    const over = [...other.episode.paths].reduce(
      (sum, [path, count]) => sum + (leadsOver(path, account.place) ? count : 0),
      0,
    );
    return over === 0 || episode.requests > LOST_SPANS * over ? [] : [{ verdict, cause: { place }, gain: 0 }];
  });
}

/** Whether most requests of the episode were well at the other place, so that it did not lose them. */
function isApart({ wellAt, requests }: Episode, place: string): boolean {
  return (wellAt.get(place) ?? 0) > requests / 2;
}

/** The server of a database or the broker of a queue may be the cause. It sends no telemetry, so only its several databases show it. */
function ofServer(verdict: Verdict): Claim[] {
  const { account, episode } = verdict;
  const value = serverOf(account.place);
  return value === null || unansweredIn(episode) < MOSTLY * episode.requests
    ? []
    : [{ verdict, cause: { fate: { attribute: 'server', value, isSilent: true } }, gain: 0 }];
}

/**
 * A host, zone or pod is the cause if the place loses requests only there, or stopped answering only from there, or if its callers get
 * no answer only there.
 */
function ofWhere(verdict: Verdict): Claim[] {
  const { episode, account } = verdict;
  const keptShare = keptShareOf(account.compared);
  return FATEFUL.flatMap((attribute) => {
    const claim = (value: string, isSilent: boolean, gain: number): Claim => ({
      verdict,
      cause: { fate: { attribute, value, isSilent } },
      gain: keptShare * gain,
    });
    if (sumOf(countsOf(episode.lostWhere, attribute)) >= MOSTLY * episode.requests) {
      return contrastsOf(episode, attribute, '').map(({ value, gain }) => claim(value, false, gain));
    }
    if (unansweredIn(episode) < MOSTLY * episode.requests) {
      return [];
    }
    const ranThere = [...episode.edges.keys()].find((caller) => caller !== '');
    return [
      ...contrastsOf(episode, attribute, FROM).map(({ value, gain }) => ({ ...claim(value, false, gain), ranThere })),
      ...silentIn(account.compared, attribute, countsOf(episode.wellWhere, attribute)).map(({ value, gain }) =>
        claim(value, true, gain),
      ),
    ];
  });
}

function contrastsOf({ lostWhere, wellWhere }: Episode, attribute: Fateful, side: string) {
  const lost = countsOf(lostWhere, attribute, side);
  const well = countsOf(wellWhere, attribute, side);
  const all = { lost: sumOf(lost), well: sumOf(well) };
  return [...lost].map(([value, count]) => {
    const there = { lost: count, well: well.get(value) ?? 0 };
    return { value, gain: contrast(there, { lost: all.lost - count, well: all.well - there.well }) };
  });
}

/**
 * Values (such as hosts) that answered a share of the requests before, and hardly any now, with the log-likelihood ratio of each. Some
 * still answer, because the episode begins a little before all of its answers stop.
 */
function silentIn(compared: ComparedRequests, attribute: Fateful, well: ReadonlyMap<string, number>) {
  const before = new Map<string, number>();
  for (const side of sidesOf(compared)) {
    for (const [value, count] of valuesOf(side, attribute)?.byValue ?? []) {
      before.set(value, (before.get(value) ?? 0) + count);
    }
  }
  const answered = sumOf(well);
  const known = Math.max(1, sumOf(before) - answered);
  return [...before].flatMap(([value, count]) => {
    const there = well.get(value) ?? 0;
    const share = Math.min(1 - TINY_SHARE, Math.max(TINY_SHARE, (count - there) / known));
    const gone = (answered - there) * Math.log((1 - SMALL_SHARE * share) / (1 - share));
    const gain = there * Math.log(SMALL_SHARE) + gone;
    return gain > 0 || (gain === 0 && share === 1 - TINY_SHARE) ? [{ value, gain }] : [];
  });
}

/** Share of the requests that the senders' samplers kept. Counts are scaled up by the sampling, but are no more certain for it. */
function keptShareOf(compared: ComparedRequests): number {
  const { requests, kept } = totalsOf([...sidesOf(compared), compared.lost]);
  return kept / Math.max(1, requests);
}

/** Counts of one attribute by value. */
function countsOf(counts: ReadonlyMap<string, number>, attribute: Fateful, side = ''): Map<string, number> {
  const prefix = toWhereabouts(attribute, '', side);
  return new Map(
    [...counts].flatMap(([where, count]) => (where.startsWith(prefix) ? [[where.slice(prefix.length), count]] : [])),
  );
}

/**
 * Terms of the weighing, see `explain`: what each tells of who lost requests and who did not. The laboratory can switch each off, to
 * measure what it is worth: `npm run bench:lab -- --terms`.
 */
export const TERMS = ['callers', 'callees', 'late answers', 'lost spans', 'servers', 'where'] as const;

export type Term = (typeof TERMS)[number];

const off = new Set<Term>();

/** For the whole process, instead of those that were switched off before. */
export function switchOff(terms: Iterable<Term>): void {
  off.clear();
  for (const term of terms) {
    off.add(term);
  }
}

export function isOn(term: Term): boolean {
  return !off.has(term);
}

/**
 * Records an answer that came after its request was judged: the caller had given up and the callee went on, or the callee
 * reports late. It seemed silent, so it, its caller, the network between them or another callee of that one might be blamed for
 * what another place lost.
 *
 * @param answer a late span whose caller was judged before
 */
export function noteLateAnswer({ byKey, lostBySpan }: Accounts, usual: UsualTimes, answer: SpanNode): void {
  const { span, sender } = answer;
  const account = byKey.get(lostBySpan.get(span.parentSpanId ?? '') ?? accountKey(sender, span.service));
  if (account === undefined || account.episodes.size === 0) {
    return;
  }
  const { blame: cause } = lossOf(usual, answer);
  if (cause !== null) {
    for (const { lateAnswers } of account.episodes.values()) {
      increase(lateAnswers.places, cause.place, span.weight ?? 1, LIMITS.few);
      increase(lateAnswers.kinds, cause.kind, span.weight ?? 1, LIMITS.few);
    }
  }
}

/** The place where most late answers failed or lost their time; null: too few came late. */
export function causeOfLateAnswers({ lateAnswers, requests }: Episode): string | null {
  const answers = sumOf(lateAnswers.places);
  if (answers < Math.max(LEAST_ANSWERS, LATE_SHARE * requests)) {
    return null;
  }
  return [...lateAnswers.places].find(([, count]) => count >= MOSTLY * answers)?.[0] ?? null;
}
