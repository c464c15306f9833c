import { PbfReader } from 'pbf';
import type { Attributes, Metric, MetricPoint, Resource } from '../../../core/telemetry.ts';
import { createAttributeList, createCollector, type Decoding, setAttribute, toResource } from '../../decoded.ts';
import { INGEST_LIMITS } from '../../limits.ts';
import {
  fieldNumbers,
  lengthOf,
  readBytes,
  readDouble,
  readInt64,
  readText,
  readWholeMessage,
} from '../../protobuf-message.ts';
import { given, type PushFormat, RefusedPushError } from '../../push/push-format.ts';
import { unsnap } from '../../push/snappy.ts';

/** Prometheus remote write 1.0 (prometheus.io, "Remote-Write 1.0"): protobuf in Snappy. */
export const REMOTE_WRITE: PushFormat = {
  words: 'Prometheus remote write',
  addresses: [''],
  decoderFor: ({ headers }) => {
    if (/proto=io\.prometheus\.write\.v2/.test(headers.get('content-type') ?? '')) {
      throw new RefusedPushError('remote write 2.0 is not read: set protobuf_message to prometheus.WriteRequest (1.0)');
    }
    return { kind: 'metrics', decode, answer: () => new Response(null, { status: 204 }) };
  },
  setUp: ({ url, key }) => [
    {
      title: 'Prometheus, Alloy, Grafana Agent, vmagent: YAML',
      text: `remote_write:\n  - url: ${url}\n    authorization:\n      credentials: ${key}\n`,
    },
  ],
};

interface Series {
  readonly name: string;
  readonly labels: Attributes;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly value: number;
  readonly ms: number;
}

/** `WriteRequest`: series (1) with labels (1) and samples (2). A sum and a count of one time are a histogram. */
function* decode(body: Uint8Array): Decoding<MetricPoint> {
  const into = createCollector<MetricPoint>();
  const request = new PbfReader(unsnap(body, INGEST_LIMITS.otlpBytes));
  yield;
  const sums = new Map<string, Series>();
  const others: Series[] = [];
  for (const tag of fieldNumbers(request)) {
    if (tag !== 1) {
      continue;
    }
    into.count('resources');
    const bytes = lengthOf(request);
    if (bytes > INGEST_LIMITS.itemBytes) {
      into.addTooLarge();
      readBytes(request);
      continue;
    }
    const series = readSeries(readBytes(request), () => into.count('items'));
    if (series.name.endsWith('_sum')) {
      sums.set(keyOf(series, '_sum'), series);
    } else if (!series.name.endsWith('_bucket')) {
      others.push(series);
    }
    yield* into.pauseAfter(bytes);
  }
  for (const series of others) {
    const sum = series.name.endsWith('_count') ? sums.get(keyOf(series, '_count')) : undefined;
    const points = sum === undefined ? plainPoints(series) : histogramPoints(series, sum);
    for (const point of points) {
      into.add(point, () => series.labels);
    }
    yield* into.pauseAfter(100 * points.length);
  }
  return into.decoded;
}

function readSeries(bytes: Uint8Array, countSample: () => void): Series {
  const pbf = new PbfReader(bytes);
  const labels = createAttributeList();
  const samples: Sample[] = [];
  let name = '';
  readWholeMessage(pbf, (tag) => {
    if (tag === 1) {
      const label = readLabel(readBytes(pbf));
      if (label.name === '__name__') {
        name = label.value;
      } else {
        setAttribute(labels, label.name, label.value);
      }
    } else if (tag === 2) {
      countSample();
      samples.push(readSample(readBytes(pbf)));
    }
  });
  return { name, labels: labels.values, samples };
}

function readLabel(bytes: Uint8Array): { readonly name: string; readonly value: string } {
  const pbf = new PbfReader(bytes);
  let [name, value] = ['', ''];
  readWholeMessage(pbf, (tag) => {
    if (tag === 1) name = readText(pbf);
    else if (tag === 2) value = readText(pbf);
  });
  return { name, value };
}

function readSample(bytes: Uint8Array): Sample {
  const pbf = new PbfReader(bytes);
  let [value, ms] = [0, 0];
  readWholeMessage(pbf, (tag) => {
    if (tag === 1) value = readDouble(pbf);
    else if (tag === 2) ms = Number(readInt64(pbf));
  });
  return { value, ms };
}

function keyOf({ name, labels }: Series, suffix: string): string {
  return JSON.stringify([name.slice(0, -suffix.length), labels]);
}

/** Version 1.0 tells no types: counters end in `_total` or `_count`. */
function plainPoints({ name, labels, samples }: Series): MetricPoint[] {
  const isCounter = /_(?:total|count)$/.test(name);
  const metric = { ...describe(name), kind: isCounter ? 'sum' : 'gauge', isMonotonic: isCounter } as const;
  return toPoints(metric, labels, samples, () => 1);
}

function histogramPoints(counts: Series, sum: Series): MetricPoint[] {
  const metric = {
    ...describe(counts.name.slice(0, -'_count'.length)),
    kind: 'histogram',
    isMonotonic: false,
  } as const;
  const countAt = new Map(counts.samples.map(({ ms, value }) => [ms, value]));
  return toPoints(metric, counts.labels, sum.samples, ({ ms }) => countAt.get(ms) ?? null);
}

function describe(name: string): Pick<Metric, 'name' | 'unit' | 'temporality'> {
  return { name, unit: name.endsWith('_seconds') ? 's' : '', temporality: 'cumulative' };
}

/** Staleness is a value that is not a number. */
function toPoints(
  metric: Metric,
  labels: Attributes,
  samples: readonly Sample[],
  countOf: (sample: Sample) => number | null,
): MetricPoint[] {
  const resource = toTarget(labels);
  return samples.flatMap((sample) => {
    const count = countOf(sample);
    const isKnown = count !== null && Number.isFinite(sample.value) && sample.ms > 0;
    const timeNanos = isKnown ? BigInt(sample.ms) * 1_000_000n : 0n;
    const point = { resource, metric, attributes: labels, startNanos: 0n, timeNanos, value: sample.value };
    return isKnown ? [{ ...point, count }] : [];
  });
}

function toTarget(labels: Attributes): Resource {
  const { instance, namespace, pod, node } = labels;
  const where = { 'k8s.namespace.name': namespace, 'k8s.pod.name': pod, 'k8s.node.name': node };
  return toResource({ ...labels, ...given({ ...where, 'service.instance.id': instance }) });
}
