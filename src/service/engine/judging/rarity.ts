import { setBounded } from '../bounded-map.ts';
import { GAP_MS, LIMITS } from '../constants.ts';
import { HALF_WORTH, LEAST_RATED } from './constants.ts';

/** Firing history of a fingerprint. */
export interface Firing {
  readonly lastAt: number;
  /** How often it fired in quiet time, without the present episode. */
  readonly fired: number;
  /** How often it fired in the present episode; 0 if the service was not quiet. */
  readonly running: number;
  /** Fixed when the present episode begins, so that a long failure does not become less rare. */
  readonly rarity: number;
}

export type Firings = Map<string, Firing>;

export interface Look {
  readonly at: number;
  /** Number of checks in quiet time that could have fired. */
  readonly looks: number;
  readonly isQuiet: boolean;
  /** Alerts are sent again and again: each episode counts once. */
  readonly isOncePerEpisode: boolean;
  /** Time between two looks, where they are rare. Default: 0. */
  readonly everyMs?: number;
}

/** Notes that a fingerprint fired. @returns 1: never fires in quiet time; 0.1: in a tenth of all looks */
export function fire(firings: Firings, fingerprint: string, look: Look): number {
  const { at, looks, isQuiet, isOncePerEpisode, everyMs = 0 } = look;
  const known = firings.get(fingerprint);
  const isOnset = known === undefined || at - known.lastAt > GAP_MS + everyMs;
  const fired = (known?.fired ?? 0) + (isOnset ? (known?.running ?? 0) : 0);
  const rarity = isOnset ? rarityOf(looks, fired) : known.rarity;
  const before = isOnset ? 0 : known.running;
  const running = isOncePerEpisode ? 1 : before + 1;
  setBounded(firings, fingerprint, { lastAt: at, fired, rarity, running: isQuiet ? running : 0 }, LIMITS.fingerprints);
  return rarity;
}

function rarityOf(looks: number, fired: number): number {
  return 1 / (1 + fired / Math.max(looks, LEAST_RATED) / HALF_WORTH);
}
