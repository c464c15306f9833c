import { ruleFor } from '../../src/service/core/metric-rules.ts';
import type {
  ChangeItem,
  LogItem,
  LogSeverity,
  MetricItem,
  MetricMeaning,
  SpanItem,
} from '../../src/service/core/telemetry-item.ts';
import type { Row } from './rows.ts';

/** Does what a well set up Collector pipeline does before telemetry reaches Tocsin: standard names, units and levels. */
export function normalise(row: Row): SpanItem | LogItem | MetricItem | ChangeItem | null {
  const at = Date.parse(row.timestamp);
  switch (row.kind) {
    case 'trace':
      return normaliseSpan(row, at);
    case 'log':
      return normaliseLog(row, at);
    case 'metric':
      return normaliseMetric(row, at);
    case 'change':
      return { kind: 'change', service: row.service, at, subject: row.name ?? '' };
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
    role: row.span_kind ?? 'unknown',
    isFailed: row.status !== undefined && /^(error|5\d\d)$/i.test(row.status),
    peer: row.peer_service ?? null,
    ...(row.instance === undefined || row.instance === '' ? {} : { instance: row.instance }),
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
  if (row.form !== undefined) {
    return byStandardName(row, row.form, base, value);
  }
  const rule = METRICS.find(([pattern]) => pattern.test(name));
  return rule === undefined ? null : { ...base, meaning: rule[1], value: value * rule[2] };
}

/** Reads a metric with a standard name as ingest does. @returns null: nothing is known about it */
function byStandardName(
  { name = '', unit = '1' }: Row,
  kind: NonNullable<Row['form']>,
  base: Omit<MetricItem, 'meaning' | 'value'>,
  value: number,
): MetricItem | null {
  const metric = { name, unit, kind, temporality: 'delta', isMonotonic: kind === 'sum' } as const;
  const rule = ruleFor({ metric, attributes: {} });
  return rule === null ? null : { ...base, meaning: rule.meaning, value: value * rule.factor };
}
