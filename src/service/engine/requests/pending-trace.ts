import type { SpanItem } from '../../core/telemetry-item.ts';
import { MAX_SPANS_OF_TRACE } from './constants.ts';
import type { ReportedSpan } from './request-tree.ts';

/** A trace whose spans are still coming. */
export interface PendingTrace {
  /** Who sent the first of its spans. */
  readonly sender: string;
  readonly spans: Map<string, ReportedSpan>;
  /** Ids of the spans that may be dropped for others, by `importanceOf`. null: there is room for all. */
  spare: readonly string[][] | null;
  /** Slots in which its first and its last span came. */
  readonly firstSlot: number;
  lastSlot: number;
  /** Slot in which it is checked next. */
  dueSlot: number;
  /** Slot until which it waits for an entry that is likely to come. -1: it does not. */
  patientUntil: number;
  /** Sender and service of its entry, see `Lateness`; null: it has not come. */
  entry: string | null;
  /** Longest delay of a span or line after the spans before it, in slots, once the entry was there. */
  lateSlots: number;
  /** The trace was judged before, so spans that come now make no second request. */
  readonly isLate: boolean;
}

/** @param isLate the trace was judged before */
export function createPendingTrace(sender: string, slot: number, isLate: boolean): PendingTrace {
  return {
    sender,
    spans: new Map(),
    spare: null,
    firstSlot: slot,
    lastSlot: slot,
    dueSlot: -1,
    patientUntil: -1,
    entry: null,
    lateSlots: 0,
    isLate,
  };
}

/**
 * Adds a span, in the place of one that tells less if the trace has too many.
 *
 * @returns false: all others tell as much
 */
export function keepSpan(trace: PendingTrace, span: SpanItem, sender: string): boolean {
  const importance = importanceOf(span);
  if (trace.spans.size >= MAX_SPANS_OF_TRACE) {
    trace.spare ??= spareOf(trace.spans.values());
    const spareId = trace.spare
      .slice(0, importance)
      .find((ids) => ids.length > 0)
      ?.pop();
    if (spareId === undefined) {
      return false;
    }
    trace.spans.delete(spareId);
  }
  trace.spans.set(span.spanId, { span, sender });
  trace.spare?.[importance]?.push(span.spanId);
  return true;
}

/** What tells most of a request is dropped last: how it began and ended, then what failed, then who answered. */
function importanceOf({ parentSpanId, isFailed, role }: SpanItem): number {
  if (parentSpanId === null) {
    return 3;
  }
  return isFailed ? 2 : role === 'server' || role === 'consumer' ? 1 : 0;
}

function spareOf(spans: Iterable<ReportedSpan>): string[][] {
  const spare: string[][] = [[], [], []];
  for (const { span } of spans) {
    spare[importanceOf(span)]?.push(span.spanId);
  }
  return spare;
}
