import { type Attributes, type HrTime, ROOT_CONTEXT, SeverityNumber, TraceFlags, trace } from '@opentelemetry/api';
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  type ReadableLogRecord,
  SimpleLogRecordProcessor,
} from '@opentelemetry/sdk-logs';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { PbfWriter } from 'pbf';
import { expect, it } from 'vitest';
import { finish } from '../../../../../test/support/finish.ts';
import { encode } from '../../../../../test/support/otlp-encode.ts';
import { MalformedMessageError } from '../../decoded.ts';
import * as fromJson from './otlp-json.ts';
import * as fromProtobuf from './otlp-protobuf.ts';
import { readOtlp } from './otlp-request.ts';
import type { TelemetryKind } from './otlp-response.ts';

/** Metrics and logs written by the SDK's serializers are read back unchanged, in both encodings. */
const resource = resourceFromAttributes({ 'service.name': 'payments' });

const text = fc.string({ unit: 'binary' });
const value = fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true });
const attributes: fc.Arbitrary<Attributes> = fc.dictionary(
  fc.string({ minLength: 1 }),
  fc.oneof(text, value, fc.maxSafeInteger(), fc.boolean(), fc.array(text, { maxLength: 3 })),
  { maxKeys: 4 },
);
const time: fc.Arbitrary<HrTime> = fc.tuple(fc.nat({ max: 4_000_000_000 }), fc.nat({ max: 999_999_999 }));
const nanosOf = ([seconds, nanos]: HrTime) => BigInt(seconds) * 1_000_000_000n + BigInt(nanos);

const point = fc.record({
  startTime: time,
  endTime: time.filter((end) => nanosOf(end) > 0n),
  attributes,
  value,
  count: fc.nat({ max: 1_000_000 }),
});
const metric = fc.record({
  name: text,
  unit: text,
  kind: fc.constantFrom('gauge', 'sum', 'histogram'),
  isCumulative: fc.boolean(),
  isMonotonic: fc.boolean(),
  points: fc.array(point, { minLength: 1, maxLength: 3 }),
});
type Metric = typeof metric extends fc.Arbitrary<infer Value> ? Value : never;

function toMetricData({ name, unit, kind, isCumulative, isMonotonic, points }: Metric): MetricData {
  const common = {
    descriptor: { name, unit, description: '', valueType: 1, advice: {} },
    aggregationTemporality: isCumulative ? AggregationTemporality.CUMULATIVE : AggregationTemporality.DELTA,
  };
  if (kind === 'histogram') {
    const dataPoints = points.map((each) => ({
      ...each,
      value: { buckets: { boundaries: [], counts: [each.count] }, sum: each.value, count: each.count },
    }));
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  return kind === 'sum'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic, dataPoints: points }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints: points };
}

function expectedPoints({ name, unit, kind, isCumulative, isMonotonic, points }: Metric) {
  return points.map((each) => ({
    metric: {
      name,
      unit,
      kind,
      ...(kind === 'gauge' ? {} : { temporality: isCumulative ? 'cumulative' : 'delta' }),
      ...(kind === 'sum' ? { isMonotonic } : {}),
    },
    attributes: each.attributes,
    startNanos: nanosOf(each.startTime),
    timeNanos: nanosOf(each.endTime),
    value: each.value,
    count: kind === 'histogram' ? each.count : 1,
  }));
}

it('reads any metric, point by point', () => {
  fc.assert(
    fc.property(fc.array(metric, { maxLength: 3 }), (metrics) => {
      const request = { resource, scopeMetrics: [{ scope: { name: 'test' }, metrics: metrics.map(toMetricData) }] };

      const read = finish(fromProtobuf.decodeMetrics(encode(ProtobufMetricsSerializer, request)));

      expect(finish(fromJson.decodeMetrics(encode(JsonMetricsSerializer, request)))).toEqual(read);
      expect(read.rejected).toBe(0);
      expect(read.items).toMatchObject(metrics.flatMap(expectedPoints));
    }),
  );
});

