import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { PbfWriter } from 'pbf';

export const SPANS_PER_REQUEST = 1_000;
const SPANS_PER_TRACE = 10;
const SERVICES = ['shop', 'checkout', 'payments', 'stock', 'search', 'shipping', 'mail', 'users', 'prices', 'ledger'];
const OPERATIONS_PER_SERVICE = 20;

/** An OTLP request as a collector sends it. */
export interface TraceBody {
  readonly gzip: Buffer;
  /** Number of failed spans. */
  readonly failures: number;
}

/**
 * Creates requests of 1,000 spans with 12 attributes, in traces across ten services. Each body has unique ids.
 *
 * @param errorShare share of failed spans, from 0 to 1, spread evenly
 */
export function createTraceBodies(count: number, errorShare: number, now: Date): TraceBody[] {
  return Array.from({ length: count }, (_, index) => createTraceBody(index * SPANS_PER_REQUEST, errorShare, now));
}

interface SpanFields {
  /** Running number of the span over all bodies. */
  readonly place: number;
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array | null;
  readonly hasFailed: boolean;
  readonly startNanos: number;
}

function createTraceBody(firstPlace: number, errorShare: number, now: Date): TraceBody {
  const byService = SERVICES.map((): SpanFields[] => []);
  let trace = { id: randomBytes(16), last: null as Uint8Array | null };
  let failures = 0;
  for (let place = firstPlace; place < firstPlace + SPANS_PER_REQUEST; place += 1) {
    if (place % SPANS_PER_TRACE === 0) {
      trace = { id: randomBytes(16), last: null };
    }
    const hasFailed = Math.floor((place + 1) * errorShare) > Math.floor(place * errorShare);
    failures += hasFailed ? 1 : 0;
    const spanId = randomBytes(8);
    const startNanos = (now.getTime() - 1_000 + (place % 1_000)) * 1e6;
    const fields = { place, traceId: trace.id, spanId, parentSpanId: trace.last, hasFailed, startNanos };
    byService[place % SERVICES.length]?.push(fields);
    trace.last = spanId;
  }
  const request = new PbfWriter();
  for (const [index, service] of SERVICES.entries()) {
    request.writeMessage(1, writeResourceSpans, { service, spans: byService[index] ?? [] });
  }
  return { gzip: gzipSync(request.finish()), failures };
}

/** Field numbers are those of opentelemetry-proto. */
function writeResourceSpans(group: { service: string; spans: readonly SpanFields[] }, writer: PbfWriter): void {
  const attributes = {
    'service.name': group.service,
    'service.version': '1.2.3',
    'service.instance.id': `${group.service}-7d4b9c6f5-x2x7q`,
    'deployment.environment.name': 'production',
    'telemetry.sdk.language': 'nodejs',
  };
  writer.writeMessage(1, (resource, inner) => writeAttributes(1, resource, inner), attributes);
  writer.writeMessage(2, writeScopeSpans, group.spans);
}

function writeScopeSpans(spans: readonly SpanFields[], writer: PbfWriter): void {
  writer.writeMessage(1, (name, scope) => scope.writeStringField(1, name), '@opentelemetry/instrumentation-http');
  for (const span of spans) {
    writer.writeMessage(2, writeSpan, span);
  }
}

function writeSpan(span: SpanFields, writer: PbfWriter): void {
  const operation = (span.place * 7) % OPERATIONS_PER_SERVICE;
  writer.writeBytesField(1, span.traceId);
  writer.writeBytesField(2, span.spanId);
  if (span.parentSpanId !== null) {
    writer.writeBytesField(4, span.parentSpanId);
  }
  writer.writeStringField(5, `GET /api/v1/resource-${operation}/{id}`);
  writer.writeVarintField(6, 2);
  writer.writeFixed64Field(7, span.startNanos);
  writer.writeFixed64Field(8, span.startNanos + 20e6 + span.place);
  const attributes = {
    'http.request.method': 'GET',
    'http.route': `/api/v1/resource-${operation}/{id}`,
    'http.response.status_code': span.hasFailed ? 500 : 200,
    'url.scheme': 'http',
    'url.path': `/api/v1/resource-${operation}/${span.place}`,
    'server.address': 'api.internal',
    'server.port': 8080,
    'network.protocol.version': '1.1',
    'network.peer.address': `10.0.${span.place % 7}.${span.place % 251}`,
    'user_agent.original': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
    'thread.id': span.place % 16,
    'app.tenant': `tenant-${span.place % 97}`,
  };
  writeAttributes(9, attributes, writer);
  if (span.hasFailed) {
    writer.writeMessage(11, writeException, `upstream answered 500 to request ${span.place}`);
    writer.writeMessage(15, (code, status) => status.writeVarintField(3, code), 2);
  }
}

function writeException(message: string, writer: PbfWriter): void {
  writer.writeStringField(2, 'exception');
  writeAttributes(3, { 'exception.type': 'UpstreamError', 'exception.message': message }, writer);
}

function writeAttributes(tag: number, attributes: Readonly<Record<string, string | number>>, writer: PbfWriter): void {
  for (const entry of Object.entries(attributes)) {
    writer.writeMessage(tag, writeAttribute, entry);
  }
}

function writeAttribute([key, value]: readonly [string, string | number], writer: PbfWriter): void {
  writer.writeStringField(1, key);
  writer.writeMessage(
    2,
    (held, any) => (typeof held === 'string' ? any.writeStringField(1, held) : any.writeVarintField(3, held)),
    value,
  );
}
