import { instanceOf } from './instance.ts';
import { measuredService } from './measured-service.ts';
import { isFailedOutcome, isOutcome } from './metric-outcome.ts';
import { type MetricRule, ruleFor } from './metric-rules.ts';
import { peerOf } from './peer.ts';
import type { Attributes, MetricPoint } from './telemetry.ts';
import type { MetricItem } from './telemetry-item.ts';
import { textOf } from './text.ts';

/** One sample of a series: the sum of its points in one report. */
interface Sample {
  readonly item: MetricItem;
  readonly rule: MetricRule;
  readonly count: number;
}

/**
 * What correlation judges of a report. All outcomes of an operation form one series. Otherwise failing requests would
 * start a baseline of their own.
 */
export function toMetricItems(points: readonly MetricPoint[]): MetricItem[] {
  const samples = new Map<string, Sample>();
  for (const { item, rule, count } of points.flatMap(toSamples)) {
    const key = `${item.at}|${item.service}|${item.instance}|${item.series}`;
    const earlier = samples.get(key);
    samples.set(key, {
      rule,
      item: earlier === undefined ? item : add(item, earlier.item),
      count: count + (earlier?.count ?? 0),
    });
  }
  return [...samples.values()].flatMap((sample) => toReading(sample) ?? []);
}

/** Counts of one operation may have begun later than those of another. */
function add(item: MetricItem, { value, total }: MetricItem): MetricItem {
  const sum = { ...item, value: item.value + value };
  return item.total === undefined || total === undefined
    ? sum
    : { ...sum, total: { ...item.total, startedAt: Math.min(item.total.startedAt, total.startedAt) } };
}

/** Durations of requests and calls hold two facts: how long they took, and how many of them failed. */
function toSamples(point: MetricPoint): Sample[] {
  const rule = ruleFor(point);
  if (rule === null || !Number.isFinite(point.value)) {
    return [];
  }
  const { count } = point;
  const sample = { item: toItem(point, rule), rule, count };
  const { item } = sample;
  const failures = {
    ...item,
    meaning: 'unavailability',
    value: isFailedOutcome(point.attributes) ? count : 0,
  } as const;
  if (item.peer !== undefined) {
    // Calls of all kinds to one callee are judged together: each kind alone may be rare.
    const name = `share of failed calls to ${item.peer}`;
    return [sample, { item: { ...failures, series: name, name }, rule, count }];
  }
  if (rule.meaning !== 'duration') {
    return [sample];
  }
  const operation = item.name.slice(point.metric.name.length + 1);
  const name = `share of failed requests${operation === '' ? '' : ` of ${operation}`}`;
  return [sample, { item: { ...failures, series: `failed ${item.series}`, name }, rule, count }];
}

function toItem(point: MetricPoint, { meaning, factor, reading }: MetricRule): MetricItem {
  const { metric, resource, attributes, timeNanos, startNanos } = point;
  const service = measuredService(point);
  const known = reading === 'mean' ? withoutOutcome(attributes) : attributes;
  const isTotal = reading !== 'value' && metric.temporality === 'cumulative';
  const peer = meaning === 'client_duration' && CLIENT.test(metric.name) ? calleeOf(attributes) : null;
  return {
    kind: 'metric',
    service,
    at: Number(timeNanos / 1_000_000n),
    series: `${metric.name}{${attributesKey(known)}}`,
    instance: instanceOf(resource),
    name: [metric.name, ...operationOf(known)].join(' '),
    meaning,
    value: point.value * factor,
    ...(peer === null || peer === service ? {} : { peer }),
    ...(isTotal ? { total: { startedAt: Number(startNanos / 1_000_000n), count: null } } : {}),
  };
}

/** `http.client.request.duration`, `rpc_client_duration`. A client of a queue also measures how long it waits for work. */
const CLIENT = /^(?!messaging).*(^|[._])client[._]/;

/** Labels of Prometheus and Micrometer that name the other end, by the attribute of OpenTelemetry. */
const PEER_LABELS: Readonly<Record<string, string>> = {
  server_address: 'server.address',
  net_peer_name: 'server.address',
  client_name: 'server.address',
  'client.name': 'server.address',
  peer_service: 'peer.service',
  service_peer_name: 'service.peer.name',
  db_system: 'db.system',
  db_system_name: 'db.system.name',
  db_namespace: 'db.namespace',
  db_name: 'db.name',
};

function calleeOf(attributes: Attributes): string | null {
  const named = Object.entries(attributes).filter(([, value]) => value !== 'none');
  return peerOf(Object.fromEntries(named.map(([key, value]) => [PEER_LABELS[key] ?? key, value])));
}

/** The mean of measured durations needs their number. @returns null: nothing was measured */
function toReading({ item, rule, count }: Sample): MetricItem | null {
  if (rule.reading !== 'mean') {
    return item;
  }
  if (item.total !== undefined) {
    return { ...item, total: { ...item.total, count } };
  }
  return count === 0 ? null : { ...item, value: item.value / count, count };
}

/** Attributes that name the operation, in the order in which they are shown. */
const OPERATION_ATTRIBUTES = [
  'http.request.method',
  'http.method',
  'method',
  'http.route',
  'uri',
  'rpc.method',
  'db.operation.name',
  'messaging.destination.name',
  'server.address',
];

function operationOf(attributes: Attributes): string[] {
  return OPERATION_ATTRIBUTES.map((key) => textOf(attributes[key])).filter((text) => text !== '');
}

function withoutOutcome(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => !isOutcome(key)));
}

function attributesKey(attributes: Attributes): string {
  const entries = Object.entries(attributes).map(([key, value]) => `${key}=${textOf(value)}`);
  return entries.toSorted().join(',');
}
