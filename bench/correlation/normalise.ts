import type {
  LogItem,
  LogSeverity,
  MetricItem,
  MetricMeaning,
  SpanItem,
} from '../../src/service/core/telemetry-item.ts';
import type { Row } from './rows.ts';

/** Does what a well set up Collector pipeline does before telemetry reaches Tocsin: standard names, units and levels. */
export function normalise(row: Row): SpanItem | LogItem | MetricItem | null {
  const at = Date.parse(row.timestamp);
  switch (row.kind) {
    case 'trace':
      return normaliseSpan(row, at);
    case 'log':
      return normaliseLog(row, at);
    case 'metric':
      return normaliseMetric(row, at);
  }
}

function normaliseSpan(row: Row, at: number): SpanItem {
  const durationMs = row.duration_ms ?? 0;
  return {
    kind: 'span',
    service: row.service,
    at: at + durationMs,
    durationMs,
    operation: row.name ?? '',
    traceId: row.trace_id ?? '',
    spanId: row.span_id ?? '',
    parentSpanId: row.parent_span_id ?? null,
    role: 'unknown',
    isFailed: row.status !== undefined && /^(error|5\d\d)$/i.test(row.status),
    peer: row.peer_service ?? null,
  };
}

const CONTEXT = /^[\d:.]+\s+|TraceID: \w*|SpanID: \w*/g;

function normaliseLog(row: Row, at: number): LogItem {
  const text = messageOf(row.message ?? row.name ?? '');
  return {
    kind: 'log',
    service: row.service,
    at,
    severity: levelOf(row.severity ?? text),
    text: text.replaceAll(CONTEXT, '').trim(),
    traceId: row.trace_id ?? null,
    spanId: row.span_id ?? null,
  };
}

function messageOf(message: string): string {
  if (!message.startsWith('{')) {
    return message;
  }
  try {
    const fields = JSON.parse(message) as { message?: string; severity?: string };
    return `${fields.severity ?? ''} ${fields.message ?? message}`;
  } catch {
    return message;
  }
}

function levelOf(text: string): LogSeverity {
  if (/\bFATAL\b/i.test(text)) {
    return 'critical';
  }
  if (/\bERROR\b|Exception/.test(text) || text === 'error') {
    return 'error';
  }
  return /\bWARN(ING)?\b/i.test(text) ? 'warning' : 'info';
}

/** Names of the data sets by what they measure, with the factor to seconds or shares. Others are not mapped. */
const METRICS: readonly (readonly [RegExp, MetricMeaning, number])[] = [
  [/^(Cpu|Memory)UsageRate\(%\)$/, 'utilization', 0.01],
  [/^PodServerLatencyP\d+\(s\)$/, 'duration', 1],
  [/^PodWorkload\(Ops\)$/, 'traffic', 1],
  [/^latency\./, 'duration', 1],
  [/^requests\.Sum$/, 'traffic', 1],
];

function normaliseMetric(row: Row, at: number): MetricItem | null {
  const name = row.name ?? '';
  const value = row.value ?? Number.NaN;
  const base = {
    kind: 'metric',
    service: row.service,
    at,
    series: name,
    instance: row.instance ?? null,
    name,
  } as const;
  if (name.startsWith('availability.')) {
    return { ...base, meaning: 'unavailability', value: 1 - value / 100 };
  }
  const rule = METRICS.find(([pattern]) => pattern.test(name));
  return rule === undefined ? null : { ...base, meaning: rule[1], value: value * rule[2] };
}
