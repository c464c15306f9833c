import type { StoredSignal } from '../core/signal.ts';
import { type CallGraph, withinTwoHops } from './call-graph.ts';

/** Signals that belong together, and the time range that they cover. */
export interface Group {
  readonly signals: StoredSignal[];
  readonly services: Set<string>;
  readonly traceIds: Set<string>;
  firstAt: number;
  lastAt: number;
}

/** Orders signals by time, then by id. */
export function byTime(a: StoredSignal, b: StoredSignal): number {
  return a.observedAt.getTime() - b.observedAt.getTime() || (a.id < b.id ? -1 : Number(a.id > b.id));
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

/** Whether the signal and the group are at most `gapMs` apart. */
export function isNear(signal: StoredSignal, group: Group, gapMs: number): boolean {
  return signal.observedAt.getTime() <= group.lastAt + gapMs && signal.lastSeenAt.getTime() >= group.firstAt - gapMs;
}

/**
 * Groups signals by time, service, trace and calls. A signal that connects groups merges them.
 *
 * @param signals oldest first
 * @returns groups and their signals, oldest first
 */
export function groupSignals(signals: readonly StoredSignal[], graph: CallGraph, gapMs: number): Group[] {
  const order = new Map(signals.map((signal, index) => [signal.id, index]));
  const orderOf = ({ id }: StoredSignal) => order.get(id) ?? 0;
  const relatedTo = rememberRelated(graph);
  const index = createIndex();
  for (const signal of signals) {
    const related = index
      .find(signal.traceId, relatedTo(signal.service))
      .filter((group) => isNear(signal, group, gapMs));
    // The others merge into the largest group, so that few signals move.
    const [home = emptyGroup(), ...others] = related.toSorted((a, b) => b.signals.length - a.signals.length);
    const members = [...others.flatMap((other) => other.signals), signal];
    for (const other of others) {
      index.remove(other);
    }
    for (const member of members) {
      addSignal(home, member);
      index.add(home, member);
    }
  }
  return index
    .groups()
    .map((group) => ({ ...group, signals: group.signals.toSorted((a, b) => orderOf(a) - orderOf(b)) }))
    .toSorted((a, b) => firstOf(a, orderOf) - firstOf(b, orderOf));
}

function firstOf({ signals: [first] }: Group, orderOf: (signal: StoredSignal) => number): number {
  return first === undefined ? 0 : orderOf(first);
}

function emptyGroup(): Group {
  return {
    signals: [],
    services: new Set(),
    traceIds: new Set(),
    firstAt: Number.POSITIVE_INFINITY,
    lastAt: Number.NEGATIVE_INFINITY,
  };
}

/** Finds groups by their services and traces. */
function createIndex() {
  const byService = new Map<string, Set<Group>>();
  const byTrace = new Map<string, Set<Group>>();

  return {
    find(traceId: string | null, services: ReadonlySet<string>): Group[] {
      const found = [...services].flatMap((service) => [...(byService.get(service) ?? [])]);
      const ofTrace = traceId === null ? [] : [...(byTrace.get(traceId) ?? [])];
      return [...new Set([...found, ...ofTrace])];
    },
    add(group: Group, { service, traceId }: StoredSignal): void {
      byService.set(service, (byService.get(service) ?? new Set()).add(group));
      if (traceId !== null) {
        byTrace.set(traceId, (byTrace.get(traceId) ?? new Set()).add(group));
      }
    },
    remove(group: Group): void {
      for (const service of group.services) byService.get(service)?.delete(group);
      for (const traceId of group.traceIds) byTrace.get(traceId)?.delete(group);
    },
    groups(): Group[] {
      return [...new Set([...byService.values()].flatMap((groups) => [...groups]))];
    },
  };
}

/** The service, those at most two calls away in either direction, and those that suffer from the same failing callee. */
function rememberRelated(graph: CallGraph): (service: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  return (service) => {
    const related =
      known.get(service) ??
      new Set([
        service,
        ...withinTwoHops(service, graph.calleesOf),
        ...withinTwoHops(service, graph.callersOf),
        ...findFellowVictims(service, graph),
      ]);
    known.set(service, related);
    return related;
  };
}

function findFellowVictims(service: string, graph: CallGraph): string[] {
  const failing = [...graph.calleesOf(service)].filter((callee) => graph.callsBetween(service, callee).errors > 0);
  return failing.flatMap((callee) =>
    [...graph.callersOf(callee)].filter((caller) => graph.callsBetween(caller, callee).errors > 0),
  );
}
