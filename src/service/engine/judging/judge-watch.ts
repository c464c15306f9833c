import type { Family } from '../../core/telemetry-item.ts';
import { HALF, LEAST_RUNS } from '../constants.ts';
import { countAbove, mean, quantile } from '../histogram.ts';
import {
  CUTS,
  ENOUGH_HITS,
  EXPECTED_SHARE,
  LEAST_CLEAN,
  LEAST_DIFFERENCE,
  LEAST_NOW,
  LEAST_SLOWER,
  LEAST_USUAL,
  LEFT,
  NOTABLE_MS,
  OVER,
  PRIOR,
  SLOT_MS,
} from './constants.ts';
import { countBoth, isFailure, isLine, type Tally, type Watch } from './tally.ts';

/** A deviation of a watch from its baseline in the last minute. */
export interface Finding {
  readonly family: Family;
  readonly peer: string | null;
  readonly subject: string;
  readonly strength: number;
  readonly now: number;
  readonly usual: number;
  readonly count: number;
  /** Start of the slot in which it last happened. Absent: in the present one. */
  readonly seenAt?: number;
  /** See `Evidence.isShare`. */
  readonly isShare?: boolean;
  /** See `Evidence.lastsMs`. */
  readonly lastsMs?: number;
}

interface WatchFinding extends Finding {
  /** Whether it happened in the present slot. null: nothing did there that could tell. Absent: it did if anything did. */
  readonly isNew?: boolean | null;
}

/** Tallies of a watch in its last minute and 20 seconds. */
export interface Present {
  readonly now: Tally;
  readonly recent: Tally;
  /** The slots of the last minute. */
  readonly slots: ReadonlyMap<number, Tally>;
  /** The present slot, the last of them; null: nothing happened there. */
  readonly slot: Tally | null;
}

/** @param isKnownError whether any service wrote this error line in quiet time */
export function judgeWatch(watch: Watch, present: Present, isKnownError: (feature: string) => boolean): WatchFinding[] {
  return [...judgeFailures(watch, present, isKnownError), ...judgeStops(watch, present), ...judgeTimes(watch, present)];
}

/** @param recent null: too few to tell */
function isOver(now: number, usual: number, recent: number | null): boolean {
  return recent !== null && (recent - usual) / (now - usual) < OVER;
}

/** @returns null: too few observations to tell. Two are enough if both are clean. */
function shareOf(hits: number, total: number): number | null {
  const isEnough = total >= LEAST_NOW || (hits === 0 && total >= LEAST_CLEAN);
  return isEnough ? hits / total : null;
}

function judgeFailures(
  watch: Watch,
  { now, recent, slots, slot }: Present,
  isKnownError: (feature: string) => boolean,
): WatchFinding[] {
  return [...now.features].flatMap(([feature, hits]): WatchFinding[] => {
    const recentHits = recent.features.get(feature) ?? 0;
    if (recentHits === 0 && (watch.oddSince === null || watch.kind === 'lines')) {
      return []; // without recent hits nothing new begins, and error lines are over
    }
    const family = familyOf(watch, feature, isKnownError);
    const share = hits / now.total;
    const { usual, strength } =
      watch.usual.total < LEAST_USUAL
        ? judgeUnknown(feature, [now, recent])
        : strongest([now, recent].map((tally) => judgeShare(watch, feature, tally)));
    if (family === null || strength === 0 || isOver(share, usual, shareOf(recentHits, recent.total))) {
      return [];
    }
    const seenAt = lastSlotWith(slots, feature) * SLOT_MS;
    const isNew = slot?.features.has(feature) === true;
    return [{ family, ...aboutOf(watch, feature), strength, now: share, usual, count: now.total, seenAt, isNew }];
  });
}

function lastSlotWith(slots: Present['slots'], feature: string): number {
  return Math.max(...[...slots].flatMap(([slot, { features }]) => (features.has(feature) ? [slot] : [])));
}

