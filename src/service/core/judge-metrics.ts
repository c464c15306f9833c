import { LRUCache } from 'lru-cache';
import { foldSignals, seenOnce } from './fold.ts';
import { formatReading, type MetricRule, ruleFor } from './metric-rules.ts';
import { emptySeries, type Series, type Verdict, weigh } from './metric-series.ts';
import type { ObservedSignal } from './signal.ts';
import { otlpSource } from './signal-source.ts';
import { type Attributes, type MetricPoint, observedAt } from './telemetry.ts';
import { fingerprint, keepable, oneLine, TEXT_LIMITS, textOf } from './text.ts';

const MAX_SERIES = 10_000;

/** The difference to the series' previous report. */
interface Increase {
  readonly value: number;
  readonly count: number;
}

interface Counter extends Increase {
  readonly startNanos: bigint;
  readonly timeNanos: bigint;
  readonly increase: Increase | null;
}

/** State between batches. Bounded: the least recently reported series are evicted first. */
export interface MetricState {
  readonly series: LRUCache<string, Series>;
  /** Last report of each cumulative series. */
  readonly counters: LRUCache<string, Counter>;
}

export function createMetricState(): MetricState {
  return { series: new LRUCache({ max: MAX_SERIES }), counters: new LRUCache({ max: 2 * MAX_SERIES }) };
}

/** One sample of a series: the sum of its points in one report. */
interface Sample {
  readonly key: string;
  readonly point: MetricPoint;
  readonly rule: MetricRule;
  readonly attributes: Attributes;
  readonly value: number;
  readonly count: number;
}

/** One signal per series that is out of bounds for the second time in a row. Updates `state`. */
export function judgeMetrics(points: readonly MetricPoint[], state: MetricState, now: Date): ObservedSignal[] {
  const inTime = points.toSorted((a, b) => Number(a.timeNanos - b.timeNanos));
  const signals = takeSamples(inTime, state).flatMap((sample) => judgeSample(sample, state, now) ?? []);
  return foldSignals(signals);
}

/** All outcomes of an operation form one series. Otherwise failing requests would start a baseline of their own. */
function takeSamples(points: readonly MetricPoint[], state: MetricState): Sample[] {
  const samples = new Map<string, Sample>();
  for (const point of points) {
    const rule = ruleFor(point);
    const reading = rule === null ? null : read(point, rule, state);
    if (rule === null || reading === null) {
      continue;
    }
    const attributes = rule.reading === 'mean' ? withoutOutcome(point.attributes) : point.attributes;
    const key = seriesKey(point, attributes);
    const reportKey = `${point.timeNanos} ${key}`;
    const earlier = samples.get(reportKey);
    const value = reading.value + (earlier?.value ?? 0);
    const count = reading.count + (earlier?.count ?? 0);
    samples.set(reportKey, { key, point, rule, attributes, value, count });
  }
  return [...samples.values()];
}

/** What the point adds to its series; null when it cannot be judged. */
function read(point: MetricPoint, rule: MetricRule, state: MetricState): Increase | null {
  if (!Number.isFinite(point.value)) {
    return null;
  }
  const isTotal = rule.reading !== 'value' && point.metric.temporality === 'cumulative';
  const increase = isTotal ? readIncrease(point, state) : { value: point.value, count: point.count };
  return increase === null || increase.count <= 0 ? null : increase;
}

/** The increase since the last report. A repeated report gives the same increase again. */
function readIncrease(point: MetricPoint, { counters }: MetricState): Increase | null {
  const { value, count, startNanos, timeNanos } = point;
  const key = seriesKey(point, point.attributes);
  const last = counters.get(key);
  if (last !== undefined && timeNanos <= last.timeNanos) {
    return timeNanos === last.timeNanos ? last.increase : null;
  }
  const increase = increaseSince(last, point);
  counters.set(key, { value, count, startNanos, timeNanos, increase });
  return increase;
}

/** The first report of a histogram covers everything since its start. The first report of a counter gives no increase. */
function increaseSince(last: Counter | undefined, { metric, value, count, startNanos }: MetricPoint): Increase | null {
  if (last === undefined) {
    return metric.kind === 'histogram' ? { value, count } : null;
  }
  const hasRestarted = startNanos !== last.startNanos || value < last.value || count < last.count;
  if (hasRestarted) {
    return { value, count };
  }
  return { value: value - last.value, count: metric.kind === 'histogram' ? count - last.count : 1 };
}

function judgeSample(sample: Sample, state: MetricState, now: Date): ObservedSignal | null {
  const { key, point, rule, value, count } = sample;
  const series = state.series.get(key) ?? emptySeries();
  state.series.set(key, series);
  const reading = rule.reading === 'mean' ? value / count : value;
  const verdict = weigh(series, reading, point.timeNanos, rule);
  return verdict?.isOutOfBounds === true ? describe(sample, reading, verdict, now) : null;
}

function describe({ point, attributes }: Sample, reading: number, verdict: Verdict, now: Date): ObservedSignal {
  const { metric, resource } = point;
  const { service } = resource;
  return {
    type: 'metric',
    service,
    summary: summarize(point, attributes, reading, verdict),
    severity: 'warning',
    ...seenOnce(observedAt(point.timeNanos, now)),
    fingerprint: fingerprint('metric', service, metric.name, attributesKey(attributes)),
    traceId: null,
    spanId: null,
    attributes: keepable({ ...attributes, 'metric.name': metric.name }),
    source: otlpSource(resource),
    detail: { type: 'metric', value: reading, threshold: verdict.threshold, unit: metric.unit },
  };
}

/** `http.server.request.duration 2.4 s, usual 0.03 s (POST /charge)` */
function summarize({ metric }: MetricPoint, attributes: Attributes, reading: number, verdict: Verdict): string {
  const bound =
    verdict.usual === null
      ? `limit ${formatReading(verdict.threshold, metric)}`
      : `usual ${formatReading(verdict.usual, metric)}`;
  const where = OPERATION_ATTRIBUTES.map((key) => textOf(attributes[key])).filter((text) => text !== '');
  const suffix = where.length === 0 ? '' : ` (${where.join(' ')})`;
  return oneLine(`${metric.name} ${formatReading(reading, metric)}, ${bound}${suffix}`, TEXT_LIMITS.summary);
}

/** Attributes that name the operation, in the order in which they are shown. */
const OPERATION_ATTRIBUTES = [
  'http.request.method',
  'http.route',
  'rpc.method',
  'db.operation.name',
  'messaging.destination.name',
  'server.address',
];

/** Attributes that describe the outcome of an operation. */
const OUTCOME_ATTRIBUTES = new Set([
  'http.response.status_code',
  'http.status_code',
  'rpc.response.status_code',
  'rpc.grpc.status_code',
  'db.response.status_code',
  'error.type',
]);

function withoutOutcome(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => !OUTCOME_ATTRIBUTES.has(key)));
}

/** Each instance is a series of its own, because it has its own totals. */
function seriesKey({ resource, metric }: MetricPoint, attributes: Attributes): string {
  const instance = resource.attributes['service.instance.id'] ?? resource.attributes['host.name'];
  return JSON.stringify([resource.service, textOf(instance), metric.name, attributesKey(attributes)]);
}

function attributesKey(attributes: Attributes): string {
  const entries = Object.entries(attributes).map(([key, value]) => `${key}=${textOf(value)}`);
  return entries.toSorted().join(',');
}
