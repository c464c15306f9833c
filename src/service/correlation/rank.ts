import { peerService } from '../core/peer-service.ts';
import type { StoredSignal } from '../core/signal.ts';
import type { CallGraph } from './call-graph.ts';

/** A service that may be the root of an incident. */
export interface Candidate {
  readonly service: string;
  /** Empty: it says nothing itself, but all that call it say that it fails. */
  readonly signals: readonly StoredSignal[];
  /** What others say of it: their failed calls to it. */
  readonly complaints: readonly StoredSignal[];
  /** Failing services whose calls lead to it. */
  readonly explains: readonly string[];
  /** It fails, and no failing service is behind it (but those that call it in a circle). */
  readonly isDeepest: boolean;
  /** Share of the evidence, 0 to 1; all candidates together have 1. */
  readonly score: number;
}

/** What a failing caller counts that is not known to fail by its calls; else it counts 1. */
const DOUBTFUL_CREDIT = 0.5;
/** A failure of its own speaks for a service with 1, being merely slow with this. */
const MERELY_SLOW = 0.5;
/** What a service has left of its weight when another one behind it fails. */
const PASSED_ON = 0.5;

type Draft = Omit<Candidate, 'score'> & { readonly weight: number };

/**
 * The services that may be the root, the likeliest first: the deepest failing one, of several the one that explains
 * the most callers (and is not merely slow), then the one that failed first, then the one that failed most.
 *
 * @param signals at least one
 */
export function rankServices(signals: readonly StoredSignal[], graph: CallGraph): [Candidate, ...Candidate[]] {
  const drafts = draftCandidates(signals, graph).toSorted(likelierFirst);
  const total = drafts.reduce((sum, { weight }) => sum + weight, 0);
  const [root, ...rest] = drafts.map(({ weight, ...draft }) => ({ ...draft, score: weight / total }));
  if (root === undefined) {
    throw new RangeError('an incident has at least one signal');
  }
  return [root, ...rest];
}

function draftCandidates(signals: readonly StoredSignal[], graph: CallGraph): Draft[] {
  const ownSignals = Map.groupBy(signals, ({ service }) => service);
  const complaints = findComplaints(signals);
  const silent = [...complaints.keys()].filter((peer) => isSilentFailure(peer, ownSignals, complaints, graph));
  const services = [...ownSignals.keys(), ...silent];

  const isKnownToFail = (from: string, to: string) =>
    graph.callsBetween(from, to).errors > 0 || (complaints.get(to)?.some(({ service }) => service === from) ?? false);
  const isOnlySlow = (service: string) => ownSignals.get(service)?.every(({ type }) => type === 'metric') ?? false;
  // A service that is merely slow is behind the failures of a caller only if the calls themselves fail.
  const isBehind = (from: string, to: string) =>
    isKnownToFail(from, to) || (graph.calleesOf(from).has(to) && (!isOnlySlow(to) || isOnlySlow(from)));
  const calleesOf = (from: string) => services.filter((to) => to !== from && isBehind(from, to));
  const callees = new Map(services.map((from) => [from, calleesOf(from)]));
  const failing = new Map(
    services.map((from) => [from, callees.get(from)?.filter((to) => isKnownToFail(from, to)) ?? []]),
  );
  const reached = new Map(services.map((service) => [service, reach(service, callees)]));
  const reachedByFailures = new Map(services.map((service) => [service, reach(service, failing)]));

  return services.map((service) => {
    const explains = services.filter((other) => other !== service && reached.get(other)?.has(service));
    const sure = explains.filter((other) => reachedByFailures.get(other)?.has(service)).length;
    const isDeepest = [...(reached.get(service) ?? [])].every((other) => reached.get(other)?.has(service));
    const evidence = (isOnlySlow(service) ? MERELY_SLOW : 1) + sure + DOUBTFUL_CREDIT * (explains.length - sure);
    return {
      service,
      signals: ownSignals.get(service) ?? [],
      complaints: complaints.get(service) ?? [],
      explains,
      isDeepest,
      weight: isDeepest ? evidence : evidence * PASSED_ON,
    };
  });
}

function likelierFirst(a: Draft, b: Draft): number {
  return (
    Number(b.isDeepest) - Number(a.isDeepest) ||
    b.weight - a.weight ||
    firstSeenAt(a) - firstSeenAt(b) ||
    countOccurrences(b.signals) - countOccurrences(a.signals) ||
    (a.service < b.service ? -1 : 1)
  );
}

/** When the service, or one that complains of it, was first seen to fail; in milliseconds. */
export function firstSeenAt({ signals, complaints }: Pick<Candidate, 'signals' | 'complaints'>): number {
  const telling = signals.length > 0 ? signals : complaints;
  return telling.reduce((first, { observedAt }) => Math.min(first, observedAt.getTime()), Number.POSITIVE_INFINITY);
}

export function countOccurrences(signals: readonly StoredSignal[]): number {
  return signals.reduce((sum, { occurrences }) => sum + occurrences, 0);
}

/** All that can be reached by the given calls; a service itself only in a circle. */
function reach(start: string, callees: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...(callees.get(start) ?? [])];
  for (let service = open.pop(); service !== undefined; service = open.pop()) {
    if (!reached.has(service)) {
      reached.add(service);
      open.push(...(callees.get(service) ?? []));
    }
  }
  return reached;
}

/** Failed calls by whom they were made to, as far as callers name it. A 4xx is the caller's own failure. */
function findComplaints(signals: readonly StoredSignal[]): ReadonlyMap<string, StoredSignal[]> {
  const failedCalls = signals.filter(({ type, attributes, service }) => {
    const status = Number(attributes['http.response.status_code'] ?? 0);
    const peer = peerService(attributes);
    return type === 'trace' && peer !== '' && peer !== service && !(status >= 400 && status < 500);
  });
  return Map.groupBy(failedCalls, ({ attributes }) => peerService(attributes));
}

/**
 * Whether a service that says nothing fails all the same: it is dead, or it is not instrumented. Every service known to
 * call it must complain of it, and of little else.
 */
function isSilentFailure(
  peer: string,
  ownSignals: ReadonlyMap<string, readonly StoredSignal[]>,
  complaints: ReadonlyMap<string, readonly StoredSignal[]>,
  graph: CallGraph,
): boolean {
  if (ownSignals.has(peer)) {
    return false;
  }
  const byCaller = Map.groupBy(complaints.get(peer) ?? [], ({ service }) => service);
  return (
    [...graph.callersOf(peer)].every((caller) => byCaller.has(caller)) &&
    [...byCaller].every(([caller, ofPeer]) => {
      const traces = ownSignals.get(caller)?.filter(({ type }) => type === 'trace') ?? [];
      const most = Math.max(...traces.map(({ occurrences }) => occurrences));
      return 2 * countOccurrences(ofPeer) >= most;
    })
  );
}
