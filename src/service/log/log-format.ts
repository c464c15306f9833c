import type { LogItem, MetricItem, SpanItem, TelemetryItem } from '../core/telemetry-item.ts';
import { type Columns, createColumnReader, createColumnWriter } from './columns.ts';
import type { LogEntry, Report } from './log-entry.ts';

/**
 * Entries of the log as bytes. Telemetry is nearly all of it, so spans, lines and metrics are stored in columns: a sixth
 * of their JSON, and no text for PostgreSQL to check and compress. Everything else is JSON.
 *
 * The first byte tells the format, then follow the length of the JSON (4 bytes), the JSON, and the columns.
 */
const FORMAT = { plain: 1, telemetry: 2 } as const;
const HEAD_BYTES = 5;

/** Why an entry without bytes cannot be read. */
export const LOST = 'NATS has lost the bytes of the entry';

/**
 * A property that is added to an item needs its column. Columns that were added later stand at the end of an entry, where
 * a version that does not know them reads no further.
 */
const LATER_SPAN = { attributes: 'json' } as const satisfies Columns<Pick<SpanItem, 'attributes'>>;

const REJECTED_SPAN = { isRejected: 'json' } as const satisfies Columns<Pick<SpanItem, 'isRejected'>>;

const UNTOLD_SPAN = { isUntold: 'json' } as const satisfies Columns<Pick<SpanItem, 'isUntold'>>;

const LATER_METRIC = { count: 'json' } as const satisfies Columns<Pick<MetricItem, 'count'>>;

const CALL_METRIC = { peer: 'word' } as const satisfies Columns<Pick<MetricItem, 'peer'>>;

const SPAN = {
  service: 'word',
  at: 'number',
  durationMs: 'number',
  operation: 'word',
  traceId: 'id',
  spanId: 'id',
  parentSpanId: 'id',
  role: 'word',
  isFailed: 'flag',
  peer: 'word',
  signal: 'word',
  instance: 'word',
  weight: 'json',
} as const satisfies Columns<
  Omit<SpanItem, 'kind' | keyof typeof LATER_SPAN | keyof typeof REJECTED_SPAN | keyof typeof UNTOLD_SPAN>
>;

const LOG = {
  service: 'word',
  at: 'number',
  severity: 'word',
  text: 'word',
  traceId: 'id',
  spanId: 'id',
  signal: 'word',
} as const satisfies Columns<Omit<LogItem, 'kind'>>;

const METRIC = {
  service: 'word',
  at: 'number',
  series: 'word',
  instance: 'word',
  name: 'word',
  meaning: 'word',
  value: 'number',
  total: 'json',
} as const satisfies Columns<Omit<MetricItem, 'kind' | keyof typeof LATER_METRIC | keyof typeof CALL_METRIC>>;

interface PackedReport {
  readonly sender: string | null;
  /** Alerts and changes. */
  readonly others: readonly TelemetryItem[];
  readonly spans: number;
  readonly logs: number;
  readonly metrics: number;
}

type Head =
  | Exclude<LogEntry, { kind: 'telemetry' }>
  | {
      readonly kind: 'telemetry';
      readonly at: number;
      readonly reports: readonly PackedReport[];
      readonly words: readonly string[];
      /** Whether the columns of `LATER_SPAN` are there. */
      readonly hasLater?: boolean;
      /** Whether the columns of `LATER_METRIC` are there. */
      readonly hasLaterMetric?: boolean;
      /** Whether the column of `REJECTED_SPAN` is there. */
      readonly hasRejected?: boolean;
      /** Whether the column of `CALL_METRIC` is there. */
      readonly hasCallMetric?: boolean;
      /** Whether the column of `UNTOLD_SPAN` is there. */
      readonly hasUntold?: boolean;
    };

