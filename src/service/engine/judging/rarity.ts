import { setBounded } from '../bounded-map.ts';

/** What is known of a fingerprint from earlier times that it fired. */
export interface Firing {
  readonly lastAt: number;
  /** How often it fired in quiet time, without the present episode. */
  readonly fired: number;
  /** How often in the present episode; none when that became an incident. */
  readonly running: number;
  /** As it was when the present episode began: what fails for long does not become usual by that. */
  readonly rarity: number;
}

export type Firings = Map<string, Firing>;

/** Silent for longer, it fires anew. */
const EPISODE_GAP_MS = 120_000;
/** Fewer looks say little about what is normal: the rate counts as if there had been this many. */
const LEAST_LOOKS = 100;
/** What fires in one of a hundred quiet looks is worth half. */
const HALF_WORTH = 0.01;
const MAX_FINGERPRINTS = 50_000;

export interface Look {
  readonly at: number;
  /** How often it might have fired in quiet time. */
  readonly looks: number;
  readonly isQuiet: boolean;
  /** Alerts are sent again and again: each episode counts once. */
  readonly isOncePerEpisode: boolean;
}

/** Notes that a fingerprint fired. @returns 1: never fires in quiet time; 0.1: in a tenth of all looks */
export function fire(firings: Firings, fingerprint: string, { at, looks, isQuiet, isOncePerEpisode }: Look): number {
  const known = firings.get(fingerprint);
  const isOnset = known === undefined || at - known.lastAt > EPISODE_GAP_MS;
  const fired = (known?.fired ?? 0) + (isOnset ? (known?.running ?? 0) : 0);
  const rarity = isOnset ? rarityOf(looks, fired) : known.rarity;
  const before = isOnset ? 0 : known.running;
  const running = isOncePerEpisode ? 1 : before + 1;
  setBounded(firings, fingerprint, { lastAt: at, fired, rarity, running: isQuiet ? running : 0 }, MAX_FINGERPRINTS);
  return rarity;
}

function rarityOf(looks: number, fired: number): number {
  return 1 / (1 + fired / Math.max(looks, LEAST_LOOKS) / HALF_WORTH);
}
