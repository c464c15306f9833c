import type { Evidence } from '../../core/evidence.ts';
import { LIMITS, MINUTE_MS } from '../constants.ts';
import { LINES, lastsUntil, seenAt } from '../evidence.ts';
import { type Neighbours, within } from '../graph/call-graph.ts';
import { namesIn } from '../judging/log-template.ts';
import { MAX_HOPS } from '../ranking/weights.ts';

/** When calls were last found to fail, by caller and callee. */
export type FailingCalls = Map<string, Map<string, number>>;

export function isFresh(lastAt: number, at: number): boolean {
  return at - lastAt <= MINUTE_MS;
}

/** A call that fails, with both of its ends known. */
export function isFailingCall({ family, peer, service }: Evidence): boolean {
  return (family === 'failed_calls' || family === 'failure_metric') && peer !== null && peer !== service;
}

/** @returns whether the call did not fail before, or not for a while */
export function addFailingCall(calls: FailingCalls, evidence: Evidence): boolean {
  const { service, peer } = evidence;
  const at = lastsUntil(evidence, seenAt(evidence));
  const callees = calls.get(service) ?? new Map<string, number>();
  const isFull = callees.size >= LIMITS.incidents || (callees.size === 0 && calls.size >= LIMITS.services);
  if (peer === null || isFull) {
    return false;
  }
  const lastAt = callees.get(peer) ?? Number.NEGATIVE_INFINITY;
  callees.set(peer, Math.max(lastAt, at));
  calls.set(service, callees);
  return !isFresh(lastAt, at);
}

export function forgetOldCalls(calls: FailingCalls, at: number): void {
  for (const [caller, callees] of calls) {
    for (const [callee, lastAt] of callees) {
      if (!isFresh(lastAt, at)) {
        callees.delete(callee);
      }
    }
    if (callees.size === 0) {
      calls.delete(caller);
    }
  }
}

/** Services that failing calls lead to from a caller: the failure of each explains that of the caller. */
export function failingFrom(calls: FailingCalls, caller: string, at: number): Set<string> {
  const reached = new Set<string>([caller]);
  let frontier = [caller];
  for (let hop = 0; hop < MAX_HOPS && frontier.length > 0; hop += 1) {
    const callees = frontier.flatMap((from) =>
      [...(calls.get(from) ?? [])].flatMap(([callee, lastAt]) => (isFresh(lastAt, at) ? [callee] : [])),
    );
    frontier = [...new Set(callees)].filter((callee) => !reached.has(callee));
    for (const callee of frontier) {
      reached.add(callee);
    }
  }
  reached.delete(caller);
  return reached;
}

/** Whether calls fail now all the way from a caller to a service. */
export function failsAlong(calls: FailingCalls, caller: string, service: string, at: number): boolean {
  return failingFrom(calls, caller, at).has(service);
}

/** When a call of any of the callers to a service was last found to fail. */
export function lastFailedAt(calls: FailingCalls, callers: readonly string[], service: string): number {
  return Math.max(
    Number.NEGATIVE_INFINITY,
    ...callers.map((caller) => calls.get(caller)?.get(service) ?? Number.NEGATIVE_INFINITY),
  );
}

/** Which services belong to the failure of a root: those whose evidence joins its incident. */
export interface Reach {
  readonly root: string;
  /** The root and its callers, direct or through others. */
  readonly victims: ReadonlySet<string>;
  /** Services that the root calls, directly or through others: each may turn out to be the root. */
  readonly suspects: ReadonlySet<string>;
  /** Version of the graph that it was found in. */
  readonly version: number;
}

/** @param otherRoots that belong to the same failure */
export function reachOf(root: string, graph: Neighbours, otherRoots: Iterable<string> = []): Reach {
  return {
    root,
    victims: new Set([root, ...otherRoots, ...within(root, graph.callers, MAX_HOPS).keys()]),
    suspects: new Set(within(root, graph.callees, MAX_HOPS).keys()),
    version: graph.version,
  };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** What an error line names besides its own service: it may be about a service that did not answer, or failed. */
export function namedIn({ family, service, example }: Evidence): ReadonlySet<string> {
  const names = LINES.has(family) && example !== undefined ? namesIn(example) : NO_NAMES;
  return names.has(service) ? NO_NAMES : names;
}
