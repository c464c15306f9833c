import type { SpanItem } from '../../core/telemetry-item.ts';
import { CLOCK_MS, LEAST_MS } from './constants.ts';

/** A span with its sender. */
export interface ReportedSpan {
  readonly span: SpanItem;
  /** Key or integration; empty: not known. */
  readonly sender: string;
}

export interface SpanNode extends ReportedSpan {
  /** As its sender reports it, but for `markUnreportedFailures` and `takeOutWaiting`. */
  span: SpanItem;
  startMs: number;
  parent: SpanNode | null;
  /** In order of their end. */
  readonly children: SpanNode[];
  /** The span begins a request: no other span waits for it. */
  isEntry: boolean;
  /** Its own parent never came, and it was hung below a span around it. */
  isAdopted: boolean;
  /** Time of its request that is charged to the span, see `chargeMoments`. */
  ownMs: number;
  /** Time between the failed call of the span and the next try, charged in the same way. */
  pauseMs: number;
}

/**
 * The spans of one trace as trees, one for each request: each span without a parent begins one, and each span that a
 * queue hands on begins another. Spans whose parents never came are hung below the shortest span around them.
 *
 * @returns the entries, the earliest first
 */
export function buildTrees(reported: Iterable<ReportedSpan>): SpanNode[] {
  const nodes = [...reported]
    .map(({ span, sender }): SpanNode => {
      const startMs = span.at - span.durationMs;
      const alone = { parent: null, children: [], isEntry: false, isAdopted: false };
      return { span, sender, startMs, ...alone, ownMs: 0, pauseMs: 0 };
    })
    .toSorted((a, b) => a.startMs - b.startMs || b.span.durationMs - a.span.durationMs || compare(a, b));
  const byId = new Map(nodes.map((node) => [node.span.spanId, node]));
  const tops: Tops = new Map();
  const orphans: SpanNode[] = [];
  for (const node of nodes) {
    const { parentSpanId } = node.span;
    const parent = parentSpanId === null ? undefined : byId.get(parentSpanId);
    // Malformed traces may be circular.
    if (parent !== undefined && topOf(tops, parent) !== node) {
      hang(node, parent);
      tops.set(node, parent);
    } else if (parentSpanId !== null && !isTakenFromQueue(node.span)) {
      orphans.push(node);
    } else {
      node.isEntry = true;
    }
  }
  adopt(nodes, orphans, tops);
  for (const { children } of nodes) {
    children.sort((a, b) => a.span.at - b.span.at || compare(a, b));
  }
  return nodes.filter(({ isEntry }) => isEntry);
}

function compare(a: SpanNode, b: SpanNode): number {
  return a.span.spanId < b.span.spanId ? -1 : 1;
}

function hang(node: SpanNode, parent: SpanNode): void {
  node.parent = parent;
  if (isHandedOn(node, parent)) {
    node.isEntry = true;
    return;
  }
  parent.children.push(node);
}

/** Whether the request comes to the service of a span with it. */
export function isRun({ span, parent }: SpanNode): boolean {
  return parent?.span.service !== span.service;
}

/** The span with which the request came to the service of a span. */
export function firstOfRun(node: SpanNode): SpanNode {
  let run = node;
  while (run.parent !== null && !isRun(run)) {
    run = run.parent;
  }
  return run;
}

/**
 * Whether a span does what its service was asked for, and calls nobody. Where no roles are told, the one with which a request
 * comes to its service does, unless it names whom it calls.
 */
export function isWork(node: SpanNode): boolean {
  const { role, peer } = node.span;
  const comesIn = isRun(node) && (peer === null || peer === '');
  return role === 'server' || role === 'consumer' || (role === 'unknown' && comesIn);
}

/**
 * Whether the parent did not wait for the span, as with a queue. Clocks of two services cannot be compared, but a
 * caller that waits cannot be much shorter than its callee.
 */
function isHandedOn(node: SpanNode, parentNode: SpanNode): boolean {
  const { span } = node;
  const { span: parent } = parentNode;
  if (isTakenFromQueue(span)) {
    // The span of a batch waits for those of its messages, and who asks over a queue waits for the answer.
    return parent.role !== 'consumer' && !(parent.role === 'client' && encloses(parentNode, node));
  }
  return (
    span.service !== parent.service &&
    !parent.isFailed &&
    parent.role === 'client' &&
    span.durationMs > 2 * parent.durationMs + LEAST_MS
  );
}

function encloses(outer: SpanNode, inner: SpanNode): boolean {
  return inner.startMs >= outer.startMs && inner.span.at <= outer.span.at;
}

/** Whether a span is the work of a consumer. Who sent the message waited for the queue at most, but for an answer. */
export function isTakenFromQueue({ role }: SpanItem): boolean {
  return role === 'consumer';
}

/** A node above each node that was hung below another: its parent, or one further up. */
type Tops = Map<SpanNode, SpanNode>;

