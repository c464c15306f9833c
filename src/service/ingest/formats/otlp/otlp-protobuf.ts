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
} from '../../../core/telemetry.ts';
import {
  type Collector,
  createAttributeList,
  createCollector,
  createFieldLimit,
  type Decoding,
  type SentLogRecord,
  type SentMetricPoint,
  type SentSpan,
  toLogRecord,
  toMetricPoint,
  toResource,
  toSpan,
} from '../../decoded.ts';
import { INGEST_LIMITS } from '../../limits.ts';
import {
  fieldNumbers,
  lengthOf,
  readBytes,
  readDouble,
  readFixed64,
  readHex,
  readMessage,
  readSignedFixed64,
  readSmallInt,
  readText,
  readWholeMessage,
} from '../../protobuf-message.ts';
import { readAttribute, readValue } from '../../protobuf-value.ts';

/**
 * Decoders of the three OTLP export requests. Numbers are the field numbers of opentelemetry-proto 1.x. Fields that
 * judging does not need are skipped.
 */

/** Reads the current entry of a scope. */
type ReadEntry<Item> = (pbf: PbfReader, resource: Resource, into: Collector<Item>) => Iterable<void>;

export function decodeTraces(bytes: Uint8Array): Decoding<Span> {
  return decodeExport(bytes, readEach(readSpan, toSpan));
}

export function decodeMetrics(bytes: Uint8Array): Decoding<MetricPoint> {
  return decodeExport(bytes, readMetric);
}

export function decodeLogs(bytes: Uint8Array): Decoding<LogRecord> {
  return decodeExport(bytes, readEach(readLogRecord, toLogRecord));
}

/** All requests contain resources (1) with attributes (1) and scopes (2) with items (2). */
function* decodeExport<Item>(bytes: Uint8Array, readEntry: ReadEntry<Item>): Decoding<Item> {
  const into = createCollector<Item>();
  const request = new PbfReader(bytes);
  const limitFields = createFieldLimit();
  for (const tag of fieldNumbers(request)) {
    if (tag === 1) {
      into.count('resources');
      yield* readResource(readBytes(request), readEntry, into);
    } else {
      limitFields(lengthOf(request));
    }
  }
  return into.decoded;
}

/** Instrumentation libraries, as scopes were called, beside scopes: opentelemetry-proto 0.15 to 0.19. */
const OLD_SCOPES = 1000;

/** Scopes are decoded last, because the attributes may come after them. */
function* readResource<Item>(bytes: Uint8Array, readEntry: ReadEntry<Item>, into: Collector<Item>): Generator<void> {
  const attributes = createAttributeList();
  const scopes: Uint8Array[] = [];
  const limitFields = createFieldLimit();
  const pbf = new PbfReader(bytes);
  for (const tag of fieldNumbers(pbf)) {
    if (tag === 2 || tag === OLD_SCOPES) {
      into.count('scopes');
      scopes.push(readBytes(pbf));
      continue;
    }
    limitFields(lengthOf(pbf));
    if (tag === 1) {
      readMessage(pbf, (resourceTag) => resourceTag === 1 && readAttribute(pbf, attributes));
    }
  }
  const resource = toResource(attributes.values);
  yield;
  for (const scope of scopes) {
    yield* readScope(new PbfReader(scope), resource, readEntry, into);
  }
}

function* readScope<Item>(
  pbf: PbfReader,
  resource: Resource,
  readEntry: ReadEntry<Item>,
  into: Collector<Item>,
): Generator<void> {
  const limitFields = createFieldLimit();
  for (const tag of fieldNumbers(pbf)) {
    if (tag === 2) {
      yield* readEntry(pbf, resource, into);
    } else {
      limitFields(lengthOf(pbf));
    }
  }
}

/** For entries that are items. */
function readEach<Sent, Item>(
  readSent: (pbf: PbfReader) => Sent,
  toItem: (resource: Resource, sent: Sent) => Item | null,
): ReadEntry<Item> {
  return (pbf, resource, into) => {
    into.count('items');
    const bytes = lengthOf(pbf);
    if (bytes > INGEST_LIMITS.itemBytes) {
      into.addTooLarge();
    } else {
      const sent = readSent(pbf);
      into.add(toItem(resource, sent), () => sent);
    }
    return into.pauseAfter(bytes);
  };
}

