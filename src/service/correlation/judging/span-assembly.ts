import type { LogItem, SpanItem } from '../../core/telemetry-item.ts';
import { increase, setBounded } from '../bounded-map.ts';

/** A span with what only its relatives and log lines tell. */
export interface AssembledSpan {
  readonly span: SpanItem;
  /** Time not spent in children. */
  readonly selfMs: number;
  /** How often each kind of step happened in it: own sub-operations and calls to others. */
  readonly steps: ReadonlyMap<string, number>;
  /** How often each line was written in it, by feature. */
  readonly logs: ReadonlyMap<string, number>;
  /** Other services that it called. */
  readonly calls: readonly Call[];
}

export interface Call {
  readonly callee: string;
  readonly calls: number;
  readonly failed: number;
  /** The callee's time is missing from the caller's: network and queues. null: more than one call, nobody can say. */
  readonly gapMs: number | null;
}

interface Children {
  count: number;
  failed: number;
  durationMs: number;
}

interface Pending {
  span: SpanItem | null;
  /** By the service of the child. */
  readonly children: Map<string, Children>;
  readonly steps: Map<string, number>;
  /** Slot in which it is given up or completed. */
  dueSlot: number;
}

/** Lines of a span that has not come. */
interface WaitingLines {
  readonly service: string;
  /** In which the first of them was written. */
  readonly slot: number;
  readonly features: Map<string, number>;
}

/** Equal lines of a span that never came, or came late. */
export interface LostLines {
  readonly service: string;
  readonly feature: string;
  /** In which they were written. */
  readonly slot: number;
  readonly lines: number;
}

export interface SpanAssemblyState {
  readonly pending: Map<string, Pending>;
  readonly dueBySlot: Map<number, string[]>;
  /** By the key of the span, oldest first. */
  readonly lines: Map<string, WaitingLines>;
  /** Keys of completed spans: one that is sent again counts once. */
  readonly completed: Set<string>;
}

/** Spans in memory; the oldest are completed early beyond it. */
const MAX_PENDING = 200_000;
const MAX_COMPLETED = 50_000;
/** A parent that never comes is given up after this many slots. */
const ORPHAN_SLOTS = 12;
/** Lines wait this many slots for their span. */
const LOST_SLOTS = 2;
const MAX_STEPS = 64;

export function createSpanAssembly(): SpanAssemblyState {
  return { pending: new Map(), dueBySlot: new Map(), lines: new Map(), completed: new Set() };
}

/** Adds a span that ended in `slot`. A span seen before changes nothing. */
export function addSpan(state: SpanAssemblyState, span: SpanItem, slot: number): void {
  const key = span.traceId + span.spanId;
  if (state.completed.has(key)) {
    return;
  }
  const own = pendingOf(state, key, slot + ORPHAN_SLOTS);
  if (own.span !== null) {
    return;
  }
  own.span = span;
  own.dueSlot = slot;
  makeDue(state, key, slot);
  const parentKey = span.parentSpanId === null ? null : span.traceId + span.parentSpanId;
  if (parentKey !== null && !state.completed.has(parentKey)) {
    addChild(pendingOf(state, parentKey, slot + ORPHAN_SLOTS), span);
  }
}

/** @returns false when the span of the line has been completed already */
export function addSpanLine(state: SpanAssemblyState, log: LogItem, feature: string, slot: number): boolean {
  const key = `${log.traceId}${log.spanId}`;
  if (state.completed.has(key)) {
    return false;
  }
  const own = state.lines.get(key) ?? { service: log.service, slot, features: new Map() };
  increase(own.features, feature, 1, MAX_STEPS);
  setBounded(state.lines, key, own, MAX_PENDING);
  return true;
}

