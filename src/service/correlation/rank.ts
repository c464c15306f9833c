import { peerService } from '../core/judge-spans.ts';
import type { StoredSignal } from '../core/signal.ts';
import type { CallGraph } from './call-graph.ts';

/** A possible root of an incident. */
export interface Candidate {
  readonly service: string;
  /** Empty when it reports nothing itself, but all its callers report that it fails. */
  readonly signals: readonly StoredSignal[];
  /** Failed calls to it, reported by others. */
  readonly complaints: readonly StoredSignal[];
  /** Failing services whose calls lead to it. */
  readonly explains: readonly string[];
  /** No failing service is behind it, except in a cycle. */
  readonly isDeepest: boolean;
  /** Share of the evidence, 0 to 1. All scores add up to 1. */
  readonly score: number;
}

/** Credit for a failing caller whose calls are not known to fail; otherwise the credit is 1. */
const DOUBTFUL_CREDIT = 0.5;
/** Evidence of a service that is only slow; a failure counts 1. */
const SLOW_EVIDENCE = 0.5;
/** Factor for a service with a failing service behind it. */
const PASSED_ON = 0.5;

type Draft = Omit<Candidate, 'score'> & { readonly weight: number };

/**
 * Possible roots, the most likely first. Deepest failing services come first, then those that explain the most callers
 * (and are not only slow), then those that failed first, then those that failed most often.
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
  // A service that is only slow explains failures of a caller only if the calls themselves fail.
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
    const evidence = (isOnlySlow(service) ? SLOW_EVIDENCE : 1) + sure + DOUBTFUL_CREDIT * (explains.length - sure);
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

/** First failure of the service, or first failed call to it; in milliseconds. */
export function firstSeenAt({ signals, complaints }: Pick<Candidate, 'signals' | 'complaints'>): number {
  const relevant = signals.length > 0 ? signals : complaints;
  return relevant.reduce((first, { observedAt }) => Math.min(first, observedAt.getTime()), Number.POSITIVE_INFINITY);
}

export function countOccurrences(signals: readonly StoredSignal[]): number {
  return signals.reduce((sum, { occurrences }) => sum + occurrences, 0);
}

/** All services reachable by the calls. Contains `start` only in a cycle. */
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

/** Failed calls by the callee that the caller names. A 4xx is the caller's own error. */
function findComplaints(signals: readonly StoredSignal[]): ReadonlyMap<string, StoredSignal[]> {
  const failedCalls = signals.filter(({ type, attributes, service }) => {
    const status = Number(attributes['http.response.status_code'] ?? 0);
    const peer = peerService(attributes);
    return type === 'trace' && peer !== '' && peer !== service && !(status >= 400 && status < 500);
  });
  return Map.groupBy(failedCalls, ({ attributes }) => peerService(attributes));
}

/**
 * Whether a service that reports nothing fails nevertheless, because it is down or not instrumented. Every known caller
 * must report failed calls to it, and few other failures.
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