export function encodeEntry(entry: LogEntry): Buffer {
  if (entry.kind !== 'telemetry') {
    return join(entry, []);
  }
  const writer = createColumnWriter();
  const items = entry.reports.map((report) => sort(report));
  const allSpans = items.flatMap(({ spans }) => spans);
  writer.add(allSpans, SPAN);
  writer.add(
    items.flatMap(({ logs }) => logs),
    LOG,
  );
  const allMetrics = items.flatMap(({ metrics }) => metrics);
  writer.add(allMetrics, METRIC);
  const hasLater = allSpans.some(({ attributes }) => attributes !== undefined);
  if (hasLater) {
    writer.add(allSpans, LATER_SPAN);
  }
  const hasLaterMetric = allMetrics.some(({ count }) => count !== undefined);
  if (hasLaterMetric) {
    writer.add(allMetrics, LATER_METRIC);
  }
  const hasRejected = allSpans.some(({ isRejected }) => isRejected !== undefined);
  if (hasRejected) {
    writer.add(allSpans, REJECTED_SPAN);
  }
  const hasCallMetric = allMetrics.some(({ peer }) => peer !== undefined);
  if (hasCallMetric) {
    writer.add(allMetrics, CALL_METRIC);
  }
  const hasUntold = allSpans.some(({ isUntold }) => isUntold === true);
  if (hasUntold) {
    writer.add(allSpans, UNTOLD_SPAN);
  }
  const reports = items.map(({ sender, others, spans, logs, metrics }) => ({
    sender,
    others,
    spans: spans.length,
    logs: logs.length,
    metrics: metrics.length,
  }));
  return join(
    {
      kind: 'telemetry',
      at: entry.at,
      reports,
      words: writer.words(),
      hasLater,
      hasLaterMetric,
      hasRejected,
      hasCallMetric,
      hasUntold,
    },
    writer.chunks(),
  );
}

/** @throws when the bytes are not those of `encodeEntry` */
export function decodeEntry(bytes: Buffer): LogEntry {
  if (bytes.length === 0) {
    throw new Error(LOST);
  }
  if (bytes[0] !== FORMAT.plain && bytes[0] !== FORMAT.telemetry) {
    throw new Error(`format ${bytes[0]} of an entry is not known`);
  }
  const end = HEAD_BYTES + bytes.readUInt32LE(1);
  const head = JSON.parse(bytes.toString('utf8', HEAD_BYTES, end)) as Head; // written by `encodeEntry`
  if (head.kind !== 'telemetry') {
    return head;
  }
  const reader = createColumnReader(bytes.subarray(end), head.words);
  const count = (of: (report: PackedReport) => number) => head.reports.reduce((sum, report) => sum + of(report), 0);
  const spans = reader.read(
    count((report) => report.spans),
    SPAN,
    'span',
  ) as SpanItem[];
  const logs = reader.read(
    count((report) => report.logs),
    LOG,
    'log',
  ) as LogItem[];
  const metrics = reader.read(
    count((report) => report.metrics),
    METRIC,
    'metric',
  ) as MetricItem[];
  if (head.hasLater === true) {
    reader.readMore(spans, LATER_SPAN);
  }
  if (head.hasLaterMetric === true) {
    reader.readMore(metrics, LATER_METRIC);
  }
  if (head.hasRejected === true) {
    reader.readMore(spans, REJECTED_SPAN);
  }
  if (head.hasCallMetric === true) {
    reader.readMore(metrics, CALL_METRIC);
  }
  if (head.hasUntold === true) {
    reader.readMore(spans, UNTOLD_SPAN);
  }
  const from = { spans: 0, logs: 0, metrics: 0 };
  const reports = head.reports.map((packed): Report => {
    const items: TelemetryItem[] = packed.others.concat(
      spans.slice(from.spans, from.spans + packed.spans),
      logs.slice(from.logs, from.logs + packed.logs),
      metrics.slice(from.metrics, from.metrics + packed.metrics),
    );
    from.spans += packed.spans;
    from.logs += packed.logs;
    from.metrics += packed.metrics;
    return { sender: packed.sender, items };
  });
  return { kind: 'telemetry', at: head.at, reports };
}

function sort({ sender, items }: Report) {
  const sorted = {
    sender,
    others: [] as TelemetryItem[],
    spans: [] as SpanItem[],
    logs: [] as LogItem[],
    metrics: [] as MetricItem[],
  };
  for (const item of items) {
    switch (item.kind) {
      case 'span':
        sorted.spans.push(item);
        break;
      case 'log':
        sorted.logs.push(item);
        break;
      case 'metric':
        sorted.metrics.push(item);
        break;
      case 'alert':
      case 'change':
        sorted.others.push(item);
        break;
    }
  }
  return sorted;
}

function join(head: Head, chunks: readonly Buffer[]): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(HEAD_BYTES);
  start[0] = head.kind === 'telemetry' ? FORMAT.telemetry : FORMAT.plain;
  start.writeUInt32LE(json.length, 1);
  return Buffer.concat([start, json, ...chunks]);
}