/** Takes out every span that ended in a slot up to `slot`, and lines whose span has not come for a while. */
export function completeSpans(
  state: SpanAssemblyState,
  slot: number,
): { spans: AssembledSpan[]; lostLines: LostLines[] } {
  const dueSlots = [...state.dueBySlot.keys()].filter((due) => due <= slot).toSorted((a, b) => a - b);
  const due = dueSlots.flatMap((dueSlot) =>
    (state.dueBySlot.get(dueSlot) ?? []).map((key) => ({ key, dueSlot, pending: state.pending.get(key) })),
  );
  const ready = due.flatMap(({ key, dueSlot, pending }) =>
    pending !== undefined && pending.dueSlot === dueSlot ? [{ key, pending }] : [],
  );
  for (const dueSlot of dueSlots) {
    state.dueBySlot.delete(dueSlot);
  }
  for (const { key, pending } of ready) {
    state.pending.delete(key);
    if (pending.span !== null) {
      remember(state, key);
    }
  }
  const spans = ready.flatMap(({ key, pending }) =>
    pending.span === null ? [] : [assemble(pending, pending.span, takeLines(state, key))],
  );
  return { spans, lostLines: takeLost(state, slot - LOST_SLOTS) };
}

function takeLines({ lines }: SpanAssemblyState, key: string): ReadonlyMap<string, number> {
  const own = lines.get(key);
  lines.delete(key);
  return own?.features ?? NO_LINES;
}

const NO_LINES: ReadonlyMap<string, number> = new Map();

function takeLost({ lines }: SpanAssemblyState, lastSlot: number): LostLines[] {
  const lost: LostLines[] = [];
  for (const [key, { service, slot, features }] of lines) {
    if (slot > lastSlot) {
      break; // the rest is younger, or lost a little later
    }
    lines.delete(key);
    lost.push(...[...features].map(([feature, count]) => ({ service, feature, slot, lines: count })));
  }
  return lost;
}

function assemble(pending: Pending, span: SpanItem, logs: ReadonlyMap<string, number>): AssembledSpan {
  const children = [...pending.children.entries()];
  const childrenMs = children.reduce((sum, [, { durationMs }]) => sum + durationMs, 0);
  const isOneCall = children.length === 1 && children[0]?.[1].count === 1;
  const calls =
    children.length === 0
      ? callToPeer(span)
      : children
          .filter(([callee]) => callee !== span.service)
          .map(([callee, { count, failed, durationMs }]) => ({
            callee,
            calls: count,
            failed: Math.max(failed, isOneCall && span.isFailed ? 1 : 0),
            gapMs: isOneCall ? Math.max(0, span.durationMs - durationMs) : null,
          }));
  return { span, selfMs: Math.max(0, span.durationMs - childrenMs), steps: pending.steps, logs, calls };
}

/** A service that sends nothing itself is known by what its callers say of it. */
function callToPeer({ role, peer, service, isFailed }: SpanItem): Call[] {
  const isOutgoing = role === 'client' && peer !== null && peer !== '' && peer !== service;
  return isOutgoing ? [{ callee: peer, calls: 1, failed: isFailed ? 1 : 0, gapMs: null }] : [];
}

function addChild(parent: Pending, child: SpanItem): void {
  const children = parent.children.get(child.service) ?? { count: 0, failed: 0, durationMs: 0 };
  children.count += 1;
  children.failed += child.isFailed ? 1 : 0;
  children.durationMs += child.durationMs;
  parent.children.set(child.service, children);
  increase(parent.steps, `step ${child.service} ${child.operation}`, 1, MAX_STEPS);
}

function pendingOf(state: SpanAssemblyState, key: string, dueSlot: number): Pending {
  const known = state.pending.get(key);
  if (known !== undefined) {
    return known;
  }
  const created: Pending = {
    span: null,
    children: new Map(),
    steps: new Map(),
    dueSlot,
  };
  state.pending.set(key, created);
  makeDue(state, key, dueSlot);
  if (state.pending.size > MAX_PENDING) {
    const [oldest] = state.pending.keys();
    state.pending.delete(oldest ?? key);
  }
  return created;
}

function makeDue(state: SpanAssemblyState, key: string, slot: number): void {
  const due = state.dueBySlot.get(slot);
  if (due === undefined) {
    state.dueBySlot.set(slot, [key]);
  } else {
    due.push(key);
  }
}

function remember(state: SpanAssemblyState, key: string): void {
  state.completed.add(key);
  if (state.completed.size > MAX_COMPLETED) {
    const [oldest] = state.completed;
    state.completed.delete(oldest ?? key);
  }
}
