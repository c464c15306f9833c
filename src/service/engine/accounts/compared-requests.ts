import {
  COMPARED_ATTRIBUTES,
  type ComparedAttribute,
  type Comparison,
  type Difference,
} from '../../core/comparison.ts';
import type { ResourceAttributes } from '../../core/resource-attributes.ts';
import { FATEFUL, type Fateful } from '../../core/telemetry-item.ts';
import { HALF, LIMITS } from '../constants.ts';
import type { SpanNode } from '../requests/request-tree.ts';
import { LEAST_DIFFERENCE, LEAST_Z, MAX_DIFFERENCES, PERIOD_MS } from './constants.ts';

/** Counts of attributes, to find what the lost requests of a place have more often than its good ones. */
export interface ComparedRequests {
  /** Requests that its present episode of harm lost. */
  lost: AttributeCounts;
  /** Requests that it did not lose, since `since`. */
  good: AttributeCounts;
  since: number;
  /** The same of the period before. null: there was none. */
  before: { readonly good: AttributeCounts; readonly since: number } | null;
}

export function createComparedRequests(at: number): ComparedRequests {
  return { lost: createAttributeCounts(), good: createAttributeCounts(), since: at, before: null };
}

/** @param isInEpisode whether the place has an episode of harm, with this request in it */
export function compareRequest(
  compared: ComparedRequests,
  request: PlaceRequest,
  isLost: boolean,
  isInEpisode: boolean,
  at: number,
): void {
  if (!isInEpisode) {
    turnPeriod(compared, at);
  }
  if (!isLost) {
    countRequest(compared.good, request);
  } else if (isInEpisode) {
    countRequest(compared.lost, request);
  }
}

function turnPeriod(compared: ComparedRequests, at: number): void {
  const { lost, good, since } = compared;
  if (lost.requests > 0) {
    compared.lost = createAttributeCounts();
  }
  if (at - since >= PERIOD_MS) {
    compared.before = at - since < 2 * PERIOD_MS ? { good, since } : null;
    compared.good = createAttributeCounts();
    compared.since = at;
  }
}

/** Estimated memory. */
export function sizeOfCompared({ lost, good, before }: ComparedRequests): number {
  return lost.bytes + good.bytes + (before?.good.bytes ?? 0);
}

/** The good requests of the last period and of the present one. */
export function sidesOf({ good, before }: ComparedRequests): readonly AttributeCounts[] {
  return before === null ? [good] : [before.good, good];
}

/** How many requests there were, and how many of them were kept, if senders send a sample. */
export function totalsOf(sides: readonly AttributeCounts[]): { readonly requests: number; readonly kept: number } {
  const sum = (of: (side: AttributeCounts) => number) => sides.reduce((all, side) => all + of(side), 0);
  return { requests: sum(({ requests }) => requests), kept: sum(({ kept }) => kept) };
}

/** What the lost requests of a service have more often than its good ones. */
export function compare(service: string, compared: ComparedRequests): Comparison {
  const { lost, since, before } = compared;
  const sides = sidesOf(compared);
  const good = totalsOf(sides);
  const attributes: ComparedAttribute[] = [];
  const found: Difference[] = [];
  for (const attribute of COMPARED_ATTRIBUTES) {
    const ofLost = valuesOf(lost, attribute);
    const ofGood = sides.flatMap((side) => valuesOf(side, attribute) ?? []);
    if (ofLost !== null && ofGood.length > 0 && ofLost.requests >= HALF * lost.requests) {
      attributes.push(attribute);
      found.push(...differencesOf(attribute, ofLost, ofGood));
    }
  }
  const keptShare = { lost: lost.kept / Math.max(1, lost.requests), good: good.kept / Math.max(1, good.requests) };
  return {
    service,
    lost: Math.round(lost.requests),
    good: Math.round(good.requests),
    since: before?.since ?? since,
    kept: lost.kept + good.kept,
    attributes,
    differences: withoutRepeats(
      found
        .filter((each) => differenceOf(each) >= LEAST_DIFFERENCE && zOf(each, keptShare) >= LEAST_Z)
        .toSorted((one, other) => differenceOf(other) - differenceOf(one)),
    ).slice(0, MAX_DIFFERENCES),
  };
}

/** Values whose number of good requests is known: it is not where `others` may have them. */
function differencesOf(attribute: ComparedAttribute, lost: ValueCounts, good: readonly ValueCounts[]): Difference[] {
  const goodOf = good.reduce((sum, { requests }) => sum + requests, 0);
  return [...lost.byValue]
    .filter(([value]) => good.every(({ byValue, others }) => others === 0 || byValue.has(value)))
    .map(([value, count]) => ({
      attribute,
      value,
      lost: Math.round(count),
      lostOf: Math.round(lost.requests),
      good: Math.round(good.reduce((sum, { byValue }) => sum + (byValue.get(value) ?? 0), 0)),
      goodOf: Math.round(goodOf),
    }));
}

function differenceOf({ lost, lostOf, good, goodOf }: Difference): number {
  return lost / Math.max(1, lostOf) - good / Math.max(1, goodOf);
}

/** The statistic of the test of two proportions, for as many requests as were kept. */
function zOf(difference: Difference, kept: { readonly lost: number; readonly good: number }): number {
  const { lost, lostOf, good, goodOf } = difference;
  const [lostKept, goodKept] = [lostOf * kept.lost, goodOf * kept.good];
  const pooled = (lost * kept.lost + good * kept.good) / (lostKept + goodKept);
  return differenceOf(difference) / Math.sqrt(pooled * (1 - pooled) * (1 / lostKept + 1 / goodKept));
}

/** A pod that is also the instance is shown once. */
function withoutRepeats(differences: readonly Difference[]): Difference[] {
  return differences.filter(
    ({ value, lost, good }, index) =>
      !differences.slice(0, index).some((other) => other.value === value && other.lost === lost && other.good === good),
  );
}

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

/** A value of a `FATEFUL` attribute, as `host=node-7` or `from host=node-7`. */
export type Whereabouts = string;

/** Marks where the caller of a place ran. */
export const FROM = 'from ';

/** Where something ran, in every way that it may share with others. */
export function whereaboutsOf(ranAt: ResourceAttributes | null | undefined, side = ''): Whereabouts[] {
  return FATEFUL.flatMap((attribute) => {
    const value = ranAt?.[attribute];
    return value === undefined ? [] : [toWhereabouts(attribute, value, side)];
  });
}

/** @param side empty, or `FROM` */
export function toWhereabouts(attribute: Fateful, value: string, side: string): Whereabouts {
  return `${side}${attribute}=${value}`;
}
