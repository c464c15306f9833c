import { type CallGraph, type Edge, edgesOf } from './call-graph.ts';

/** A smaller share of what a service answers is no way of its own, if its caller also reaches it over another service. */
const LEAST_SHARE = 0.01;

/**
 * The calls without short cuts that hardly any request took: a span whose caller reported too late was taken for a call from
 * further up.
 */
export function usualCalls(graph: CallGraph): Edge[] {
  const all = edgesOf(graph);
  const answered = new Map<string, number>();
  for (const { callee, calls } of all) {
    answered.set(callee, (answered.get(callee) ?? 0) + calls);
  }
  const isUsual = ({ callee, calls }: Edge) => calls >= LEAST_SHARE * (answered.get(callee) ?? 0);
  const callees = new Map<string, Set<string>>();
  const callers = new Map<string, Set<string>>();
  for (const { caller, callee } of all.filter(isUsual)) {
    callees.set(caller, (callees.get(caller) ?? new Set()).add(callee));
    callers.set(callee, (callers.get(callee) ?? new Set()).add(caller));
  }
  const isShortCut = ({ caller, callee }: Edge) => haveCommon(callees.get(caller), callers.get(callee));
  return all.filter((edge) => isUsual(edge) || !isShortCut(edge));
}

function haveCommon(one: ReadonlySet<string> = new Set(), other: ReadonlySet<string> = new Set()): boolean {
  const [smaller, larger] = one.size < other.size ? [one, other] : [other, one];
  return [...smaller].some((service) => larger.has(service));
}
