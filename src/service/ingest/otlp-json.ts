import {
  type LogRecord,
  type MetricPoint,
  type Resource,
  SPAN_KINDS,
  SPAN_STATUSES,
  type Span,
  TEMPORALITIES,
} from '../core/telemetry.ts';
import { type Decoded, toLogRecord, toMetricPoint, toResource, toSpan } from './decoded.ts';
import {
  attributesIn,
  enumIn,
  type Fields,
  fieldsOf,
  hexIn,
  listOf,
  nanosIn,
  numberIn,
  parseJson,
  textIn,
  valueIn,
} from './json-message.ts';

/** Decoders of the three OTLP export requests in JSON: lowerCamelCase, hex ids, 64-bit numbers as text. */

/** Names of the three levels of a request. */
interface Levels {
  readonly resources: string;
  readonly scopes: string;
  readonly items: string;
}

export function decodeTraces(bytes: Uint8Array): Decoded<Span> {
  const levels = { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' };
  return decodeExport(bytes, levels, (span, resource) => [readSpan(span, resource)]);
}

export function decodeMetrics(bytes: Uint8Array): Decoded<MetricPoint> {
  const levels = { resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics' };
  return decodeExport(bytes, levels, readMetric);
}

export function decodeLogs(bytes: Uint8Array): Decoded<LogRecord> {
  const levels = { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords' };
  return decodeExport(bytes, levels, (record, resource) => [readLogRecord(record, resource)]);
}

function decodeExport<Item>(
  bytes: Uint8Array,
  levels: Levels,
  readItem: (item: Fields, resource: Resource) => readonly (Item | null)[],
): Decoded<Item> {
  const request = fieldsOf(parseJson(bytes));
  const read = listOf(request[levels.resources]).flatMap((entry) => {
    const resource = toResource(attributesIn(fieldsOf(entry.resource).attributes));
    const scopes = listOf(entry[levels.scopes]);
    return scopes.flatMap((scope) => listOf(scope[levels.items]).flatMap((item) => readItem(item, resource)));
  });
  const items = read.filter((item) => item !== null);
  return { items, rejected: read.length - items.length };
}

function readSpan(span: Fields, resource: Resource): Span | null {
  const status = fieldsOf(span.status);
  const exception = listOf(span.events).findLast((event) => event.name === 'exception');
  return toSpan(resource, {
    traceId: hexIn(span.traceId),
    spanId: hexIn(span.spanId),
    parentSpanId: hexIn(span.parentSpanId),
    name: textIn(span.name),
    kind: enumIn(span.kind, 'SPAN_KIND_', SPAN_KINDS),
    startNanos: nanosIn(span.startTimeUnixNano),
    endNanos: nanosIn(span.endTimeUnixNano),
    attributes: attributesIn(span.attributes),
    status: enumIn(status.code, 'STATUS_CODE_', SPAN_STATUSES),
    statusMessage: textIn(status.message),
    exception: exception === undefined ? null : attributesIn(exception.attributes),
  });
}

const POINT_KINDS = {
  gauge: 'gauge',
  sum: 'sum',
  histogram: 'histogram',
  exponentialHistogram: 'histogram',
  summary: 'histogram',
} as const;

function readMetric(metric: Fields, resource: Resource): (MetricPoint | null)[] {
  const form = Object.keys(POINT_KINDS).find((name) => metric[name] !== undefined && metric[name] !== null);
  if (form === undefined) {
    return [];
  }
  const data = fieldsOf(metric[form]);
  const kind = POINT_KINDS[form as keyof typeof POINT_KINDS];
  // A summary has no temporality field; it is cumulative.
  const temporality = enumIn(data.aggregationTemporality, 'AGGREGATION_TEMPORALITY_', TEMPORALITIES);
  const described = {
    name: textIn(metric.name),
    unit: textIn(metric.unit),
    kind,
    temporality: form === 'summary' ? ('cumulative' as const) : (TEMPORALITIES[temporality] ?? 'unspecified'),
    isMonotonic: data.isMonotonic === true,
  };
  return listOf(data.dataPoints).flatMap((point) => {
    const value = kind === 'histogram' ? numberIn(point.sum) : numberIn(point.asDouble ?? point.asInt);
    const hasNoRecordedValue = ((numberIn(point.flags) ?? 0) & 1) === 1;
    return value === null || hasNoRecordedValue
      ? []
      : [
          toMetricPoint({
            resource,
            metric: described,
            attributes: attributesIn(point.attributes),
            startNanos: nanosIn(point.startTimeUnixNano),
            timeNanos: nanosIn(point.timeUnixNano),
            value,
            count: kind === 'histogram' ? (numberIn(point.count) ?? 0) : 1,
          }),
        ];
  });
}

function readLogRecord(record: Fields, resource: Resource): LogRecord {
  return toLogRecord(resource, {
    timeNanos: nanosIn(record.timeUnixNano),
    observedNanos: nanosIn(record.observedTimeUnixNano),
    severityNumber: severityNumberIn(record.severityNumber),
    severityText: textIn(record.severityText),
    body: valueIn(record.body),
    attributes: attributesIn(record.attributes),
    traceId: hexIn(record.traceId),
    spanId: hexIn(record.spanId),
  });
}

const SEVERITY_NAMES = [
  'unspecified',
  ...['trace', 'debug', 'info', 'warn', 'error', 'fatal'].flatMap((name) => [name, `${name}2`, `${name}3`, `${name}4`]),
];

function severityNumberIn(value: unknown): number {
  return Math.max(0, enumIn(value, 'SEVERITY_NUMBER_', SEVERITY_NAMES));
}
