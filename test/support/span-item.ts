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

/** Builds spans of one trace that all begin at `at`. They are added to `spans`. */
export function traceBuilder(spans: SpanItem[], at: number) {
  const { traceId } = spanItem();
  return (parent: SpanItem | null, span: Partial<SpanItem> & Pick<SpanItem, 'service' | 'durationMs'>): SpanItem => {
    const item = spanItem({ traceId, at: at + span.durationMs, parentSpanId: parent?.spanId ?? null, ...span });
    spans.push(item);
    return item;
  };
}
