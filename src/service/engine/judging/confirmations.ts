import type { Family } from '../../core/telemetry-item.ts';
import { createPools, forgetEpisode, type Pools, poolIn } from '../accounts/baseline.ts';
import { createStream, endStream, look, lookWell, type Stream, strongest } from '../accounts/stream.ts';
import { getOrCreateFrequent, senderKey } from '../bounded-map.ts';
import { LIMITS, MOST_LOOKS } from '../constants.ts';
import { DEVIATIONS, LEAST_LOOKS, THRESHOLD } from './constants.ts';

/** A sequential test for all that senders show: is it found more often than its own baseline rate? */
export interface Confirmations {
  /** Keys begin with the sender. */
  readonly byKey: Map<string, Confirmation>;
  readonly pools: Pools;
}

interface Confirmation {
  readonly stream: Stream;
  /** `Sighting.looks` of the first sighting. */
  readonly firstLook: number;
  /** The same of the last sighting. */
  looks: number;
  wasQuiet: boolean;
}

interface Sighting {
  readonly sender: string;
  /** What is sighted. */
  readonly subject: string;
  readonly family: Family;
  readonly at: number;
  /** Number of checks so far that could have found it, this one included. */
  readonly looks: number;
  /**
   * It happened since the last check. false: it is over, but still inside the sliding window. null: nothing happened since
   * that could tell.
   */
  readonly isNew: boolean | null;
  /** No failing incident reaches its service. */
  readonly isQuiet: boolean;
  /** Its service was first seen too recently to have a baseline, see `isYoungAt`. */
  readonly isYoung: boolean;
  /**
   * Number of lines that are tested at the same place, this one included: each may be a false alarm. null: it is no line,
   * but a finding, which has passed a test in its window.
   */
  readonly among: number | null;
}

export function createConfirmations(): Confirmations {
  return { byKey: new Map(), pools: createPools() };
}

/** @returns the strongest sum as a share of the threshold; from 1 on, its rate is above the baseline beyond chance */
export function confirm({ byKey, pools }: Confirmations, sighting: Sighting): number {
  const { sender, subject, family, at, looks, isNew, isQuiet, isYoung, among } = sighting;
  const pool = poolIn(pools, sender, family);
  const create = () => createConfirmation(looks - 1);
  const known = getOrCreateFrequent(
    byKey,
    senderKey(sender, subject),
    LIMITS.fingerprints,
    create,
    (each) => each.looks,
  );
  if (isQuiet && !known.wasQuiet) {
    endStream(known.stream); // its incident is over, so later findings must pass the test by themselves
  }
  known.wasQuiet = isQuiet;
  const missed = looks - known.looks;
  known.stream.allowed = among === null ? 0 : mostUsual(known.stream);
  if (isYoung && known.firstLook <= LEAST_LOOKS) {
    assumeUsual(known.stream, Math.max(0, missed), isNew === true);
    known.looks = looks;
    return 0;
  }
  if (missed > 0) {
    lookWell(known.stream, missed - 1, at, pool);
    if (isNew !== null) {
      look(known.stream, isNew ? FOUND : null, at, pool);
    }
    known.looks = looks;
  }
  if (!isQuiet) {
    forgetEpisode(known.stream);
  }
  return strongest(known.stream) / (THRESHOLD + Math.log(among ?? 1));
}

/** All findings of a fingerprint are alike. */
const FOUND = 'found';

/** Upper bound of the baseline share: many lines come for ever, and few looks tell badly how often. */
function mostUsual({ first, next }: Stream): number {
  const following = next[FOUND] ?? { same: 0, looks: 0 };
  const hits = first.hits + following.same;
  return (hits + DEVIATIONS * Math.sqrt(hits + 1)) / Math.max(first.looks + following.looks, 1);
}

/** Counts everything as baseline, without a test. */
function assumeUsual(stream: Stream, looks: number, isHit: boolean): void {
  const { last, first, next } = stream;
  if (last !== null && looks === 1) {
    const { same, looks: known } = next[last] ?? { same: 0, looks: 0 };
    next[last] = { same: same + (isHit ? 1 : 0), other: 0, looks: known + 1 };
  } else {
    first.looks += looks;
    first.hits += isHit ? 1 : 0;
  }
  stream.last = isHit ? FOUND : null;
}

function createConfirmation(looks: number): Confirmation {
  const stream = createStream();
  stream.first.looks = Math.min(Math.max(looks, 0), MOST_LOOKS);
  return { stream, firstLook: looks + 1, looks: Math.max(looks, 0), wasQuiet: true };
}
