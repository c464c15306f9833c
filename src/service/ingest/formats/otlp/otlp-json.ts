import {
  type LogRecord,
  type Metric,
  type MetricPoint,
  type Resource,
  SPAN_KINDS,
  SPAN_STATUSES,
  type Span,
  TEMPORALITIES,
} from '../../../core/telemetry.ts';
import { clip } from '../../../core/text.ts';
import {
  type Collector,
  createCollector,
  type Decoding,
  MalformedMessageError,
  type SentMetricPoint,
  toLogRecord,
  toMetricPoint,
  toResource,
  toSpan,
} from '../../decoded.ts';
import {
  elements,
  expectEnd,
  type JsonCursor,
  members,
  openJson,
  readOutline,
  readSmallValue,
} from '../../json-cursor.ts';
import {
  attributesIn,
  enumIn,
  type Fields,
  fieldsOf,
  idIn,
  listOf,
  nanosIn,
  numberIn,
  textIn,
  valueIn,
} from '../../json-value.ts';
import { fieldName, hasPresentNames, LEVELS, withFieldNames } from './otlp-json-names.ts';
import { describeOtherKind, TELEMETRY_KINDS, type TelemetryKind } from './otlp-response.ts';

/**
 * Decoders of the three OTLP export requests in JSON: lowerCamelCase, hex ids, 64-bit numbers as text. Other names of fields
 * are read too, see `fieldName`, and ids in base64.
 */

/** Reads the entry of a scope at the cursor. */
type ReadEntry<Item> = (cursor: JsonCursor, resource: Resource, into: Into<Item>) => Iterable<void>;

interface Into<Item> extends Collector<Item> {
  /** Gives what was parsed the present names of its fields. */
  readonly named: (parsed: unknown) => unknown;
}

export function decodeTraces(bytes: Uint8Array): Decoding<Span> {
  return decodeExport(bytes, 'traces', readEach(readSpan));
}

export function decodeMetrics(bytes: Uint8Array): Decoding<MetricPoint> {
  return decodeExport(bytes, 'metrics', readMetric);
}

export function decodeLogs(bytes: Uint8Array): Decoding<LogRecord> {
  return decodeExport(bytes, 'logs', readEach(readLogRecord));
}

function* decodeExport<Item>(bytes: Uint8Array, kind: TelemetryKind, readEntry: ReadEntry<Item>): Decoding<Item> {
  const into = { ...createCollector<Item>(), named: hasPresentNames(bytes) ? asSent : withFieldNames };
  const request = openJson(bytes);
  const others: string[] = [];
  let hasResources = false;
  for (const sent of members(request)) {
    const key = fieldName(sent);
    if (key !== LEVELS[kind].resources) {
      others.push(sent);
      refuseOtherKind(key, kind);
      continue;
    }
    hasResources = true;
    for (const _ of elements(request)) {
      into.count('resources');
      yield* readResource(request, kind, readEntry, into);
    }
  }
  expectEnd(request);
  if (!hasResources && others.length > 0) {
    throw new MalformedMessageError(`it has "${others[0]}" and no "${LEVELS[kind].resources}"`);
  }
  return into.decoded;
}

function asSent(parsed: unknown): unknown {
  return parsed;
}

/** @throws {MalformedMessageError} when it is the content of a request of another kind */
function refuseOtherKind(key: string, kind: TelemetryKind): void {
  const other = TELEMETRY_KINDS.find((each) => LEVELS[each].resources === key);
  if (other !== undefined) {
    throw new MalformedMessageError(describeOtherKind(other, kind));
  }
}

function* readResource<Item>(
  cursor: JsonCursor,
  kind: TelemetryKind,
  readEntry: ReadEntry<Item>,
  into: Into<Item>,
): Generator<void> {
  const levels = LEVELS[kind];
  const { fields, located } = readOutline(cursor, (key) => fieldName(key) === levels.scopes);
  const resource = toResource(attributesIn(fieldsOf(fieldsOf(into.named(fields)).resource).attributes));
  if (located.length === 0) {
    noteUnread(Object.keys(fields), levels.scopes, into);
  }
  yield;
  for (const { value: scopes } of located) {
    for (const _ of elements(scopes)) {
      into.count('scopes');
      const keys: string[] = [];
      for (const key of members(scopes)) {
        keys.push(fieldName(key));
        for (const _entry of fieldName(key) === levels.entries ? elements(scopes) : []) {
          yield* readEntry(scopes, resource, into);
        }
      }
      if (!keys.includes(levels.entries)) {
        noteUnread(keys, levels.entries, into);
      }
      yield;
    }
  }
}

