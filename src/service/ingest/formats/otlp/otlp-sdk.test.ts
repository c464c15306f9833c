import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import {
  type Attributes,
  type HrTime,
  ROOT_CONTEXT,
  SeverityNumber,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../../../test/support/finish.ts';
import { encode } from '../../../../../test/support/otlp-encode.ts';
import type { SignalBatch } from '../../../core/signal.ts';
import { createIncomingBodies } from '../../incoming-bodies.ts';
import { createOtlpHandler } from './otlp-http.ts';
import * as fromJson from './otlp-json.ts';
import * as fromProtobuf from './otlp-protobuf.ts';

const resource = resourceFromAttributes({ 'service.name': 'payments', 'service.instance.id': 'p-1' });
const CALLER = { sender: 'a key', onItems: () => undefined, onUnkept: () => undefined };
const START: HrTime = [1_769_846_400, 123_456_789];
const END: HrTime = [1_769_846_401, 987_654_321];

interface SpanSpec {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly status: SpanStatusCode;
  readonly message: string;
  readonly fails: boolean;
}

function recordSpan({ name, kind, attributes, status, message, fails }: SpanSpec): ReadableSpan[] {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const parent = {
    traceId: 'ABCDEF0123456789abcdef0123456789'.toLowerCase(),
    spanId: 'feedfacecafebeef',
    traceFlags: TraceFlags.SAMPLED,
  };
  const context = trace.setSpanContext(ROOT_CONTEXT, parent);
  const span = provider.getTracer('test').startSpan(name, { kind, attributes, startTime: START }, context);
  if (fails) {
    span.recordException(new RangeError('out of stock'), START);
  }
  span.setStatus({ code: status, message }).end(END);
  return exporter.getFinishedSpans();
}

const charge: SpanSpec = {
  name: 'POST /charge',
  kind: SpanKind.SERVER,
  attributes: { 'http.response.status_code': 500, retry: false, share: 0.5, tags: ['a', 'b'] },
  status: SpanStatusCode.ERROR,
  message: 'it broke',
  fails: true,
};

describe('what the OpenTelemetry SDK sends', () => {
  it.each([
    ['JSON', JsonTraceSerializer, fromJson],
    ['protobuf', ProtobufTraceSerializer, fromProtobuf],
  ] as const)('is read span by span (%s)', (_, serializer, reader) => {
    const spans = recordSpan(charge);

    const { items, rejected } = finish(reader.decodeTraces(encode(serializer, spans)));

    expect(rejected).toBe(0);
    expect(items).toEqual([
      {
        resource: expect.objectContaining({ service: 'payments' }),
        traceId: 'abcdef0123456789abcdef0123456789',
        spanId: spans[0]?.spanContext().spanId,
        parentSpanId: 'feedfacecafebeef',
        name: 'POST /charge',
        kind: 'server',
        startNanos: 1_769_846_400_123_456_789n,
        endNanos: 1_769_846_401_987_654_321n,
        attributes: charge.attributes,
        status: 'error',
        statusMessage: 'it broke',
        exception: expect.objectContaining({ 'exception.type': 'RangeError', 'exception.message': 'out of stock' }),
      },
    ]);
  });

  it('is the same span in both encodings, whatever it contains', () => {
    const attributeValue = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.array(fc.string(), { maxLength: 3 }),
      fc.array(fc.maxSafeInteger(), { maxLength: 3 }),
    );
    const spec: fc.Arbitrary<SpanSpec> = fc.record({
      name: fc.string({ unit: 'binary' }),
      kind: fc.constantFrom(SpanKind.CLIENT, SpanKind.SERVER, SpanKind.INTERNAL, SpanKind.PRODUCER, SpanKind.CONSUMER),
      attributes: fc.dictionary(fc.string({ minLength: 1 }), attributeValue, { maxKeys: 6 }),
      status: fc.constantFrom(SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR),
      message: fc.string({ unit: 'binary' }),
      fails: fc.boolean(),
    });

    fc.assert(
      fc.property(spec, (each) => {
        const spans = recordSpan(each);
        const read = finish(fromProtobuf.decodeTraces(encode(ProtobufTraceSerializer, spans)));
        expect(read.items).toHaveLength(1);
        expect(finish(fromJson.decodeTraces(encode(JsonTraceSerializer, spans)))).toEqual(read);
        expect(read.items[0]?.name).toBe(spans[0]?.name);
        expect(read.items[0]?.attributes).toEqual(spans[0]?.attributes);
      }),
    );
  });

  it.each([AggregationTemporality.DELTA, AggregationTemporality.CUMULATIVE])(
    'is read point by point, the same in both encodings (temporality %i)',
    async (temporality) => {
      const exporter = new InMemoryMetricExporter(temporality);
      const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
      const provider = new MeterProvider({ resource, readers: [reader] });
      const meter = provider.getMeter('test');
      const durations = meter.createHistogram('http.server.request.duration', { unit: 's' });
      durations.record(0.5, { 'http.route': '/charge' });
      durations.record(1.5, { 'http.route': '/charge' });
      meter.createCounter('errors').add(3);
      meter.createUpDownCounter('queue.depth').add(-7);
      meter.createGauge('system.cpu.utilization').record(0.25);
      await provider.forceFlush();

      const metrics = exporter.getMetrics()[0];
      const read = finish(fromProtobuf.decodeMetrics(encode(ProtobufMetricsSerializer, metrics)));
      await provider.shutdown();

      expect(finish(fromJson.decodeMetrics(encode(JsonMetricsSerializer, metrics)))).toEqual(read);
      expect(
        read.items.map(({ metric, value, count }) => [metric.name, metric.kind, metric.unit, value, count]),
      ).toEqual([
        ['http.server.request.duration', 'histogram', 's', 2, 2],
        ['errors', 'sum', '', 3, 1],
        ['queue.depth', 'sum', '', -7, 1],
        ['system.cpu.utilization', 'gauge', '', 0.25, 1],
      ]);
      expect(read.items[0]).toMatchObject({
        attributes: { 'http.route': '/charge' },
        metric: { temporality: temporality === AggregationTemporality.DELTA ? 'delta' : 'cumulative' },
      });
      expect(read.items[1]?.metric.isMonotonic).toBe(true);
    },
  );

  it('is read record by record, the same in both encodings', () => {
    const exporter = new InMemoryLogRecordExporter();
    const provider = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter })] });
    const context = trace.setSpanContext(ROOT_CONTEXT, {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      traceFlags: 1,
    });
    provider.getLogger('test').emit({
      timestamp: START,
      severityNumber: SeverityNumber.FATAL,
      severityText: 'FATAL',
      body: { text: 'no', depth: { is: ['fine', 7, null, true] }, bytes: new Uint8Array([1, 2, 255]) },
      attributes: { 'exception.type': 'RangeError' },
      context,
    });

    const records = exporter.getFinishedLogRecords();
    const read = finish(fromProtobuf.decodeLogs(encode(ProtobufLogsSerializer, records)));

    expect(finish(fromJson.decodeLogs(encode(JsonLogsSerializer, records)))).toEqual(read);
    expect(read.items).toEqual([
      {
        resource: expect.objectContaining({ service: 'payments' }),
        timeNanos: 1_769_846_400_123_456_789n,
        severityNumber: 21,
        severityText: 'FATAL',
        body: { text: 'no', depth: { is: ['fine', 7, null, true] }, bytes: 'AQL/' },
        attributes: { 'exception.type': 'RangeError' },
        traceId: 'a'.repeat(32),
        spanId: 'b'.repeat(16),
      },
    ]);
  });

  it('arrives over HTTP with gzip and becomes a signal', async () => {
    const batches: SignalBatch[] = [];
    const handle = createOtlpHandler({
      now: () => new Date('2026-02-01T00:00:00Z'),
      bodies: createIncomingBodies(),
      accept: async (batch) => void batches.push(batch),
    });
    const server = serve({ fetch: (request) => handle(request, 'traces', CALLER), port: 0, hostname: '127.0.0.1' });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    type Options = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;
    const exporter = new OTLPTraceExporter({
      url: `http://127.0.0.1:${port}/v1/traces`,
      compression: 'gzip' as NonNullable<Options['compression']>,
    });
    const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] });

    const span = provider.getTracer('test').startSpan('POST /charge', { kind: SpanKind.SERVER });
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'connection refused' }).end();
    await provider.forceFlush();
    await provider.shutdown();
    server.close();

    expect(batches.flatMap(({ signals }) => signals)).toMatchObject([
      { type: 'trace', service: 'payments', summary: 'POST /charge fails (connection refused)', occurrences: 1 },
    ]);
  });
});
