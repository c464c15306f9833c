import { calleeOf, isWorking } from './callees.ts';
import { partsOf, retriesAmong, type SpanNode } from './request-tree.ts';
import type { UsualTimes } from './usual-times.ts';

/** A time in which a request may wait for a span: the span itself, or the pause before its failed call is tried again. */
interface Interval {
  readonly node: SpanNode;
  readonly isPause: boolean;
  readonly from: number;
  readonly to: number;
  /** How many services wait for this one, and how many spans for this span. */
  readonly services: number;
  readonly depth: number;
  /** Place of its depth among all depths of the request. */
  level: number;
  /** What the level had been charged when the interval began. */
  chargedBefore: number;
}

/**
 * Charges every moment of a request once, to the span that the request waited for: the deepest service that was active
 * then, and in it the deepest span. A call counts as its callee until that has answered, and a failed call until it is
 * tried again. Spans that are equally deep share the moment.
 *
 * Sets `ownMs` and `pauseMs` of every span of the request.
 */
export function chargeMoments(usual: UsualTimes, entry: SpanNode): void {
  if (entry.children.length === 0) {
    entry.ownMs = entry.span.durationMs;
    entry.pauseMs = 0;
    return;
  }
  const intervals = intervalsOf(usual, entry);
  rankDepths(intervals);
  sweep(intervals);
}

/** A span on the time axis of its request, cut to the time in which its parent waited for it. */
function intervalsOf(usual: UsualTimes, entry: SpanNode): Interval[] {
  const intervals: Interval[] = [];
  const byNode = new Map<SpanNode, Interval>();
  const stack = [
    { node: entry, shiftMs: 0, services: 0, depth: 0, within: { from: entry.startMs, to: entry.span.at } },
  ];
  for (let each = stack.pop(); each !== undefined; each = stack.pop()) {
    const { node, shiftMs, services, depth, within } = each;
    node.ownMs = 0;
    node.pauseMs = 0;
    const from = clamp(node.startMs + shiftMs, within);
    const to = clamp(node.span.at + shiftMs, within);
    const isCall = calleeOf(usual, node) !== null && !isWorking(usual, node);
    const interval = { node, isPause: false, from, to, services: services + (isCall ? 1 : 0), depth };
    const added: Interval = { ...interval, level: 0, chargedBefore: 0 };
    intervals.push(added);
    byNode.set(node, added);
    const shifts = clockShifts(node);
    for (const child of node.children) {
      const isOwn = child.span.service === node.span.service;
      stack.push({
        node: child,
        shiftMs: shiftMs + (shifts?.get(child.span.service) ?? 0),
        services: services + (isOwn ? 0 : 1),
        depth: depth + 1,
        within: added,
      });
    }
  }
  return intervals.some(({ node }) => node.span.isFailed) ? [...intervals, ...pausesIn(byNode)] : intervals;
}

function clamp(at: number, { from, to }: { readonly from: number; readonly to: number }): number {
  return Math.min(Math.max(at, from), to);
}

/**
 * What to add to the times of other services that a span waited for, by service, where their clocks differ so much that their
 * spans are outside the span. null: nowhere.
 */
function clockShifts(node: SpanNode): ReadonlyMap<string, number> | null {
  const { span, startMs } = node;
  const isStrange = (child: SpanNode) =>
    child.span.service !== span.service && (child.startMs < startMs || child.span.at > span.at);
  if (!node.children.some(isStrange)) {
    return null;
  }
  const shifts = new Map<string, number>();
  for (const [service, answers] of Map.groupBy(node.children, (child) => child.span.service)) {
    const from = Math.min(...answers.map((answer) => answer.startMs));
    const to = Math.max(...answers.map(({ span: { at } }) => at));
    if (service !== span.service) {
      const latestStart = Math.max(startMs, span.at - (to - from));
      shifts.set(service, Math.min(Math.max(from, startMs), latestStart) - from);
    }
  }
  return shifts;
}

function* pausesIn(byNode: ReadonlyMap<SpanNode, Interval>): Generator<Interval> {
  for (const node of byNode.keys()) {
    for (const { failed, retry } of retriesAmong(partsOf(node))) {
      const [before, after] = [byNode.get(failed), byNode.get(retry)];
      if (before !== undefined && after !== undefined && after.from > before.to) {
        yield { ...before, isPause: true, from: before.to, to: after.from };
      }
    }
  }
}

function rankDepths(intervals: readonly Interval[]): void {
  const byDepth = intervals.toSorted((a, b) => a.services - b.services || a.depth - b.depth);
  let level = 0;
  let last = byDepth[0];
  for (const interval of byDepth) {
    level += interval.services === last?.services && interval.depth === last.depth ? 0 : 1;
    interval.level = level;
    last = interval;
  }
}

/** Walks along the time axis. Each level is charged the time in which it is the deepest, divided by its active intervals. */
function sweep(intervals: readonly Interval[]): void {
  const starts = intervals.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
  const ends = starts.toSorted((a, b) => a.to - b.to);
  const active = new Float64Array(intervals.length);
  const charged = new Float64Array(intervals.length);
  let deepest = -1;
  let now = 0;
  let started = 0;
  const pass = (until: number) => {
    if (deepest >= 0) {
      charged[deepest] = (charged[deepest] ?? 0) + (until - now) / (active[deepest] ?? 1);
    }
    now = until;
  };
  for (const end of ends) {
    for (let start = starts[started]; start !== undefined && start.from < end.to; start = starts[started]) {
      pass(start.from);
      start.chargedBefore = charged[start.level] ?? 0;
      active[start.level] = (active[start.level] ?? 0) + 1;
      deepest = Math.max(deepest, start.level);
      started += 1;
    }
    pass(end.to);
    active[end.level] = (active[end.level] ?? 0) - 1;
    while (deepest >= 0 && active[deepest] === 0) {
      deepest -= 1;
    }
    const ms = (charged[end.level] ?? 0) - end.chargedBefore;
    if (end.isPause) {
      end.node.pauseMs += ms;
    } else {
      end.node.ownMs = ms;
    }
  }
}
