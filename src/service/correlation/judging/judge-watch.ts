import type { Family } from '../telemetry-item.ts';
import { countAbove, mean, quantile } from './histogram.ts';
import { shareDifference } from './share-test.ts';
import { countBoth, type Tally, type Watch } from './tally.ts';

/** What is odd about a watch in its last minute. */
export interface Finding {
  readonly family: Family;
  readonly peer: string | null;
  readonly subject: string;
  readonly strength: number;
  readonly now: number;
  readonly usual: number;
  readonly count: number;
}

/** G beyond which a difference of shares is news: by chance once in 2,000 looks. */
const LEAST_DIFFERENCE = 12;
/** Fewer observations make no "usual". */
const LEAST_USUAL = 20;
const LEAST_NOW = 5;
/** Fewer runs do not tell what belongs to every run. */
const LEAST_RUNS = 10;
/** Before a usual is known, failures and error lines are taken to happen once in 20. */
const PRIOR = { hits: 1, total: 20 };
/** A step or log line that this share of spans had is expected of the next. */
const EXPECTED_SHARE = 0.95;
/** Slower by less is noise of the scheduler. */
const LEAST_SLOWER = { ratio: 1.5, ms: 2 };
/** Extra time that people notice. */
const NOTABLE_MS = 20;
/** Shares of the usual times beyond which the times of now are counted. */
const CUTS = [0.5, 0.8, 0.95];

/** @param isKnownTemplate whether the service wrote this error line before, in any operation */
export function judgeWatch(watch: Watch, now: Tally, isKnownTemplate: (feature: string) => boolean): Finding[] {
  if (watch.kind === 'errors') {
    return [];
  }
  return [...judgeFeatures(watch, now, isKnownTemplate), ...judgeStops(watch, now), ...judgeTimes(watch, now)];
}

function judgeFeatures(watch: Watch, now: Tally, isKnownTemplate: (feature: string) => boolean): Finding[] {
  const { usual } = watch;
  return [...now.features].flatMap(([feature, hits]): Finding[] => {
    const family = familyOf(watch, feature, usual, isKnownTemplate);
    if (family === null) {
      return [];
    }
    const hasUsual = usual.total >= LEAST_USUAL;
    const usualHits = hasUsual ? (usual.features.get(feature) ?? 0) : PRIOR.hits;
    const usualTotal = hasUsual ? usual.total : PRIOR.total;
    const share = hits / now.total;
    const usualShare = usualHits / usualTotal;
    const difference = shareDifference(hits, now.total, usualHits, usualTotal);
    if (share < 1.5 * usualShare || difference < LEAST_DIFFERENCE) {
      return [];
    }
    const strength = sureness(difference) * (1 - usualShare / share);
    return [{ family, ...aboutOf(watch, feature), strength, now: share, usual: usualShare, count: now.total }];
  });
}

function familyOf(
  watch: Watch,
  feature: string,
  usual: Tally,
  isKnownTemplate: (feature: string) => boolean,
): Family | null {
  if (feature === 'failed') {
    return 'failed_calls';
  }
  if (!feature.startsWith('error ')) {
    return null;
  }
  const isKnown = (usual.features.get(feature) ?? 0) > 0 || isKnownTemplate(feature);
  if (isKnown && watch.kind === 'operation' && usual.total < LEAST_USUAL) {
    return null;
  }
  return isKnown ? 'error_log' : 'new_error_log';
}

/**
 * Steps and log lines that belong to every run of an operation, or to every run in which another step or line happens,
 * and are missing now.
 */
function judgeStops({ kind, usual, subject }: Watch, now: Tally): Finding[] {
  if (kind !== 'operation') {
    return [];
  }
  return [...usual.features.keys()].flatMap((feature): Finding[] => {
    const family = stopFamilyOf(feature);
    if (family === null) {
      return [];
    }
    const stops = [...now.features.keys()].flatMap((condition) => judgeStop(condition, feature, usual, now) ?? []);
    const [surest] = stops.toSorted((a, b) => b.strength - a.strength);
    return surest === undefined ? [] : [{ family, peer: null, subject: `${subject}: ${textOf(feature)}`, ...surest }];
  });
}

/** Whether a feature goes with a condition in every usual run, and not now. */
function judgeStop(condition: string, feature: string, usual: Tally, now: Tally) {
  const usualTotal = usual.features.get(condition) ?? 0;
  const total = now.features.get(condition) ?? 0;
  const usualHits = countBoth(usual, condition, feature);
  if (usualTotal < LEAST_RUNS || total < LEAST_NOW || usualHits < EXPECTED_SHARE * usualTotal) {
    return null;
  }
  const hits = countBoth(now, condition, feature);
  const [share, usualShare] = [hits / total, usualHits / usualTotal];
  const difference = shareDifference(hits, total, usualHits, usualTotal);
  if (share > 0.8 * usualShare || difference < LEAST_DIFFERENCE) {
    return null;
  }
  return { strength: sureness(difference) * (1 - share / usualShare), now: share, usual: usualShare, count: total };
}

function stopFamilyOf(feature: string): Family | null {
  if (feature.startsWith('log ')) {
    return 'log_stopped';
  }
  return feature.startsWith('step ') ? 'step_stopped' : null;
}

function judgeTimes(watch: Watch, now: Tally): Finding[] {
  const { usual } = watch;
  if (watch.kind === 'lines' || usual.times.total < LEAST_RUNS || now.times.total < LEAST_NOW) {
    return [];
  }
  const slower = mean(now.times) - mean(usual.times);
  const ratio = mean(now.times) / Math.max(mean(usual.times), 1e-3);
  if (slower < LEAST_SLOWER.ms || ratio < LEAST_SLOWER.ratio) {
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
  const strength = sureness(difference) * Math.min(1, Math.log(ratio) / Math.log(8)) * (slower / (slower + NOTABLE_MS));
  const family = watch.kind === 'edge' ? 'network_gap' : 'self_time';
  const about = aboutOf(watch, '');
  return [{ family, ...about, strength, now: mean(now.times), usual: mean(usual.times), count: now.times.total }];
}

/** 0.5 at a G of 12, 0.9 at 100. */
function sureness(difference: number): number {
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
