import { append, getOrCreateFrequent, senderKey } from '../bounded-map.ts';
import { DAY_MS, LIMITS, MINUTE_MS, TINY_SHARE } from '../constants.ts';

/** Calls from one service to another. */
export interface Edge {
  readonly caller: string;
  readonly callee: string;
  /** Calls, fading with a half-life of a quarter of a day. */
  calls: number;
  /** Failed calls, fading with a half-life of five minutes. */
  failed: number;
  seenAt: number;
}

export interface CallGraph {
  /** As each sender reports them. */
  readonly edges: Map<string, Edge>;
  /** Rises when an edge is added, or seen again after it was forgotten. */
  version: number;
}

const CALLS_HALF_LIFE_MS = DAY_MS / 4;
const FAILED_HALF_LIFE_MS = 5 * MINUTE_MS;
export function createCallGraph(): CallGraph {
  return { edges: new Map(), version: 0 };
}

export function addCalls(graph: CallGraph, sender: string, seen: Omit<Edge, 'seenAt'>, at: number): void {
  const { caller, callee } = seen;
  if (caller === callee) {
    return;
  }
  const create = (): Edge => {
    graph.version += 1;
    return { caller, callee, calls: 0, failed: 0, seenAt: at };
  };
  const key = senderKey(sender, caller, callee);
  const edge = getOrCreateFrequent(graph.edges, key, LIMITS.names, create, (each) => each.calls);
  const elapsed = Math.max(0, at - edge.seenAt);
  graph.version += elapsed > DAY_MS - MINUTE_MS ? 1 : 0;
  add(edge, { ...seen, seenAt: at });
}

function add(edge: Edge, { calls, failed, seenAt }: Edge): void {
  fade(edge, seenAt);
  edge.calls += calls;
  edge.failed += failed;
}

function fade(edge: Edge, at: number): void {
  const elapsed = Math.max(0, at - edge.seenAt);
  edge.calls *= 0.5 ** (elapsed / CALLS_HALF_LIFE_MS);
  edge.failed *= 0.5 ** (elapsed / FAILED_HALF_LIFE_MS);
  edge.seenAt += elapsed;
}

/** Each once, whoever reports it. */
export function edgesOf({ edges }: CallGraph): Edge[] {
  const merged = new Map<string, Edge>();
  for (const edge of edges.values()) {
    const { caller, callee } = edge;
    const known = merged.get(`${caller}>${callee}`);
    if (known === undefined) {
      merged.set(`${caller}>${callee}`, { ...edge });
    } else {
      const other = { ...edge };
      fade(other, known.seenAt);
      add(known, other);
    }
  }
  return [...merged.values()];
}

/** Failed calls a minute, from what the fading count remembers. */
export function failedPerMinute({ failed, seenAt }: Pick<Edge, 'failed' | 'seenAt'>, at: number): number {
  const now = failed * 0.5 ** (Math.max(0, at - seenAt) / FAILED_HALF_LIFE_MS);
  return (now * Math.LN2 * MINUTE_MS) / FAILED_HALF_LIFE_MS;
}

export function isForgotten({ seenAt }: Pick<Edge, 'seenAt'>, at: number): boolean {
  return at - seenAt > DAY_MS;
}

export interface Neighbours {
  /** Version of the graph that they were built from. */
  readonly version: number;
  readonly callees: ReadonlyMap<string, readonly string[]>;
  readonly callers: ReadonlyMap<string, readonly string[]>;
}

/** Cache of the last result for each graph. */
const built = new WeakMap<
  CallGraph,
  { readonly version: number; readonly at: number; readonly neighbours: Neighbours }
>();

/** The graph as seen at a time. */
export function neighboursAt(graph: CallGraph, at: number): Neighbours {
  const last = built.get(graph);
  if (last !== undefined && last.version === graph.version && Math.floor(at / MINUTE_MS) === last.at) {
    return last.neighbours;
  }
  const neighbours = build(graph, at);
  built.set(graph, { version: graph.version, at: Math.floor(at / MINUTE_MS), neighbours });
  return neighbours;
}

function build(graph: CallGraph, at: number): Neighbours {
  const callees = new Map<string, string[]>();
  const callers = new Map<string, string[]>();
  const from = Math.floor(at / MINUTE_MS) * MINUTE_MS - DAY_MS;
  for (const { caller, callee, seenAt } of edgesOf(graph)) {
    if (seenAt >= from) {
      append(callees, caller, callee);
      append(callers, callee, caller);
    }
  }
  return { version: graph.version, callees, callers };
}

/** Services within `hops` steps, with their distance; without the start. */
export function within(
  start: string,
  next: ReadonlyMap<string, readonly string[]>,
  hops: number,
): ReadonlyMap<string, number> {
  const distances = new Map<string, number>([[start, 0]]);
  let frontier = [start];
  for (let hop = 1; hop <= hops && frontier.length > 0; hop += 1) {
    const found = new Set(
      frontier.flatMap((service) => next.get(service) ?? []).filter((service) => !distances.has(service)),
    );
    for (const service of found) {
      distances.set(service, hop);
    }
    frontier = [...found];
  }
  distances.delete(start);
  return distances;
}

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
  const isUsual = ({ callee, calls }: Edge) => calls >= TINY_SHARE * (answered.get(callee) ?? 0);
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
