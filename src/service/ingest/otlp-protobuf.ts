import { PbfReader } from 'pbf';
import {
  type Attributes,
  type AttributeValue,
  type LogRecord,
  type Metric,
  type MetricPoint,
  type Resource,
  type Span,
  TEMPORALITIES,
} from '../core/telemetry.ts';
import {
  type Decoded,
  MAX_VALUE_DEPTH,
  MalformedMessageError,
  type MutableAttributes,
  type SentLogRecord,
  type SentSpan,
  setAttribute,
  toLogRecord,
  toMetricPoint,
  toResource,
  toSpan,
} from './decoded.ts';
import {
  readBytes,
  readDouble,
  readFixed64,
  readHex,
  readInt64,
  readMessage,
  readSignedFixed64,
  readSmallInt,
  readText,
  readWholeMessage,
} from './protobuf-message.ts';

/**
 * Decoders of the three OTLP export requests. Numbers are the field numbers of opentelemetry-proto 1.x. Fields that
 * judging does not need are skipped.
 */

/** Reads the current item; null counts as rejected. */
type ReadItem<Item> = (pbf: PbfReader, resource: Resource) => readonly (Item | null)[];

export function decodeTraces(bytes: Uint8Array): Decoded<Span> {
  return decodeExport(bytes, (pbf, resource) => [toSpan(resource, readSpan(pbf))]);
}

export function decodeMetrics(bytes: Uint8Array): Decoded<MetricPoint> {
  return decodeExport(bytes, readMetric);
}

export function decodeLogs(bytes: Uint8Array): Decoded<LogRecord> {
  return decodeExport(bytes, (pbf, resource) => [toLogRecord(resource, readLogRecord(pbf))]);
}

/** All requests contain resources (1) with attributes (1) and scopes (2) with items (2). */
function decodeExport<Item>(bytes: Uint8Array, readItem: ReadItem<Item>): Decoded<Item> {
  const items: Item[] = [];
  let rejected = 0;
  const request = new PbfReader(bytes);
  readWholeMessage(request, (tag) => {
    if (tag !== 1) {
      return;
    }
    const { resource, scopes } = readResource(request);
    for (const scope of scopes) {
      readWholeMessage(scope, (scopeTag) => {
        for (const item of scopeTag === 2 ? readItem(scope, resource) : []) {
          if (item === null) rejected += 1;
          else items.push(item);
        }
      });
    }
  });
  return { items, rejected };
}

/** Scopes are decoded later, because the resource may come after them. */
function readResource(request: PbfReader): { resource: Resource; scopes: PbfReader[] } {
  const attributes: MutableAttributes = {};
  const scopes: PbfReader[] = [];
  readMessage(request, (tag) => {
    if (tag === 1) {
      readMessage(request, (resourceTag) => resourceTag === 1 && readAttribute(request, attributes));
    } else if (tag === 2) {
      scopes.push(new PbfReader(readBytes(request)));
    }
  });
  return { resource: toResource(attributes), scopes };
}

function readSpan(pbf: PbfReader): SentSpan {
  const attributes: MutableAttributes = {};
  const span = {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: 0,
    startNanos: 0n,
    endNanos: 0n,
    status: 0,
    statusMessage: '',
    exception: null as Attributes | null,
    attributes,
  };
  readMessage(pbf, (tag) => {
    if (tag === 1) span.traceId = readHex(pbf);
    else if (tag === 2) span.spanId = readHex(pbf);
    else if (tag === 4) span.parentSpanId = readHex(pbf);
    else if (tag === 5) span.name = readText(pbf);
    else if (tag === 6) span.kind = readSmallInt(pbf);
    else if (tag === 7) span.startNanos = readFixed64(pbf);
    else if (tag === 8) span.endNanos = readFixed64(pbf);
    else if (tag === 9) readAttribute(pbf, attributes);
    else if (tag === 11) span.exception = readException(pbf) ?? span.exception;
    else if (tag === 15) {
      readMessage(pbf, (statusTag) => {
        if (statusTag === 2) span.statusMessage = readText(pbf);
        else if (statusTag === 3) span.status = readSmallInt(pbf);
      });
    }
  });
  return span;
}

/** The attributes of the current span event if it is an exception. */
function readException(pbf: PbfReader): Attributes | null {
  const attributes: MutableAttributes = {};
  let name = '';
  readMessage(pbf, (tag) => {
    if (tag === 2) name = readText(pbf);
    else if (tag === 3) readAttribute(pbf, attributes);
  });
  return name === 'exception' ? attributes : null;
}

/** Field numbers that differ between kinds of points. */
const POINT_KINDS: Readonly<Record<number, { kind: Metric['kind']; attributes: number; flags: number }>> = {
  5: { kind: 'gauge', attributes: 7, flags: 8 },
  7: { kind: 'sum', attributes: 7, flags: 8 },
  9: { kind: 'histogram', attributes: 9, flags: 10 },
  10: { kind: 'histogram', attributes: 1, flags: 10 }, // exponential
  11: { kind: 'histogram', attributes: 7, flags: 8 }, // summary
};

