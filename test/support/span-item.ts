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
