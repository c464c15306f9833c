import { sumCalls } from '../core/service-calls.ts';
import type { ServiceCall } from '../core/signal.ts';

/** Calls between services. */
export interface CallGraph {
  readonly calleesOf: (service: string) => ReadonlySet<string>;
  readonly callersOf: (service: string) => ReadonlySet<string>;
  /** Zero calls for an unknown pair. */
  readonly callsBetween: (from: string, to: string) => ServiceCall;
}

const NOBODY: ReadonlySet<string> = new Set();

/** @param calls repeated pairs are summed; calls of a service to itself are ignored */
export function createCallGraph(calls: readonly ServiceCall[]): CallGraph {
  const callees = new Map<string, Set<string>>();
  const callers = new Map<string, Set<string>>();
  for (const { from, to } of calls.filter((call) => call.from !== call.to)) {
    link(callees, from, to);
    link(callers, to, from);
  }
  const sums = new Map(sumCalls(calls).map((sum) => [keyOf(sum.from, sum.to), sum]));
  return {
    calleesOf: (service) => callees.get(service) ?? NOBODY,
    callersOf: (service) => callers.get(service) ?? NOBODY,
    callsBetween: (from, to) => sums.get(keyOf(from, to)) ?? { from, to, calls: 0, errors: 0 },
  };
}

function keyOf(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

function link(graph: Map<string, Set<string>>, from: string, to: string): void {
  const known = graph.get(from) ?? new Set();
  graph.set(from, known.add(to));
}

/**
 * Services at most two calls away.
 *
 * @param neighboursOf `calleesOf` to follow the calls, `callersOf` to follow them backwards
 */
export function withinTwoHops(service: string, neighboursOf: (service: string) => ReadonlySet<string>): string[] {
  const neighbours = [...neighboursOf(service)];
  return [...neighbours, ...neighbours.flatMap((neighbour) => [...neighboursOf(neighbour)])];
}
