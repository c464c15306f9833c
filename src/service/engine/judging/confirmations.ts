import type { Family } from '../../core/telemetry-item.ts';
import {
  createPool,
  createStream,
  endStream,
  look,
  lookWell,
  type Pool,
  type Stream,
  strongest,
} from '../accounts/stream.ts';
import { setBounded } from '../bounded-map.ts';

/** Tests in sequence whether a finding comes again and again, beyond its own usual rate. */
export interface Confirmations {
  readonly byFingerprint: Map<string, Confirmation>;
  readonly pools: Map<Family, Pool>;
}

interface Confirmation {
  readonly stream: Stream;
  /** How often it had been looked for when it was last found. */
  looks: number;
  wasQuiet: boolean;
}

export interface Sighting {
  readonly fingerprint: string;
  readonly family: Family;
  readonly at: number;
  /** How often it might have been found so far, this time included. */
  readonly looks: number;
  /** It happened since the last look: a window still holds what is over. */
  readonly isNew: boolean;
  /** Nothing is known to be wrong there. */
  readonly isQuiet: boolean;
  /** Nobody knows yet what its service always does. */
  readonly isYoung: boolean;
}

const MAX_CONFIRMATIONS = 50_000;
const MOST_LOOKS = 6_000;
/**
 * exp of it are the looks (of 5 s) between two false alarms, at least: a day. Most findings never come in usual time, and what is
 * usual is overestimated: null traffic and the healthy systems of the lab open nothing.
 */
const THRESHOLD = 10;

export function createConfirmations(): Confirmations {
  return { byFingerprint: new Map(), pools: new Map() };
}

/** @returns from 1 on it is no chance that it comes so often */
export function confirm({ byFingerprint, pools }: Confirmations, sighting: Sighting): number {
  const { fingerprint, family, at, looks, isNew, isQuiet, isYoung } = sighting;
  const pool = pools.get(family) ?? createPool();
  pools.set(family, pool);
  const known = byFingerprint.get(fingerprint) ?? createConfirmation(looks - 1);
  setBounded(byFingerprint, fingerprint, known, MAX_CONFIRMATIONS);
  if (isQuiet && !known.wasQuiet) {
    endStream(known.stream); // an incident has told it: what comes later must be odd by itself
  }
  known.wasQuiet = isQuiet;
  const missed = looks - known.looks;
  if (isYoung) {
    assumeUsual(known.stream, Math.max(0, missed), isNew);
    known.looks = looks;
    return 0;
  }
  if (missed > 0) {
    lookWell(known.stream, missed - 1, at, pool);
    look(known.stream, isNew, at, pool);
    known.looks = looks;
  }
  if (!isQuiet) {
    for (const share of [known.stream.openFirst, known.stream.openNext]) {
      share.hits = 0;
      share.looks = 0;
    }
  }
  return strongest(known.stream) / THRESHOLD;
}

/** Whatever comes is usual. */
function assumeUsual(stream: Stream, looks: number, isHit: boolean): void {
  const share = stream.wasHit && looks === 1 ? stream.next : stream.first;
  share.looks += looks;
  share.hits += isHit ? 1 : 0;
  stream.wasHit = isHit;
}

function createConfirmation(looks: number): Confirmation {
  const stream = createStream();
  stream.first.looks = Math.min(Math.max(looks, 0), MOST_LOOKS);
  return { stream, looks: Math.max(looks, 0), wasQuiet: true };
}
