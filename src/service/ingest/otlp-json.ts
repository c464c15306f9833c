import {
  type LogRecord,
  type Metric,
  type MetricPoint,
  type Resource,
  SPAN_KINDS,
  SPAN_STATUSES,
  type Span,
  TEMPORALITIES,
} from '../core/telemetry.ts';
import {
  type Collector,
  createCollector,
  type Decoding,
  toLogRecord,
  toMetricPoint,
  toResource,
  toSpan,
} from './decoded.ts';
import { elements, expectEnd, type JsonCursor, members, openJson, readOutline, readSmallValue } from './json-cursor.ts';
import {
  attributesIn,
  enumIn,
  type Fields,
  fieldsOf,
  hexIn,
  listOf,
  nanosIn,
  numberIn,
  textIn,
  valueIn,
} from './json-value.ts';

/** Decoders of the three OTLP export requests in JSON: lowerCamelCase, hex ids, 64-bit numbers as text. */

/** Names of the three levels of a request. */
interface Levels {
  readonly resources: string;
  readonly scopes: string;
  readonly entries: string;
}

/** Reads the entry of a scope at the cursor. */
type ReadEntry<Item> = (cursor: JsonCursor, resource: Resource, into: Collector<Item>) => Iterable<void>;

export function decodeTraces(bytes: Uint8Array): Decoding<Span> {
  const levels = { resources: 'resourceSpans', scopes: 'scopeSpans', entries: 'spans' };
  return decodeExport(bytes, levels, readEach(readSpan));
}

export function decodeMetrics(bytes: Uint8Array): Decoding<MetricPoint> {
  const levels = { resources: 'resourceMetrics', scopes: 'scopeMetrics', entries: 'metrics' };
  return decodeExport(bytes, levels, readMetric);
}

export function decodeLogs(bytes: Uint8Array): Decoding<LogRecord> {
  const levels = { resources: 'resourceLogs', scopes: 'scopeLogs', entries: 'logRecords' };
  return decodeExport(bytes, levels, readEach(readLogRecord));
}

function* decodeExport<Item>(bytes: Uint8Array, levels: Levels, readEntry: ReadEntry<Item>): Decoding<Item> {
  const into = createCollector<Item>();
  const request = openJson(bytes);
  for (const key of members(request)) {
    for (const _ of key === levels.resources ? elements(request) : []) {
      into.count('resources');
      yield* readResource(request, levels, readEntry, into);
    }
  }
  expectEnd(request);
  return into.decoded;
}

function* readResource<Item>(
  cursor: JsonCursor,
  levels: Levels,
  readEntry: ReadEntry<Item>,
  into: Collector<Item>,
): Generator<void> {
  const { fields, located } = readOutline(cursor, (key) => key === levels.scopes);
  const resource = toResource(attributesIn(fieldsOf(fields.resource).attributes));
  yield;
  for (const { value: scopes } of located) {
    for (const _ of elements(scopes)) {
      into.count('scopes');
      for (const key of members(scopes)) {
        for (const _entry of key === levels.entries ? elements(scopes) : []) {
          yield* readEntry(scopes, resource, into);
        }
      }
      yield;
    }
  }
}

/** For entries that are items. */
function readEach<Item>(readItem: (item: Fields, resource: Resource) => Item | null): ReadEntry<Item> {
  return (cursor, resource, into) => {
    into.count('items');
    const start = cursor.at;
    const item = readSmallValue(cursor);
    if (item === undefined) {
      into.addTooLarge();
    } else {
      into.add(readItem(fieldsOf(item), resource));
    }
    return into.pauseAfter(cursor.at - start);
  };
}

function readSpan(span: Fields, resource: Resource): Span | null {
  const status = fieldsOf(span.status);
  const exception = listOf(span.events).findLast((event) => event.name === 'exception');
  return toSpan(resource, {
    traceId: hexIn(span.traceId),
    spanId: hexIn(span.spanId),
    parentSpanId: hexIn(span.parentSpanId),
    traceState: textIn(span.traceState),
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

function* readMetric(cursor: JsonCursor, resource: Resource, into: Collector<MetricPoint>): Generator<void> {
  into.count('metrics');
  const { fields, located } = readOutline(cursor, isPointKind);
  yield;
  for (const { key, value: data } of located) {
    const { fields: ofData, located: lists } = readOutline(data, (name) => name === 'dataPoints');
    const metric = describeMetric(fields, key as keyof typeof POINT_KINDS, ofData); // located by `isPointKind`
    yield;
    for (const { value: points } of lists) {
      yield* readPoints(points, resource, metric, into);
    }
  }
}

function isPointKind(key: string): boolean {
  return Object.hasOwn(POINT_KINDS, key);
}

/** A summary has no temporality field; it is cumulative. */
function describeMetric(metric: Fields, form: keyof typeof POINT_KINDS, data: Fields): Metric {
  const temporality = enumIn(data.aggregationTemporality, 'AGGREGATION_TEMPORALITY_', TEMPORALITIES);
  return {
    name: textIn(metric.name),
    unit: textIn(metric.unit),
    kind: POINT_KINDS[form],
    temporality: form === 'summary' ? 'cumulative' : (TEMPORALITIES[temporality] ?? 'unspecified'),
    isMonotonic: data.isMonotonic === true,
  };
}

function* readPoints(
  cursor: JsonCursor,
  resource: Resource,
  metric: Metric,
  into: Collector<MetricPoint>,
): Generator<void> {
  for (const _ of elements(cursor)) {
    into.count('items');
    const start = cursor.at;
    const value = readSmallValue(cursor);
    if (value === undefined) {
      into.addTooLarge();
    } else {
      const point = readPoint(fieldsOf(value), resource, metric);
      if (point !== null) {
        into.add(toMetricPoint(point));
      }
    }
    yield* into.pauseAfter(cursor.at - start);
  }
}

/** null for a point without a recorded value. */
function readPoint(point: Fields, resource: Resource, metric: Metric): MetricPoint | null {
  const isHistogram = metric.kind === 'histogram';
  const value = isHistogram ? numberIn(point.sum) : numberIn(point.asDouble ?? point.asInt);
  const hasNoRecordedValue = ((numberIn(point.flags) ?? 0) & 1) === 1;
  if (value === null || hasNoRecordedValue) {
    return null;
  }
  return {
    resource,
    metric,
    attributes: attributesIn(point.attributes),
    startNanos: nanosIn(point.startTimeUnixNano),
    timeNanos: nanosIn(point.timeUnixNano),
    value,
    count: isHistogram ? (numberIn(point.count) ?? 0) : 1,
  };
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
