import { COMPARED_ATTRIBUTES, type ComparedAttribute } from '../../core/comparison.ts';
import type { ResourceAttributes } from '../../core/resource-attributes.ts';
import { FATEFUL, type Fateful } from '../../core/telemetry-item.ts';
import { LIMITS } from '../limits.ts';
import type { SpanNode } from '../requests/request-tree.ts';

/** How many requests have which value of each attribute. Every request is counted, so this is kept cheap. */
export interface AttributeCounts {
  /** With the weights of sampling. */
  requests: number;
  /** As many as came. */
  kept: number;
  /** Estimated memory. */
  bytes: number;
  /** In the order of `COMPARED_ATTRIBUTES`; null: no request has a value. */
  readonly values: (ValueCounts | null)[];
}

export interface ValueCounts {
  /** Requests that have a value. */
  requests: number;
  readonly byValue: Map<string, number>;
  /** Sum of the values that came when `LIMITS.perPlace` were known already. */
  others: number;
}

const BYTES = { counts: 300, attribute: 200, value: 80 } as const;

/** A request as one place had it. */
export interface PlaceRequest {
  readonly place: string;
  /** Spans of the place, or of its callers where it sent none, see `PlaceMark`. */
  readonly runs: readonly SpanNode[];
  /** Service and operation where it came in; null: at this place. */
  readonly entry: string | null;
  readonly weight: number;
}

export function createAttributeCounts(): AttributeCounts {
  return { requests: 0, kept: 0, bytes: BYTES.counts, values: COMPARED_ATTRIBUTES.map(() => null) };
}

/** @returns null: no request has a value of the attribute */
export function valuesOf({ values }: AttributeCounts, attribute: ComparedAttribute): ValueCounts | null {
  return values[PLACES[attribute]] ?? null;
}

/** Counts a request once for each of its values. */
export function countRequest(counts: AttributeCounts, { place, runs, entry, weight }: PlaceRequest): void {
  counts.requests += weight;
  counts.kept += 1;
  if (entry !== null) {
    add(counts, PLACES.entry, entry, weight, null);
  }
  const seen = runs.length > 1 ? new Set<string>() : null;
  for (let index = 0; index < runs.length && index < LIMITS.perPlace; index += 1) {
    const run = runs[index];
    if (run !== undefined) {
      countRun(counts, run, place, weight, seen);
    }
  }
}

const PLACES = Object.fromEntries(COMPARED_ATTRIBUTES.map((attribute, place) => [attribute, place])) as Readonly<
  Record<ComparedAttribute, number>
>; // one entry per attribute

type Seen = Set<string> | null;

function countRun(
  counts: AttributeCounts,
  { span, parent }: SpanNode,
  place: string,
  weight: number,
  seen: Seen,
): void {
  const { service, operation, instance, attributes } = span;
  if (service !== place) {
    add(counts, PLACES.caller, service, weight, seen);
    add(counts, PLACES.call, operation, weight, seen);
    return;
  }
  add(counts, PLACES.operation, operation, weight, seen);
  add(counts, PLACES.instance, instance, weight, seen);
  add(counts, PLACES.caller, parent?.span.service, weight, seen);
  if (attributes !== undefined) {
    add(counts, PLACES.version, attributes.version, weight, seen);
    add(counts, PLACES.pod, attributes.pod, weight, seen);
    add(counts, PLACES.host, attributes.host, weight, seen);
    add(counts, PLACES.zone, attributes.zone, weight, seen);
    add(counts, PLACES.region, attributes.region, weight, seen);
    add(counts, PLACES.environment, attributes.environment, weight, seen);
  }
}

/** @param seen what this request was counted for already; null: nothing comes twice */
function add(counts: AttributeCounts, place: number, value: string | undefined, weight: number, seen: Seen): void {
  if (value === undefined) {
    return;
  }
  let known = counts.values[place] ?? null;
  if (known === null) {
    known = { requests: 0, byValue: new Map(), others: 0 };
    counts.values[place] = known;
    counts.bytes += BYTES.attribute;
  }
  if (seen === null || isFirst(seen, String(place))) {
    known.requests += weight;
  }
  if (seen !== null && !isFirst(seen, `${place} ${value}`)) {
    return;
  }
  const count = known.byValue.get(value);
  if (count !== undefined) {
    known.byValue.set(value, count + weight);
  } else if (known.byValue.size < LIMITS.perPlace) {
    known.byValue.set(value, weight);
    counts.bytes += BYTES.value + value.length;
  } else {
    known.others += weight;
  }
}

function isFirst(seen: Set<string>, key: string): boolean {
  const isNew = !seen.has(key);
  seen.add(key);
  return isNew;
}

/** A value of a `FATEFUL` attribute, as `host=node-7`. */
export type Whereabouts = string;

/** Where something ran, in every way that it may share with others. */
export function whereaboutsOf(ranAt: ResourceAttributes): Whereabouts[] {
  return FATEFUL.flatMap((attribute) => {
    const value = ranAt[attribute];
    return value === undefined ? [] : [toWhereabouts(attribute, value)];
  });
}

export function toWhereabouts(attribute: Fateful, value: string): Whereabouts {
  return `${attribute}=${value}`;
}