/** The top of the tree that a node is in so far. Shortens the way up, so that long chains cost no more than short ones. */
function topOf(tops: Tops, node: SpanNode): SpanNode {
  let top = node;
  for (let above = tops.get(top); above !== undefined; above = tops.get(top)) {
    top = above;
  }
  for (let each = node; each !== top; ) {
    const above = tops.get(each) ?? top;
    tops.set(each, top);
    each = above;
  }
  return top;
}

/**
 * Hangs orphans below another span. If the trace has no entry, one that no span encloses begins a request, since nobody
 * knows who waited for it.
 */
function adopt(nodes: readonly SpanNode[], orphans: readonly SpanNode[], tops: Tops): void {
  const entry = nodes.find(({ isEntry, parent }) => isEntry && parent === null);
  const homes = new Map<string | null, SpanNode>();
  const shortestFirst = orphans.length === 0 ? [] : nodes.toSorted((a, b) => a.span.durationMs - b.span.durationMs);
  for (const orphan of orphans) {
    const { parentSpanId } = orphan.span;
    const isAbove = (node: SpanNode | undefined) => node !== undefined && topOf(tops, node) !== orphan;
    const isAround = (node: SpanNode) => mayAnswer(orphan, node) && isAbove(node);
    // Orphans of the same parent share a home.
    const home = [homes.get(parentSpanId) ?? shortestFirst.find(isAround), entry].find(isAbove);
    if (home === undefined) {
      orphan.isEntry = true;
    } else {
      homes.set(parentSpanId, home);
      orphan.parent = home;
      orphan.isAdopted = true;
      home.children.push(orphan);
      tops.set(orphan, home);
    }
  }
}

/** Whether an orphan may be the answer to a call: one that nobody else answered. */
function mayAnswer(orphan: SpanNode, call: SpanNode): boolean {
  return (
    call !== orphan && encloses(call, orphan) && call.children.length === 0 && call.span.service !== orphan.span.service
  );
}

/** All nodes of a tree, the top first. */
export function* walk(top: SpanNode): Generator<SpanNode> {
  const stack = [top];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    stack.push(...node.children);
  }
}

/**
 * The children of a span, where internal spans that did not fail are replaced by their own children: many libraries report a failure
 * on the span around them only.
 *
 * @returns in order of their end
 */
export function partsOf({ span, children }: SpanNode): readonly SpanNode[] {
  const isSeenThrough = ({ span: child }: SpanNode) =>
    !child.isFailed && child.service === span.service && (child.role === 'internal' || child.role === 'unknown');
  if (!children.some(isSeenThrough)) {
    return children;
  }
  const parts: SpanNode[] = [];
  const stack = children.toReversed();
  for (let child = stack.pop(); child !== undefined; child = stack.pop()) {
    if (isSeenThrough(child)) {
      stack.push(...child.children.toReversed());
    } else {
      parts.push(child);
    }
  }
  return parts.sort((a, b) => a.span.at - b.span.at);
}

/**
 * Finds out which failed calls were tried again with success. A call that ran in parallel is no retry.
 *
 * @param siblings calls of one caller, those that failed included
 */
export function retriedAmong(siblings: readonly SpanNode[]): (failed: SpanNode) => boolean {
  const latestStarts = new Map<string, number>();
  for (const call of siblings) {
    if (!call.span.isFailed) {
      const key = purposeOf(call);
      latestStarts.set(key, Math.max(latestStarts.get(key) ?? call.startMs, call.startMs));
    }
  }
  return (failed) => (latestStarts.get(purposeOf(failed)) ?? Number.NEGATIVE_INFINITY) >= failed.span.at - CLOCK_MS;
}

/** A failed call, and the next try of the same call. */
export interface Retry {
  readonly failed: SpanNode;
  readonly retry: SpanNode;
}

/**
 * Finds the next try of each failed call.
 *
 * @param siblings calls of one caller, in order of their end
 */
export function retriesAmong(siblings: readonly SpanNode[]): Retry[] {
  if (!siblings.some(({ span }) => span.isFailed)) {
    return [];
  }
  const retries: Retry[] = [];
  for (const calls of Map.groupBy(siblings, purposeOf).values()) {
    const byStart = calls.toSorted((a, b) => a.startMs - b.startMs);
    let next = 0;
    for (const failed of calls.filter(({ span }) => span.isFailed)) {
      while ((byStart[next]?.startMs ?? Number.POSITIVE_INFINITY) < failed.span.at - CLOCK_MS) {
        next += 1;
      }
      const retry = byStart[next] === failed ? byStart[next + 1] : byStart[next];
      if (retry !== undefined) {
        retries.push({ failed, retry });
      }
    }
  }
  return retries;
}

/** What a call asks of whom, as far as its spans tell: equal for all tries. */
export function purposeOf({ span, children }: SpanNode): string {
  // Calls have poor names: `POST` may lead to several services.
  const target = span.peer ?? children.find((child) => child.span.service !== span.service)?.span.service ?? '';
  return `${span.service}\n${span.operation}\n${target}`;
}
