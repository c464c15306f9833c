import type { Fate } from '../../core/telemetry-item.ts';
import { senderKey, sumOf } from '../bounded-map.ts';
import type { Accounts } from './accounts.ts';
import { type Cause, CLAIMS, type Claim, isOn, TERMS } from './claims.ts';
import { AT_ONCE_MS, KNOWN_LOSS, ONE_FAULT, SHOWS } from './constants.ts';
import { isTelling, type Verdict } from './verdicts.ts';

/** A verdict with the place that is blamed for it. */
export interface Located {
  readonly verdict: Verdict;
  readonly place: string;
  /** Places that are blamed no more because this one explains their losses. */
  readonly explains: readonly string[];
  readonly significance: number;
  readonly isOpen: boolean;
  /** The host, zone, pod or server that is the cause. null: the place itself. */
  readonly fate: Fate | null;
}

/**
 * Explains all verdicts by few and likely causes, as a greedy set cover. The worth of a cause is the sum of its log-likelihood ratios,
 * plus the prior for one fault instead of several. The cause of the highest worth takes the verdicts that it explains, then the next,
 * until none is likelier than that the places themselves are at fault.
 */
export function locate(verdicts: readonly Verdict[], { byKey }: Accounts): Located[] {
  const claims = verdicts.flatMap((verdict) => [
    ofKnown(verdict),
    ...TERMS.filter(isOn).flatMap((term) => CLAIMS[term](verdict, { verdicts, byKey }).filter(isPossible)),
  ]);
  const hypotheses = [...Map.groupBy(claims, keyOf).values()].map(sumClaims);
  const explained = new Map<Verdict, Explained>();
  // Hosts and zones come first: a caller of all places explains as many losses, but not where they happen.
  for (const some of [hypotheses.filter(isShared), hypotheses.filter((claims) => !isShared(claims))]) {
    for (let best = bestOf(some, explained); best !== null; best = bestOf(some, explained)) {
      for (const { verdict, cause } of best.claims) {
        explained.set(verdict, { cause, significance: significanceOf(verdict, best.claims) });
      }
    }
  }
  const found = verdicts.map((verdict) => remember(verdict, explained.get(verdict)));
  // A place that loses requests for which nothing else is blamed stays a root.
  const atFault = new Set(found.filter(({ verdict }) => isTelling(verdict)).map(({ place }) => place));
  return found.map((each) => ({ ...each, explains: each.explains.filter((place) => !atFault.has(place)) }));
}

interface Explained {
  readonly cause: Cause;
  readonly significance: number;
}

/** The cause so far, at first the place itself. It stays unless another becomes likelier. */
function ofKnown(verdict: Verdict): Claim {
  return { verdict, cause: { place: verdict.episode.blamedPlace ?? verdict.account.place }, gain: 0 };
}

/** Once a host or zone was blamed, it stays. */
function isPossible({ verdict: { episode }, cause }: Claim): boolean {
  return 'fate' in cause || episode.fate === null;
}

function keyOf({ verdict, cause }: Claim): string {
  const { sender } = verdict.account;
  return 'fate' in cause
    ? senderKey(sender, cause.fate.attribute, cause.fate.value)
    : senderKey(sender, cause.isCaller === true ? 'caller' : 'place', cause.place);
}

/** Adds the gains of several terms for the same verdict and cause. */
function sumClaims(claims: readonly Claim[]): Claim[] {
  return [...Map.groupBy(claims, ({ verdict }) => verdict).values()].flatMap((of) => {
    const [first] = of;
    const gain = of.reduce((sum, each) => sum + each.gain, 0);
    return first === undefined ? [] : [{ ...first, gain: isKnown(first) ? Math.max(0, gain) : gain }];
  });
}

function isKnown({ verdict: { account, episode }, cause }: Claim): boolean {
  return 'place' in cause && !cause.isCaller && cause.place === (episode.blamedPlace ?? account.place);
}

function isShared([first]: readonly Claim[]): boolean {
  return first !== undefined && 'fate' in first.cause && first.cause.fate.attribute !== 'server';
}

