import { LRUCache } from 'lru-cache';
import { isDeployment, toChangeItem } from '../core/change.ts';
import { foldSignals } from '../core/fold.ts';
import { instanceOf } from '../core/instance.ts';
import { judgeLog, messageOf, severityOf, toLogSignal } from '../core/judge-logs.ts';
import { isAbandoned, isRejected, isUntold, judgeSpan, nameOperation } from '../core/judge-spans.ts';
import { toMetricItems } from '../core/metric-items.ts';
import { peerOf, peerService } from '../core/peer.ts';
import { type ResourceAttributes, resourceAttributesOf } from '../core/resource-attributes.ts';
import { weightOf } from '../core/sampling.ts';
import type { SignalBatch } from '../core/signal.ts';
import {
  type LogRecord,
  type MetricPoint,
  observedAt,
  type Resource,
  type Span,
  type SpanKind,
} from '../core/telemetry.ts';
import type { LogItem, SpanItem, SpanRole, TelemetryItem } from '../core/telemetry-item.ts';
import { template } from '../core/text.ts';
import { readKubernetesWarning } from './kubernetes-event.ts';
import { readLogLine } from './log-line.ts';

/** What OTLP telemetry means: failures become signals, everything is handed to correlation. */
export type ReadTelemetry = Required<Pick<SignalBatch, 'signals' | 'telemetry'>>;

const ROLES: Readonly<Record<SpanKind, SpanRole>> = {
  unspecified: 'unknown',
  internal: 'internal',
  server: 'server',
  consumer: 'consumer',
  client: 'client',
  producer: 'client',
};

/** Names of operations repeat, and masking one takes longer than all else that is done with a span. */
const operations = new LRUCache<string, string>({ max: 5_000 });

export function readSpans(spans: readonly Span[], now: Date): ReadTelemetry {
  const attributes = new Map<Resource, ResourceAttributes | null>();
  const read = spans.map((span) => {
    const signal = judgeSpan(span, now);
    const { resource } = span;
    const known = attributes.get(resource);
    const ranAt = known === undefined ? resourceAttributesOf(resource) : known;
    attributes.set(resource, ranAt);
    return { signal, item: toSpanItem(span, signal?.fingerprint, ranAt) };
  });
  return { signals: foldSignals(read.flatMap(({ signal }) => signal ?? [])), telemetry: read.map(({ item }) => item) };
}

function toSpanItem(span: Span, signal: string | undefined, ranAt: ResourceAttributes | null): SpanItem {
  const { kind, startNanos, endNanos, attributes, resource } = span;
  const role = ROLES[kind];
  const instance = instanceOf(resource);
  const weight = weightOf(span);
  const isCancelled = isAbandoned(span);
  const isAnsweredWell = isCancelled || isRejected(span);
  return {
    kind: 'span',
    service: resource.service,
    at: Number(endNanos / 1_000_000n),
    durationMs: Number((endNanos > startNanos ? endNanos - startNanos : 0n) / 1_000n) / 1_000,
    operation: operationOf(nameOperation(span)),
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    role,
    isFailed: signal !== undefined && !isAnsweredWell,
    ...(isAnsweredWell && { isRejected: isCancelled ? 'cancelled' : true }),
    ...((role === 'client' || role === 'internal') && isUntold(span) && { isUntold: true }),
    peer: role === 'client' ? peerOf(attributes) : peerService(attributes) || null,
    ...(signal === undefined ? {} : { signal }),
    ...(instance === null ? {} : { instance }),
    ...(ranAt === null ? {} : { attributes: ranAt }),
    ...(weight === 1 ? {} : { weight }),
  };
}

function operationOf(name: string): string {
  const known = operations.get(name);
  if (known !== undefined) {
    return known;
  }
  const operation = template(name);
  operations.set(name, operation);
  return operation;
}

/** Correlation reads no more of a line. */
const READ_CHARACTERS = 600;

export function readLogs(records: readonly LogRecord[], now: Date): ReadTelemetry {
  const read = records.map((sent) => {
    const warning = readKubernetesWarning(sent);
    const record = warning ?? readLogLine(sent);
    const signal = warning === null ? judgeLog(record, now) : toLogSignal(record, now);
    return { signal, item: toLogOrChange(record, signal?.fingerprint, now) };
  });
  return { signals: foldSignals(read.flatMap(({ signal }) => signal ?? [])), telemetry: read.map(({ item }) => item) };
}

function toLogOrChange(record: LogRecord, signal: string | undefined, now: Date): TelemetryItem {
  const at = (record.timeNanos === null ? now : observedAt(record.timeNanos, now)).getTime();
  return isDeployment(record) ? toChangeItem(record, at) : toLogItem(record, signal, at);
}

function toLogItem(record: LogRecord, signal: string | undefined, at: number): LogItem {
  return {
    kind: 'log',
    service: record.resource.service,
    at,
    severity: severityOf(record),
    text: messageOf(record).slice(0, READ_CHARACTERS),
    traceId: record.traceId,
    spanId: record.spanId,
    ...(signal === undefined ? {} : { signal }),
  };
}

/** What is out of bounds is known only to correlation. */
export function readMetrics(points: readonly MetricPoint[]): ReadTelemetry {
  return { signals: [], telemetry: toMetricItems(points) };
}
