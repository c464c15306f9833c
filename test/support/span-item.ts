import type { SpanItem } from '../../src/service/core/telemetry-item.ts';

let ids = 0;

/** A server span that did not fail, as the engine takes it, in a trace of its own. */
export function spanItem(values: Partial<SpanItem> = {}): SpanItem {
  ids += 1;
  return {
    kind: 'span',
    service: 'checkout',
    at: 0,
    durationMs: 10,
    operation: 'GET /',
    traceId: `trace-${ids}`,
    spanId: `span-${ids}`,
    parentSpanId: null,
    role: 'server',
    isFailed: false,
    peer: null,
    ...values,
  };
}

/**
 * Builds spans of one trace that all begin at `at`. They are added to `spans`.
 *
 * @param number of the trace in its system. Systems that number theirs have the same spans as long as the same happens, and
 *   `feedEngine` feeds these once.
 */
export function traceBuilder(spans: SpanItem[], at: number, number?: number) {
  const { traceId } = number === undefined ? spanItem() : { traceId: `numbered-${number}` };
  let count = 0;
  return (parent: SpanItem | null, span: Partial<SpanItem> & Pick<SpanItem, 'service' | 'durationMs'>): SpanItem => {
    count += 1;
    const ids = { traceId, spanId: `${traceId}-${count}`, parentSpanId: parent?.spanId ?? null };
    const item = spanItem({ ...ids, at: at + span.durationMs, ...span });
    spans.push(item);
    return item;
  };
}