const log = fc.record({
  timestamp: time.filter((at) => nanosOf(at) > 0n),
  severityNumber: fc.constantFrom(
    SeverityNumber.TRACE,
    SeverityNumber.WARN,
    SeverityNumber.ERROR4,
    SeverityNumber.FATAL,
  ),
  severityText: text,
  body: fc.oneof(
    text,
    value,
    fc.boolean(),
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(text, text, { maxKeys: 3 }),
  ),
  attributes: attributes.filter((each) => !Object.hasOwn(each, '__proto__')), // the SDK loses it in a log record
  traceId: fc.stringMatching(/^[0-9a-f]{31}[1-9a-f]$/),
  spanId: fc.stringMatching(/^[0-9a-f]{15}[1-9a-f]$/),
});
type Log = typeof log extends fc.Arbitrary<infer Value> ? Value : never;

function recordLogs(logs: readonly Log[]): ReadableLogRecord[] {
  const exporter = new InMemoryLogRecordExporter();
  const provider = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter })] });
  for (const { traceId, spanId, ...record } of logs) {
    const context = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED });
    provider.getLogger('test').emit({ ...record, context });
  }
  return exporter.getFinishedLogRecords();
}

it('reads any log, record by record', () => {
  fc.assert(
    fc.property(fc.array(log, { maxLength: 3 }), (logs) => {
      const records = recordLogs(logs);

      const read = finish(fromProtobuf.decodeLogs(encode(ProtobufLogsSerializer, records)));

      expect(finish(fromJson.decodeLogs(encode(JsonLogsSerializer, records)))).toEqual(read);
      expect(read.rejected).toBe(0);
      expect(read.items).toMatchObject(
        logs.map(({ timestamp, ...rest }) => ({ ...rest, timeNanos: nanosOf(timestamp) })),
      );
    }),
  );
});

const NOW = new Date('2026-01-31T08:00:10.000Z');

function read(body: Uint8Array, kind: TelemetryKind) {
  return () => finish(readOtlp(body, { kind, encoding: 'protobuf', now: NOW }));
}

it('refuses metrics in protobuf at the address of another kind, and names the right one', () => {
  const named = metric.map((each) => ({ ...each, name: `queue.${each.name}` }));
  fc.assert(
    fc.property(fc.array(named, { minLength: 1, maxLength: 3 }), (metrics) => {
      const request = { resource, scopeMetrics: [{ scope: { name: 'test' }, metrics: metrics.map(toMetricData) }] };
      const body = encode(ProtobufMetricsSerializer, request);

      expect(read(body, 'traces')).toThrow('it has metrics: send them to /v1/metrics, this is /v1/traces');
      expect(read(body, 'logs')).toThrow('it has metrics: send them to /v1/metrics, this is /v1/logs');
    }),
  );
});

it('refuses logs in protobuf at the address of another kind, and names the right one', () => {
  fc.assert(
    fc.property(fc.array(log, { minLength: 1, maxLength: 3 }), (logs) => {
      const body = encode(ProtobufLogsSerializer, recordLogs(logs));

      expect(read(body, 'traces')).toThrow('it has logs: send them to /v1/logs, this is /v1/traces');
      expect(read(body, 'metrics')).toThrow('it has logs: send them to /v1/logs, this is /v1/metrics');
    }),
  );
});

it('refuses spans in protobuf at the address of another kind, and names the right one', () => {
  fc.assert(
    fc.property(text, attributes, (name, given) => {
      const exporter = new InMemorySpanExporter();
      const provider = new TracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
      provider.getTracer('test').startSpan(name, { attributes: given }).end();
      const body = encode(ProtobufTraceSerializer, exporter.getFinishedSpans());

      expect(read(body, 'metrics')).toThrow('it has traces: send them to /v1/traces, this is /v1/metrics');
      expect(read(body, 'logs')).toThrow('it has traces: send them to /v1/traces, this is /v1/logs');
    }),
  );
});

it('refuses lines without a time at the address of metrics, where they look like metrics without values', () => {
  const bodies = fc.array(
    text.filter((each) => each !== ''),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(bodies, (lines) => {
      const records = lines.map((line) => message(2, message(5, message(1, Buffer.from(line)))));
      const body = message(1, message(2, Buffer.concat(records)));

      expect(finish(fromProtobuf.decodeLogs(body)).items).toHaveLength(lines.length);
      expect(read(body, 'metrics')).toThrow(MalformedMessageError);
      expect(read(body, 'traces')).toThrow(MalformedMessageError);
    }),
  );
});

/** A field that is a message, text or bytes. */
function message(tag: number, content: Uint8Array): Uint8Array {
  const writer = new PbfWriter();
  writer.writeBytesField(tag, content);
  return writer.finish();
}