/** Judges without a baseline. The strongest window counts, since a new failure fills only the end of the minute. */
function judgeUnknown(feature: string, tallies: readonly Tally[]) {
  const usual = PRIOR.hits / PRIOR.total;
  const strengths = tallies.map(({ features, total }) => {
    const hits = features.get(feature) ?? 0;
    const share = total === 0 ? 0 : hits / total;
    const isNews = share >= HALF || shareDifference(hits, total, PRIOR.hits, PRIOR.total) >= LEAST_DIFFERENCE;
    return isNews && share > usual ? share * Math.min(1, hits / ENOUGH_HITS) : 0;
  });
  return { usual, strength: Math.max(...strengths) };
}

function strongest<Judged extends { readonly strength: number }>(all: readonly Judged[]): Judged {
  return all.reduce((best, each) => (each.strength > best.strength ? each : best));
}

function judgeShare({ usual }: Watch, feature: string, { features, total }: Tally) {
  const hits = features.get(feature) ?? 0;
  if (hits === 0) {
    return { usual: 0, strength: 0 };
  }
  const usualHits = usual.features.get(feature) ?? 0;
  const share = hits / total;
  const usualShare = usualHits / usual.total;
  const difference = shareDifference(hits, total, usualHits, usual.total);
  const isNews = share >= 1.5 * usualShare && difference >= LEAST_DIFFERENCE;
  return { usual: usualShare, strength: isNews ? significance(difference) * (1 - usualShare / share) : 0 };
}

function familyOf({ kind, usual }: Watch, feature: string, isKnownError: (feature: string) => boolean): Family | null {
  if (feature === 'failed') {
    return 'failed_calls';
  }
  if (!isFailure(feature)) {
    return null;
  }
  const isKnown = (usual.features.get(feature) ?? 0) > 0 || isKnownError(feature);
  if (isKnown && kind === 'operation' && usual.total < LEAST_USUAL) {
    return null;
  }
  return isKnown ? 'error_log' : 'new_error_log';
}

/**
 * Steps and log lines that belong to every run of an operation, or to every run in which another step or line happens,
 * and are missing now.
 */
function judgeStops(watch: Watch, present: Present): WatchFinding[] {
  const { kind, usual, subject } = watch;
  if (kind !== 'operation') {
    return [];
  }
  // Only what was seen often enough, because every feature is compared with every other.
  const conditions = [...present.now.features].flatMap(([condition, hits]) =>
    hits >= LEAST_NOW && (usual.features.get(condition) ?? 0) >= LEAST_RUNS ? [condition] : [],
  );
  return [...usual.features].flatMap(([feature, hits]): WatchFinding[] => {
    const family = stopFamilyOf(feature);
    if (family === null || hits < EXPECTED_SHARE * LEAST_RUNS) {
      return [];
    }
    const told = conditions.filter((condition) => !isReworded(condition, feature, usual, present));
    const stops = told.flatMap((condition) => judgeStop(condition, feature, usual, present) ?? []);
    const [strongest] = stops.toSorted((a, b) => b.strength - a.strength);
    return strongest === undefined
      ? []
      : [{ family, peer: null, subject: `${subject}: ${textOf(feature)}`, ...strongest }];
  });
}

/** Checks a feature that nearly every baseline run with the condition had. @returns null: it is not missing now */
function judgeStop(condition: string, feature: string, usual: Tally, present: Present) {
  const { now, recent, slot } = present;
  const usualTotal = usual.features.get(condition) ?? 0;
  const total = now.features.get(condition) ?? 0;
  const usualHits = countBoth(usual, condition, feature);
  if (usualTotal < LEAST_RUNS || total < LEAST_NOW || usualHits < EXPECTED_SHARE * usualTotal) {
    return null;
  }
  const hits = countBoth(now, condition, feature);
  const [share, usualShare] = [hits / total, usualHits / usualTotal];
  const difference = shareDifference(hits, total, usualHits, usualTotal);
  if (share > LEFT * usualShare || difference < LEAST_DIFFERENCE) {
    return null;
  }
  const recentShare = shareOf(countBoth(recent, condition, feature), recent.features.get(condition) ?? 0);
  if (isOver(share, usualShare, recentShare)) {
    return null;
  }
  const strength = significance(difference) * (1 - share / usualShare);
  // Each run counts once, however long it stays in the window.
  const isNew = slot === null || !slot.features.has(condition) ? null : countWithout(slot, condition, feature) > 0;
  return { strength, now: share, usual: usualShare, count: total, isNew };
}

