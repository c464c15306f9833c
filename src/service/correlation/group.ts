import type { StoredSignal } from '../core/signal.ts';
import { type CallGraph, inBoth } from './call-graph.ts';

/** Signals that belong together, and the span of time they cover. */
export interface Group {
  readonly signals: StoredSignal[];
  readonly services: Set<string>;
  readonly traceIds: Set<string>;
  firstAt: number;
  lastAt: number;
}

export function addSignal(group: Group, signal: StoredSignal): void {
  group.signals.push(signal);
  group.services.add(signal.service);
  if (signal.traceId !== null) {
    group.traceIds.add(signal.traceId);
  }
  group.firstAt = Math.min(group.firstAt, signal.observedAt.getTime());
  group.lastAt = Math.max(group.lastAt, signal.lastSeenAt.getTime());
}

/** Whether no more than `gapMs` lies between the signal and the group. */
export function isNear(signal: StoredSignal, group: Group, gapMs: number): boolean {
  return signal.observedAt.getTime() <= group.lastAt + gapMs && signal.lastSeenAt.getTime() >= group.firstAt - gapMs;
}

export function sharesTrace(signal: StoredSignal, group: Group): boolean {
  return signal.traceId !== null && group.traceIds.has(signal.traceId);
}

/**
 * Groups signals by time, service, trace and calls. Groups that a later signal connects become one.
 *
 * @param signals oldest first
 */
export function groupSignals(signals: readonly StoredSignal[], graph: CallGraph, gapMs: number): Group[] {
  const areRelated = rememberRelations(graph);
  let groups: Group[] = [];
  for (const signal of signals) {
    const related = groups.filter(
      (group) =>
        isNear(signal, group, gapMs) && (sharesTrace(signal, group) || areRelated(signal.service, group.services)),
    );
    const [home, ...others] = related;
    if (home === undefined) {
      groups.push(groupOf(signal));
      continue;
    }
    for (const member of [...others.flatMap((other) => other.signals), signal]) {
      addSignal(home, member);
    }
    groups = groups.filter((group) => !others.includes(group));
  }
  return groups;
}

function groupOf(signal: StoredSignal): Group {
  const group = { signals: [], services: new Set<string>(), traceIds: new Set<string>() };
  const [firstAt, lastAt] = [signal.observedAt.getTime(), signal.lastSeenAt.getTime()];
  const started = { ...group, firstAt, lastAt };
  addSignal(started, signal);
  return started;
}

/** The same service, or calls lead from one to the other in at most two hops, or both call one that fails them both. */
function rememberRelations(graph: CallGraph): (service: string, others: ReadonlySet<string>) => boolean {
  const known = new Map<string, boolean>();

  function isRelated(one: string, other: string): boolean {
    const key = JSON.stringify([one, other]);
    const answer =
      known.get(key) ??
      (graph.leadsTo(one, other) || graph.leadsTo(other, one) || shareFailingCallee(graph, one, other));
    known.set(key, answer);
    return answer;
  }

  return (service, others) => others.has(service) || [...others].some((other) => isRelated(service, other));
}

function shareFailingCallee(graph: CallGraph, one: string, other: string): boolean {
  return inBoth(graph.calleesOf(one), graph.calleesOf(other)).some(
    (callee) => graph.callsBetween(one, callee).errors > 0 && graph.callsBetween(other, callee).errors > 0,
  );
}