function readSpan(pbf: PbfReader): SentSpan {
  const attributes = createAttributeList();
  const span = {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    traceState: '',
    name: '',
    kind: 0,
    startNanos: 0n,
    endNanos: 0n,
    status: 0,
    statusMessage: '',
    exception: null as Attributes | null,
    attributes: attributes.values,
  };
  readMessage(pbf, (tag) => {
    if (tag === 1) span.traceId = readHex(pbf);
    else if (tag === 2) span.spanId = readHex(pbf);
    else if (tag === 3) span.traceState = readText(pbf);
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
  const attributes = createAttributeList();
  let name = '';
  readMessage(pbf, (tag) => {
    if (tag === 2) name = readText(pbf);
    else if (tag === 3) readAttribute(pbf, attributes);
  });
  return name === 'exception' ? attributes.values : null;
}

/** Field numbers that differ between kinds of points. */
const POINT_KINDS: Readonly<Record<number, { kind: Metric['kind']; attributes: number; flags: number }>> = {
  5: { kind: 'gauge', attributes: 7, flags: 8 },
  7: { kind: 'sum', attributes: 7, flags: 8 },
  9: { kind: 'histogram', attributes: 9, flags: 10 },
  10: { kind: 'histogram', attributes: 1, flags: 10 }, // exponential
  11: { kind: 'histogram', attributes: 7, flags: 8 }, // summary
};

interface SentPoint {
  readonly tag: number;
  readonly bytes: Uint8Array;
}

function* readMetric(pbf: PbfReader, resource: Resource, into: Collector<MetricPoint>): Generator<void> {
  into.count('metrics');
  const { metric, points } = readDescription(new PbfReader(readBytes(pbf)), () => into.count('items'));
  yield;
  for (const { tag, bytes } of points) {
    if (bytes.byteLength > INGEST_LIMITS.itemBytes) {
      into.addTooLarge();
    } else {
      const point = readPoint(new PbfReader(bytes), tag);
      if (point !== null) {
        into.add(toMetricPoint({ ...point, resource, metric }), () => ({ ...metric, ...point }));
      }
    }
    yield* into.pauseAfter(bytes.byteLength);
  }
}

/** Points are decoded later, because the name and the temporality may come after them. */
function readDescription(pbf: PbfReader, countPoint: () => void): { metric: Metric; points: readonly SentPoint[] } {
  const metric = { name: '', unit: '', kind: 'gauge' as Metric['kind'], isMonotonic: false };
  let temporality = 0;
  const points: SentPoint[] = [];
  const limitFields = createFieldLimit();
  for (const tag of fieldNumbers(pbf)) {
    if (tag in POINT_KINDS) {
      metric.kind = POINT_KINDS[tag]?.kind ?? 'gauge';
      temporality = tag === 11 ? 2 : 0; // a summary has no temporality field; it is cumulative
      limitFields();
      const data = new PbfReader(readBytes(pbf));
      for (const dataTag of fieldNumbers(data)) {
        if (dataTag === 1) {
          countPoint();
          points.push({ tag, bytes: readBytes(data) });
          continue;
        }
        limitFields(lengthOf(data));
        if (dataTag === 2) temporality = readSmallInt(data);
        else if (dataTag === 3) metric.isMonotonic = readSmallInt(data) !== 0;
      }
      continue;
    }
    limitFields(lengthOf(pbf));
    if (tag === 1) metric.name = readText(pbf);
    else if (tag === 3) metric.unit = readText(pbf);
  }
  return { metric: { ...metric, temporality: TEMPORALITIES[temporality] ?? 'unspecified' }, points };
}

/** null for a point without a recorded value, and for a histogram without a sum. */
function readPoint(pbf: PbfReader, metricTag: number): Omit<SentMetricPoint, 'resource' | 'metric'> | null {
  const numbers = POINT_KINDS[metricTag];
  const isNumber = metricTag === 5 || metricTag === 7;
  const attributes = createAttributeList();
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
  if (hasNoRecordedValue || (!isNumber && value === null)) {
    return null;
  }
  return { attributes: attributes.values, startNanos, timeNanos, value, count };
}

function readLogRecord(pbf: PbfReader): SentLogRecord {
  const attributes = createAttributeList();
  const record = {
    timeNanos: 0n,
    observedNanos: 0n,
    severityNumber: 0,
    severityText: '',
    body: null as AttributeValue,
    traceId: '',
    spanId: '',
    attributes: attributes.values,
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
