import type { LogItem, SpanItem } from '../../core/telemetry-item.ts';
import { append, dropOldest, getOrCreateFrequent, senderKey, setBounded } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { LONGEST_SLOTS, MAX_SPANS_OF_SLOT, WAIT_SLOTS } from './constants.ts';
import {
  countEntry,
  createLateness,
  type EntryCounts,
  entryKeysOf,
  type Lateness,
  mayEntryCome,
  noteLate,
  noteLateEntry,
  noteTrace,
  slotsToWait,
} from './lateness.ts';
import { createPendingTrace, keepSpan, type PendingTrace } from './pending-trace.ts';
import type { ReportedSpan } from './request-tree.ts';
import { addWaitingLine, type LostLines, takeLost, type WaitingLines } from './span-lines.ts';

/** The part of a judged trace that is remembered. */
interface JudgedTrace extends Pick<PendingTrace, 'firstSlot' | 'lastSlot' | 'entry' | 'lateSlots'> {
  /** By sender: services whose trace counts as one without an entry; empty: it had one, or it came later. */
  orphaned: readonly string[];
}

export interface TraceAssembly {
  readonly pending: Map<string, PendingTrace>;
  readonly dueBySlot: Map<number, string[]>;
  /** By the key of the span, oldest first. */
  readonly lines: Map<string, WaitingLines>;
  /** Keys of judged spans: one that is sent again counts once. */
  readonly seen: Set<string>;
  /** Hashes of lines, for the same reason: see `isSentAgain`. */
  readonly seenLines: Set<string>;
  readonly judged: Map<string, JudgedTrace>;
  /** By the service of the entry, as each sender reports it. */
  readonly lateness: Map<string, Lateness>;
  readonly entries: EntryCounts;
  spans: number;
  /** Spans that came after their trace was judged. */
  late: number;
}

/** Complete traces of one slot. */
interface CompleteTrace {
  readonly traceId: string;
  readonly spans: readonly ReportedSpan[];
  readonly isLate: boolean;
}

/** What is left of them when they were too many. */
const LEFT_SPANS = 0.95 * LIMITS.pending;

export function createTraceAssembly(): TraceAssembly {
  return {
    pending: new Map(),
    dueBySlot: new Map(),
    lines: new Map(),
    seen: new Set(),
    seenLines: new Set(),
    judged: new Map(),
    lateness: new Map(),
    entries: new Map(),
    spans: 0,
    late: 0,
  };
}

export function keyOf({ traceId, spanId }: Pick<SpanItem, 'traceId' | 'spanId'>): string {
  return traceId + spanId;
}

/** Key of the work of one service in one trace. */
export function runOf({ traceId, service }: Pick<SpanItem, 'traceId' | 'service'>): string {
  return traceId + service;
}

/** Adds a span that came in `slot`. A span seen before changes nothing. */
export function addSpan(state: TraceAssembly, span: SpanItem, sender: string, slot: number): void {
  if (state.seen.has(keyOf(span))) {
    return;
  }
  const trace = state.pending.get(span.traceId) ?? createPendingTrace(sender, slot, state.judged.has(span.traceId));
  state.pending.set(span.traceId, trace);
  if (trace.spans.has(span.spanId)) {
    return;
  }
  const before = trace.spans.size;
  const isKept = keepSpan(trace, span, sender);
  const dropped = before + 1 - trace.spans.size;
  state.late += (trace.isLate ? 1 : 0) + dropped;
  state.spans += 1 - dropped;
  if (!isKept) {
    return;
  }
  noteArrival(state, span.traceId, slot);
  trace.lastSlot = Math.max(trace.lastSlot, slot);
  if (span.parentSpanId === null) {
    trace.entry ??= senderKey(sender, span.service);
    noteEntry(state, span.traceId, slot);
  }
  makeDue(state, span.traceId, trace, trace.lastSlot);
  dropOldestTraces(state);
}

/** Records how many slots after the rest of its trace a span or line came. */
function noteArrival(state: TraceAssembly, traceId: string, slot: number): void {
  const judged = state.judged.get(traceId);
  if (judged !== undefined) {
    if (judged.entry !== null) {
      judged.lateSlots = noteLate(state.lateness.get(judged.entry), judged.lateSlots, slot - judged.lastSlot);
    }
    return;
  }
  const trace = state.pending.get(traceId);
  if (trace !== undefined && trace.entry !== null) {
    trace.lateSlots = Math.max(trace.lateSlots, slot - trace.lastSlot);
  }
}

/** The longest wait would have been long enough for an entry that comes now. */
function noteEntry({ judged, entries }: TraceAssembly, traceId: string, slot: number): void {
  const trace = judged.get(traceId);
  if (trace !== undefined && slot - trace.firstSlot <= LONGEST_SLOTS) {
    noteLateEntry(entries, trace.orphaned);
    trace.orphaned = [];
  }
}

function makeDue(state: TraceAssembly, traceId: string, trace: PendingTrace, slot: number): void {
  if (slot === trace.dueSlot) {
    return;
  }
  trace.dueSlot = slot;
  append(state.dueBySlot, slot, traceId);
}

/**
 * Evicts the oldest pending traces of the sender that has the most, if there are too many spans: several at a time, as
 * `dropOldest` does.
 */
