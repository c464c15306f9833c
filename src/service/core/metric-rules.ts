import type { Attributes, Metric, MetricPoint } from './telemetry.ts';
import type { MetricMeaning } from './telemetry-item.ts';
import { textOf } from './text.ts';

/** How correlation reads a metric. */
export interface MetricRule {
  readonly meaning: MetricMeaning;
  /** What the unit of the meaning is in units of the metric: durations become seconds. */
  readonly factor: number;
  /** How a sample is read from the points. */
  readonly reading: 'mean' | 'increase' | 'value';
}

const SECONDS_PER_UNIT: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9, min: 60 };
/** `http.server.request.duration`, `rpc.server.duration`, Micrometer's `http.server.requests`. */
const SERVER_DURATION = /(^|[._])server[._]/;
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
    return FAILURES.test(metric.name) ? { meaning: 'failures', factor: 1, reading: 'increase' } : null;
  }
  if (metric.kind === 'sum' && metric.temporality === 'delta') {
    return null;
  }
  if (UTILIZATION.test(metric.name)) {
    return isHarmless(attributes) ? null : { meaning: 'utilization', factor: 1, reading: 'value' };
  }
  return BACKLOG.test(metric.name) ? { meaning: 'backlog', factor: 1, reading: 'value' } : null;
}

function ruleForDuration({ name, unit }: Metric): MetricRule | null {
  const factor = SECONDS_PER_UNIT[unit];
  if (factor === undefined) {
    return null;
  }
  return { meaning: SERVER_DURATION.test(name) ? 'duration' : 'client_duration', factor, reading: 'mean' };
}

function isHarmless(attributes: Attributes): boolean {
  return STATES.some((key) => HARMLESS_STATES.has(textOf(attributes[key])));
}
