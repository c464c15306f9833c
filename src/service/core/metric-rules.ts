import type { Attributes, Metric, MetricPoint } from './telemetry.ts';
import { textOf } from './text.ts';

/** When a metric is out of bounds. Only high values are; no rule detects missing ones. */
export interface MetricRule {
  /** Fixed bound. It does not apply when the usual value is above it. null: there is none. */
  readonly limit: number | null;
  /** Lowest value of the bound that adapts to the usual value. null: there is no such bound. */
  readonly floor: number | null;
  /** How a sample is read from the points. */
  readonly reading: 'mean' | 'increase' | 'value';
}

const UTILIZATION_LIMIT = 0.95;
/** A server with this average duration is slow, whatever is usual. */
const SLOW_SERVER_SECONDS = 1;
/** Shorter durations are never slow. */
const SLOW_FLOOR_SECONDS = 0.1;
const COUNT_FLOOR = 10;

const SECONDS_PER_UNIT: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9, min: 60 };
const SERVER_DURATIONS = new Set([
  'http.server.request.duration',
  'http.server.duration',
  'rpc.server.call.duration',
  'rpc.server.duration',
]);
const UTILIZATION = /[._]utilization$/;
const BACKLOG = /(^|[._])(queue|queued|pending|backlog|lag|waiting|depth|in_?flight|active_requests)([._]|$)/;
const FAILURES = /(^|[._])(errors?|failed|failures?|timeouts?|dropped|rejected|retries)([._]|$)/;

/** Attributes that name the part of a resource whose utilization is reported. */
const STATES = ['state', 'cpu.mode', 'cpu.state', 'system.cpu.state', 'system.memory.state', 'system.filesystem.state'];
/** Parts whose high utilization is good or irrelevant. */
const HARMLESS_STATES = new Set(['idle', 'free', 'available', 'cached', 'buffered', 'buffers', 'inactive', 'reserved']);

/** The rule for a point; null when nothing is known about the metric. */
export function ruleFor({ metric, attributes }: Pick<MetricPoint, 'metric' | 'attributes'>): MetricRule | null {
  if (metric.kind === 'histogram') {
    return ruleForDuration(metric);
  }
  if (metric.kind === 'sum' && metric.isMonotonic) {
    return FAILURES.test(metric.name) ? { limit: null, floor: COUNT_FLOOR, reading: 'increase' } : null;
  }
  if (metric.kind === 'sum' && metric.temporality === 'delta') {
    return null;
  }
  if (UTILIZATION.test(metric.name)) {
    return isHarmless(attributes) ? null : { limit: UTILIZATION_LIMIT, floor: null, reading: 'value' };
  }
  return BACKLOG.test(metric.name) ? { limit: null, floor: COUNT_FLOOR, reading: 'value' } : null;
}

function ruleForDuration({ name, unit }: Metric): MetricRule | null {
  const seconds = SECONDS_PER_UNIT[unit];
  if (seconds === undefined) {
    return null;
  }
  const limit = SERVER_DURATIONS.has(name) ? SLOW_SERVER_SECONDS / seconds : null;
  return { limit, floor: SLOW_FLOOR_SECONDS / seconds, reading: 'mean' };
}

function isHarmless(attributes: Attributes): boolean {
  return STATES.some((key) => HARMLESS_STATES.has(textOf(attributes[key])));
}

/** `2.4 s`, `97 %`, `300` */
export function formatReading(value: number, { name, unit }: Metric): string {
  if (UTILIZATION.test(name)) {
    return `${Math.round(value * 100)} %`;
  }
  const rounded = Number(value.toPrecision(value >= 100 ? 3 : 2));
  const plainUnit = unit === '1' ? '' : unit.replace(/\{[^}]*\}/g, '');
  return `${rounded} ${plainUnit}`.trim();
}