/** Fields of a resource or scope beside its content. */
const DESCRIBING: readonly string[] = ['resource', 'scope', 'instrumentationLibrary', 'schemaUrl'];

/** A field that nobody knows may hold what should have been in `expected`. OTLP lets receivers ignore it, but not silently. */
function noteUnread(keys: readonly string[], expected: string, into: Collector<unknown>): void {
  const other = keys.find((key) => !DESCRIBING.includes(fieldName(key)));
  if (other !== undefined) {
    into.addUnread(`"${clip(other, 60)}" was not read: "${expected}" was expected`);
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
      into.add(readItem(fieldsOf(into.named(item)), resource), () => item);
    }
    return into.pauseAfter(cursor.at - start);
  };
}

function readSpan(span: Fields, resource: Resource): Span | null {
  const status = fieldsOf(span.status);
  const exception = listOf(span.events).findLast((event) => event.name === 'exception');
  return toSpan(resource, {
    traceId: idIn(span.traceId, 16),
    spanId: idIn(span.spanId, 8),
    parentSpanId: idIn(span.parentSpanId, 8),
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

function* readMetric(cursor: JsonCursor, resource: Resource, into: Into<MetricPoint>): Generator<void> {
  into.count('metrics');
  const { fields, located } = readOutline(cursor, isPointKind);
  yield;
  const forms = located.flatMap(({ key, value }) =>
    key === 'Data' ? readOutline(value, isPointKind).located : { key, value },
  );
  for (const { key, value: data } of forms) {
    const { fields: ofData, located: lists } = readOutline(data, (name) => fieldName(name) === 'dataPoints');
    const form = fieldName(key) as keyof typeof POINT_KINDS; // located by `isPointKind`
    const metric = describeMetric(fieldsOf(into.named(fields)), form, fieldsOf(into.named(ofData)));
    yield;
    for (const { value: points } of lists) {
      yield* readPoints(points, resource, metric, into);
    }
  }
}

/** Go's encoder has the kinds below `Data`. */
function isPointKind(key: string): boolean {
  return key === 'Data' || Object.hasOwn(POINT_KINDS, fieldName(key));
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

function* readPoints(cursor: JsonCursor, resource: Resource, metric: Metric, into: Into<MetricPoint>): Generator<void> {
  for (const _ of elements(cursor)) {
    into.count('items');
    const start = cursor.at;
    const value = readSmallValue(cursor);
    if (value === undefined) {
      into.addTooLarge();
    } else {
      const point = readPoint(fieldsOf(into.named(value)), resource, metric);
      if (point !== null) {
        into.add(toMetricPoint(point), () => value);
      }
    }
    yield* into.pauseAfter(cursor.at - start);
  }
}

/** null for a point without a recorded value, and for a histogram without a sum. */
function readPoint(point: Fields, resource: Resource, metric: Metric): SentMetricPoint | null {
  const isHistogram = metric.kind === 'histogram';
  const value = isHistogram ? numberIn(point.sum) : numberIn(point.asDouble ?? point.asInt);
  const hasNoRecordedValue = ((numberIn(point.flags) ?? 0) & 1) === 1;
  if (hasNoRecordedValue || (isHistogram && value === null)) {
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
    traceId: idIn(record.traceId, 16),
    spanId: idIn(record.spanId, 8),
  });
}

const SEVERITY_NAMES = [
  'unspecified',
  ...['trace', 'debug', 'info', 'warn', 'error', 'fatal'].flatMap((name) => [name, `${name}2`, `${name}3`, `${name}4`]),
];

function severityNumberIn(value: unknown): number {
  return Math.max(0, enumIn(value, 'SEVERITY_NUMBER_', SEVERITY_NAMES));
}
