import { sumCalls } from '../core/service-calls.ts';
import type { ServiceCall } from '../core/signal.ts';

/** Who calls whom. */
export interface CallGraph {
  calleesOf(service: string): ReadonlySet<string>;
  callersOf(service: string): ReadonlySet<string>;
  /** Zero calls when the pair was never seen. */
  callsBetween(from: string, to: string): ServiceCall;
  /** Whether calls lead from one service to the other in at most two hops. */
  leadsTo(from: string, to: string): boolean;
}

const NOBODY: ReadonlySet<string> = new Set();

/** @param calls a pair may come more than once: it is summed; a service's calls to itself are left out */
export function createCallGraph(calls: readonly ServiceCall[]): CallGraph {
  const callees = new Map<string, Set<string>>();
  const callers = new Map<string, Set<string>>();
  for (const { from, to } of calls.filter((call) => call.from !== call.to)) {
    link(callees, from, to);
    link(callers, to, from);
  }
  const sums = new Map(sumCalls(calls).map((sum) => [keyOf(sum.from, sum.to), sum]));
  const calleesOf = (service: string) => callees.get(service) ?? NOBODY;
  const callersOf = (service: string) => callers.get(service) ?? NOBODY;
  return {
    calleesOf,
    callersOf,
    callsBetween: (from, to) => sums.get(keyOf(from, to)) ?? { from, to, calls: 0, errors: 0 },
    leadsTo: (from, to) => calleesOf(from).has(to) || inBoth(calleesOf(from), callersOf(to)).length > 0,
  };
}

function keyOf(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

function link(graph: Map<string, Set<string>>, from: string, to: string): void {
  const known = graph.get(from) ?? new Set();
  graph.set(from, known.add(to));
}

export function inBoth(some: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  const [few, many] = some.size <= others.size ? [some, others] : [others, some];
  return [...few].filter((service) => many.has(service));
}