/** How many runs had the condition, and not the feature. */
function countWithout(tally: Tally, condition: string, feature: string): number {
  return (tally.features.get(condition) ?? 0) - countBoth(tally, condition, feature);
}

/** Whether the runs without a line or step have another one instead that hardly any run had before: a new version names it anew. */
function isReworded(condition: string, feature: string, usual: Tally, { now }: Present): boolean {
  const missing = countWithout(now, condition, feature);
  const mostUsual = (1 - EXPECTED_SHARE) * (usual.features.get(condition) ?? 0);
  const family = stopFamilyOf(feature);
  return [...now.features.keys()].some(
    (other) =>
      stopFamilyOf(other) === family &&
      countBoth(usual, condition, other) <= mostUsual &&
      countBoth(now, condition, other) >= missing,
  );
}

function stopFamilyOf(feature: string): Family | null {
  if (isLine(feature)) {
    return 'log_stopped';
  }
  return feature.startsWith('step ') ? 'step_stopped' : null;
}

function judgeTimes(watch: Watch, { now, recent }: Present): Finding[] {
  const { usual } = watch;
  if (watch.kind === 'lines' || usual.times.total < LEAST_RUNS || now.times.total < LEAST_NOW) {
    return [];
  }
  const slower = mean(now.times) - mean(usual.times);
  const ratio = mean(now.times) / Math.max(mean(usual.times), 1e-3);
  if (slower < LEAST_SLOWER.ms || ratio < LEAST_SLOWER.ratio) {
    return [];
  }
  if (isOver(mean(now.times), mean(usual.times), shareOf(recent.times.sum, recent.times.total))) {
    return [];
  }
  const difference = Math.max(
    ...CUTS.map((share) => {
      const cut = quantile(usual.times, share);
      const above = countAbove(now.times, cut);
      const usualAbove = countAbove(usual.times, cut);
      const isMore = above / now.times.total > usualAbove / usual.times.total;
      return isMore ? shareDifference(above, now.times.total, usualAbove, usual.times.total) : 0;
    }),
  );
  if (difference < LEAST_DIFFERENCE) {
    return [];
  }
  const strength =
    significance(difference) * Math.min(1, Math.log(ratio) / Math.log(8)) * (slower / (slower + NOTABLE_MS));
  const family = watch.kind === 'edge' ? 'network_gap' : 'self_time';
  const about = aboutOf(watch, '');
  return [{ family, ...about, strength, now: mean(now.times), usual: mean(usual.times), count: now.times.total }];
}

/** Maps the G statistic to a share: 12 gives 0.5, and 100 gives 0.9. */
function significance(difference: number): number {
  return difference / (difference + LEAST_DIFFERENCE);
}

function aboutOf({ kind, subject }: Watch, feature: string): { peer: string | null; subject: string } {
  if (kind === 'edge') {
    return { peer: subject, subject: '' };
  }
  return { peer: null, subject: feature === 'failed' || feature === '' ? subject : textOf(feature) };
}

function textOf(feature: string): string {
  return feature.slice(feature.indexOf(' ') + 1);
}

/**
 * How sure it is that the share of hits among `total` differs from that among `usualTotal`: the G statistic of the two
 * shares (a likelihood ratio). 3.8 is exceeded by chance once in 20, 10.8 once in 1,000.
 */
export function shareDifference(hits: number, total: number, usualHits: number, usualTotal: number): number {
  const pooled = (hits + usualHits) / (total + usualTotal);
  return 2 * (gain(hits, total, pooled) + gain(usualHits, usualTotal, pooled));
}

function gain(hits: number, total: number, pooled: number): number {
  return term(hits, total * pooled) + term(total - hits, total * (1 - pooled));
}

function term(observed: number, expected: number): number {
  return observed <= 0 ? 0 : observed * Math.log(observed / expected);
}