function dropOldestTraces(state: TraceAssembly): void {
  if (state.spans <= LIMITS.pending) {
    return;
  }
  const bySender = Map.groupBy(state.pending, ([, { sender }]) => sender);
  const spansOf = (traces: readonly (readonly [string, PendingTrace])[]) =>
    traces.reduce((sum, [, { spans }]) => sum + spans.size, 0);
  const [greediest = []] = [...bySender.values()].toSorted((a, b) => spansOf(b) - spansOf(a));
  for (const [traceId, { spans }] of greediest) {
    if (state.spans <= LEFT_SPANS) {
      return;
    }
    state.pending.delete(traceId);
    state.spans -= spans.size;
    state.late += spans.size;
  }
}

/**
 * Adds a line of a trace. One that names no span waits for the spans of its service, if it sends any.
 *
 * @returns false when there is nothing to wait for, it has been judged already, or too many wait
 */
export function addTraceLine(
  state: TraceAssembly,
  log: LogItem,
  feature: string,
  sender: string,
  slot: number,
): boolean {
  const { traceId, spanId, service } = log;
  if (traceId === null || (spanId === null && !state.entries.has(senderKey(sender, service)))) {
    return false;
  }
  noteArrival(state, traceId, slot);
  const key = spanId === null ? runOf({ traceId, service }) : keyOf({ traceId, spanId });
  if (spanId === null ? state.judged.has(traceId) : state.seen.has(key)) {
    return false;
  }
  return addWaitingLine(state.lines, key, { traceId, sender, service, feature, slot });
}

/** Takes out the traces that are due by a slot, and lines whose span has not come for a while. */
export function completeTraces(
  state: TraceAssembly,
  slot: number,
): { traces: CompleteTrace[]; lostLines: LostLines[] } {
  // Before traces are complete: their spans take their lines later.
  const lostLines = takeLost(state.lines, slot, (traceId) => state.pending.has(traceId));
  const dueSlots = [...state.dueBySlot.keys()].filter((due) => due <= slot).toSorted((a, b) => a - b);
  const traces: CompleteTrace[] = [];
  let spans = 0;
  for (const dueSlot of dueSlots) {
    for (const traceId of state.dueBySlot.get(dueSlot) ?? []) {
      const trace = state.pending.get(traceId);
      if (trace === undefined || trace.dueSlot !== dueSlot) {
        continue;
      }
      const until = spans < MAX_SPANS_OF_SLOT ? waitsUntil(state, trace) : slot + 1;
      if (until > slot) {
        makeDue(state, traceId, trace, until);
      } else {
        spans += trace.spans.size;
        traces.push(complete(state, traceId, trace));
      }
    }
    state.dueBySlot.delete(dueSlot);
  }
  traces.sort((a, b) => (a.traceId < b.traceId ? -1 : 1));
  return { traces, lostLines };
}

/** @returns the first slot by which so many spans or slots with spans are due; null: there are fewer */
export function slotOfWork(
  { dueBySlot, pending }: TraceAssembly,
  most: { spans: number; slots: number },
): number | null {
  let spans = 0;
  for (const [index, slot] of [...dueBySlot.keys()].toSorted((a, b) => a - b).entries()) {
    for (const traceId of dueBySlot.get(slot) ?? []) {
      spans += pending.get(traceId)?.spans.size ?? 0;
    }
    if (spans >= most.spans || index + 1 >= most.slots) {
      return slot;
    }
  }
  return null;
}

/** The slot in which a trace is complete, as far as is known now. */
function waitsUntil(state: TraceAssembly, trace: PendingTrace): number {
  const longest = trace.firstSlot + LONGEST_SLOTS;
  if (trace.entry === null) {
    const until = Math.min(trace.lastSlot + WAIT_SLOTS, longest);
    trace.patientUntil = until <= trace.dueSlot && isWorthWaiting(state, trace) ? longest : trace.patientUntil;
    return Math.max(until, trace.patientUntil);
  }
  const waitSlots = slotsToWait(state.lateness.get(trace.entry));
  const until = Math.min(trace.lastSlot + waitSlots, longest);
  // The longer wait for an entry ends early only if its sender is known to be punctual.
  return waitSlots < WAIT_SLOTS ? until : Math.max(until, trace.patientUntil);
}

function isWorthWaiting({ entries }: TraceAssembly, { isLate, spans }: PendingTrace): boolean {
  return !isLate && mayEntryCome(entries, spans.values());
}

function complete(state: TraceAssembly, traceId: string, trace: PendingTrace): CompleteTrace {
  state.pending.delete(traceId);
  state.spans -= trace.spans.size;
  if (traceId !== '') {
    rememberJudged(state, traceId, trace);
  }
  for (const { span } of trace.spans.values()) {
    state.seen.add(keyOf(span));
  }
  dropOldest(state.seen, LIMITS.seen);
  if (!trace.isLate) {
    countEntry(state.entries, entryKeysOf(trace.spans.values()), trace.entry !== null);
  }
  const spans = [...trace.spans.values()].toSorted((a, b) => (a.span.spanId < b.span.spanId ? -1 : 1));
  return { traceId, spans, isLate: trace.isLate };
}

function rememberJudged(state: TraceAssembly, traceId: string, trace: PendingTrace): void {
  if (trace.isLate) {
    return; // its first judgement stays remembered
  }
  const { firstSlot, lastSlot, entry, lateSlots, spans } = trace;
  const orphaned = entry === null ? entryKeysOf(spans.values()) : [];
  setBounded(state.judged, traceId, { firstSlot, lastSlot, entry, lateSlots, orphaned }, LIMITS.fingerprints);
  if (entry !== null) {
    const known = getOrCreateFrequent(state.lateness, entry, LIMITS.services, createLateness, ({ traces }) => traces);
    noteTrace(known, lateSlots);
  }
}