function readMetric(pbf: PbfReader, resource: Resource): (MetricPoint | null)[] {
  const metric = { name: '', unit: '', kind: 'gauge' as Metric['kind'], isMonotonic: false };
  // A summary has no temporality field; it is cumulative.
  let temporality = 0;
  const points: { tag: number; data: PbfReader }[] = [];
  readMessage(pbf, (tag) => {
    if (tag === 1) metric.name = readText(pbf);
    else if (tag === 3) metric.unit = readText(pbf);
    else if (tag in POINT_KINDS) {
      metric.kind = POINT_KINDS[tag]?.kind ?? 'gauge';
      temporality = tag === 11 ? 2 : 0;
      readMessage(pbf, (dataTag) => {
        if (dataTag === 1) points.push({ tag, data: new PbfReader(readBytes(pbf)) });
        else if (dataTag === 2) temporality = readSmallInt(pbf);
        else if (dataTag === 3) metric.isMonotonic = readSmallInt(pbf) !== 0;
      });
    }
  });
  const described = { ...metric, temporality: TEMPORALITIES[temporality] ?? 'unspecified' };
  return points.flatMap(({ tag, data }) => {
    const point = readPoint(data, tag);
    return point === null ? [] : [toMetricPoint({ ...point, resource, metric: described })];
  });
}

/** null for a point without a recorded value. */
function readPoint(pbf: PbfReader, metricTag: number): Omit<MetricPoint, 'resource' | 'metric'> | null {
  const numbers = POINT_KINDS[metricTag];
  const isNumber = metricTag === 5 || metricTag === 7;
  const attributes: MutableAttributes = {};
  let value: number | null = null;
  let [startNanos, timeNanos, count, flags] = [0n, 0n, isNumber ? 1 : 0, 0];
  readWholeMessage(pbf, (tag) => {
    if (tag === numbers?.attributes) readAttribute(pbf, attributes);
    else if (tag === 2) startNanos = readFixed64(pbf);
    else if (tag === 3) timeNanos = readFixed64(pbf);
    else if (tag === 4 && isNumber) value = readDouble(pbf);
    else if (tag === 4) count = Number(readFixed64(pbf));
    else if (tag === 5 && !isNumber) value = readDouble(pbf);
    else if (tag === 6 && isNumber) value = Number(readSignedFixed64(pbf));
    else if (tag === numbers?.flags) flags = readSmallInt(pbf);
  });
  const hasNoRecordedValue = (flags & 1) === 1;
  if (value === null || hasNoRecordedValue) {
    return null;
  }
  return { attributes, startNanos, timeNanos, value, count };
}

function readLogRecord(pbf: PbfReader): SentLogRecord {
  const attributes: MutableAttributes = {};
  const record = {
    timeNanos: 0n,
    observedNanos: 0n,
    severityNumber: 0,
    severityText: '',
    body: null as AttributeValue,
    traceId: '',
    spanId: '',
    attributes,
  };
  readMessage(pbf, (tag) => {
    if (tag === 1) record.timeNanos = readFixed64(pbf);
    else if (tag === 2) record.severityNumber = readSmallInt(pbf);
    else if (tag === 3) record.severityText = readText(pbf);
    else if (tag === 5) record.body = readValue(pbf, 0);
    else if (tag === 6) readAttribute(pbf, attributes);
    else if (tag === 9) record.traceId = readHex(pbf);
    else if (tag === 10) record.spanId = readHex(pbf);
    else if (tag === 11) record.observedNanos = readFixed64(pbf);
  });
  return record;
}

function readAttribute(pbf: PbfReader, attributes: MutableAttributes, depth = 0): void {
  let key = '';
  let value: AttributeValue = null;
  readMessage(pbf, (tag) => {
    if (tag === 1) key = readText(pbf);
    else if (tag === 2) value = readValue(pbf, depth);
  });
  setAttribute(attributes, key, value);
}

function readValue(pbf: PbfReader, depth: number): AttributeValue {
  if (depth > MAX_VALUE_DEPTH) {
    throw new MalformedMessageError(`a value is nested deeper than ${MAX_VALUE_DEPTH} levels`);
  }
  let value: AttributeValue = null;
  readMessage(pbf, (tag) => {
    if (tag === 1) value = readText(pbf);
    else if (tag === 2) value = readSmallInt(pbf) !== 0;
    else if (tag === 3) value = readInt64(pbf);
    else if (tag === 4) value = readDouble(pbf);
    else if (tag === 5) value = readList(pbf, depth);
    else if (tag === 6) value = readRecord(pbf, depth);
    else if (tag === 7) value = Buffer.from(readBytes(pbf)).toString('base64');
  });
  return value;
}

function readList(pbf: PbfReader, depth: number): AttributeValue {
  const list: AttributeValue[] = [];
  readMessage(pbf, (tag) => tag === 1 && list.push(readValue(pbf, depth + 1)));
  return list;
}

function readRecord(pbf: PbfReader, depth: number): AttributeValue {
  const attributes: MutableAttributes = {};
  readMessage(pbf, (tag) => tag === 1 && readAttribute(pbf, attributes, depth + 1));
  return attributes;
}