interface Worth {
  readonly claims: readonly Claim[];
  readonly worth: number;
}

/** The cause of the highest worth among verdicts without a cause. null: none is left, or none is likelier than the places themselves. */
function bestOf(hypotheses: readonly (readonly Claim[])[], explained: ReadonlyMap<Verdict, Explained>): Worth | null {
  let best: Worth | null = null;
  for (const all of hypotheses) {
    const claims = all.filter(({ verdict }) => !explained.has(verdict));
    for (const group of groupByStart(claims)) {
      const found = worthOf(group);
      if (found.claims.length > 0 && found.worth >= 0 && found.worth > (best?.worth ?? -1)) {
        best = found;
      }
    }
  }
  return best;
}

function worthOf(group: readonly Claim[]): Worth {
  if (isShared(group)) {
    // Many places run on one host, so that two of them lose requests there is no evidence unless each points at it.
    const claims = group.filter(({ gain }) => gain >= 0);
    const byPlace = gainsByPlace(claims.filter(({ verdict, gain }) => gain >= SHOWS && isTelling(verdict)));
    return { claims, worth: byPlace.size < 2 ? -1 : sumOf(byPlace) - ONE_FAULT };
  }
  const claims = group.filter(({ gain }) => gain > -ONE_FAULT);
  const byPlace = gainsByPlace(claims.filter(({ verdict }) => isTelling(verdict)));
  const price = claims.some(isKnown) ? 0 : KNOWN_LOSS;
  return { claims, worth: sumOf(byPlace) + Math.max(0, byPlace.size - 1) * ONE_FAULT - price };
}

/** The highest gain of each place, or of the service that runs where the cause is: failed and slow requests of one place are one loss. */
function gainsByPlace(claims: readonly Claim[]): Map<string, number> {
  const gains = new Map<string, number>();
  for (const { verdict, gain, ranThere } of claims) {
    const place = ranThere ?? verdict.account.place;
    gains.set(place, Math.max(gains.get(place) ?? Number.NEGATIVE_INFINITY, gain));
  }
  return gains;
}

/** Groups claims whose losses began within `AT_ONCE_MS` of the one before. */
function groupByStart(claims: readonly Claim[]): Claim[][] {
  const groups: Claim[][] = [];
  for (const claim of claims.toSorted((a, b) => a.verdict.episode.since - b.verdict.episode.since)) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && claim.verdict.episode.since - last.verdict.episode.since <= AT_ONCE_MS) {
      groups.at(-1)?.push(claim);
    } else {
      groups.push([claim]);
    }
  }
  return groups;
}

/** Losses of several places with one cause add up. Of each place only the most significant counts. */
function significanceOf(verdict: Verdict, claims: readonly Claim[]): number {
  if (!isTelling(verdict) || claims.some(({ cause }) => 'fate' in cause)) {
    return verdict.significance;
  }
  const byPlace = new Map<string, number>();
  for (const { verdict: each } of claims.filter(({ verdict: one }) => isTelling(one))) {
    const { place } = each.account;
    byPlace.set(place, Math.max(byPlace.get(place) ?? 0, each.significance));
  }
  return Math.max(verdict.significance, sumOf(byPlace));
}

function remember(verdict: Verdict, found: Explained | undefined): Located {
  const { account, episode, isOpen } = verdict;
  const cause = found?.cause;
  if (cause !== undefined && 'fate' in cause) {
    episode.fate = cause.fate;
  }
  const place = cause !== undefined && 'place' in cause && episode.fate === null ? cause.place : account.place;
  const before = episode.blamedPlace ?? account.place;
  if (place !== before) {
    episode.blamedBefore = before;
  }
  episode.blamedPlace = place === account.place ? null : place;
  const explains = [...new Set([account.place, episode.blamedBefore ?? account.place])].filter(
    (each) => each !== place,
  );
  const significance = found?.significance ?? verdict.significance;
  return { verdict, place, explains, significance, isOpen, fate: episode.fate };
}
