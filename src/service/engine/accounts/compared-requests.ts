import {
  COMPARED_ATTRIBUTES,
  type ComparedAttribute,
  type Comparison,
  type Difference,
} from '../../core/comparison.ts';
import {
  type AttributeCounts,
  countRequest,
  createAttributeCounts,
  type PlaceRequest,
  type ValueCounts,
  valuesOf,
} from './attribute-counts.ts';
import { LEAST_DIFFERENCE, LEAST_KNOWN, LEAST_Z, MAX_DIFFERENCES, PERIOD_MS } from './constants.ts';

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
    if (ofLost !== null && ofGood.length > 0 && ofLost.requests >= LEAST_KNOWN * lost.requests) {
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
