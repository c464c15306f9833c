import { randomBytes } from 'node:crypto';

interface SpanFields {
  readonly name?: string;
  readonly message?: string;
  readonly attribute?: string;
  /** `peer.service` of the span with this index; absent: none. */
  readonly peer?: (index: number) => string;
}

/** An OTLP/JSON request with failed spans of one service. With peers they are calls that succeed. */
export function spansOf(service: string, count: number, fields: SpanFields = {}): object {
  const { name = 'GET /', message = 'connection refused', attribute = 'none', peer } = fields;
  const traceId = randomBytes(16).toString('hex');
  const atMs = Date.now();
  const spans = Array.from({ length: count }, (_, index) => ({
    traceId,
    spanId: randomBytes(8).toString('hex'),
    name,
    kind: peer === undefined ? 2 : 3,
    startTimeUnixNano: `${atMs - 20}000000`,
    endTimeUnixNano: `${atMs}000000`,
    attributes: [
      { key: peer === undefined ? 'error.type' : 'peer.service', value: { stringValue: peer?.(index) ?? attribute } },
    ],
    status: peer === undefined ? { code: 2, message } : { code: 1 },
  }));
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
}
