import { FATEFUL, type Fate, type Fateful } from '../../core/telemetry-item.ts';
import { senderKey, sumOf } from '../bounded-map.ts';
import { groupByStart, sumOverPlaces } from './at-once.ts';
import { valuesOf } from './attribute-counts.ts';
import { type ComparedRequests, sidesOf, totalsOf } from './compared-requests.ts';
import { unansweredIn } from './episode.ts';
import { isTelling, type Verdict } from './verdicts.ts';
import { countsOf } from './whereabouts.ts';

/** What one verdict says about a host, a zone or a pod that the place runs in. */
interface Clue {
  readonly verdict: Verdict;
  readonly fate: Fate;
  /** Log-likelihood ratio of losses that are due to it against losses that are spread like the traffic of the place. */
  readonly weight: number;
}

/** Odds of 10 to 1 for each place, and of 1,000 to 1 for all of them together: what they share is no chance. */
const LEAST_WEIGHT = Math.log(10);
const BEYOND_CHANCE = Math.log(1_000);

/**
 * Finds what several places share that lose requests at the same time: each loses them on one host, in one zone or in one pod
 * only, or gets no answer from there any more, although it runs elsewhere too.
 */
export function findFates(verdicts: readonly Verdict[]): Map<Verdict, Fate> {
  const clues = verdicts.flatMap(cluesOf);
  const shared = [...Map.groupBy(clues, keyOf).values()].flatMap(shareOf);
  const found = new Map<Verdict, Fate>();
  for (const each of shared.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    for (const { verdict, fate } of each) {
      if (!found.has(verdict)) {
        found.set(verdict, fate);
      }
    }
  }
  return found;
}

function keyOf({ verdict: { account }, fate: { attribute, value } }: Clue): string {
  return senderKey(account.sender, attribute, value);
}

/** Clues to the same fate, in groups of several places that began at once. */
function shareOf(clues: readonly Clue[]): Clue[][] {
  return groupByStart(clues, ({ verdict }) => verdict).filter((group) => {
    const telling = group.filter(isHeavy);
    return new Set(telling.map(({ verdict }) => verdict.account.place)).size > 1 && weightOf(telling) >= BEYOND_CHANCE;
  });
}

function isHeavy({ verdict, weight }: Clue): boolean {
  return weight >= LEAST_WEIGHT && isTelling(verdict);
}

function weightOf(clues: readonly Clue[]): number {
  return sumOverPlaces(
    clues,
    ({ verdict }) => verdict,
    ({ weight }) => weight,
  );
}

/** Share of the lost requests that must be lost there. A part of the rest is noise. */
const MOST_OF_IT = 0.8;
/** Without a span of the place, lost requests do not tell where they went, so those that went well have to. */
const MOSTLY_SILENT = 0.75;
/** Below this significance a verdict is no evidence of anything. */
const LEAST_CLUE = 0.25;

function cluesOf(verdict: Verdict): Clue[] {
  const { episode, significance } = verdict;
  if (significance < LEAST_CLUE || episode.lostWhere.size + episode.wellWhere.size === 0) {
    return [];
  }
  return FATEFUL.flatMap((attribute) => {
    const lost = countsOf(episode.lostWhere, attribute);
    if (sumOf(lost) >= MOST_OF_IT * episode.requests) {
      return lostThere(verdict, attribute, lost);
    }
    return unansweredIn(episode) >= MOSTLY_SILENT * episode.requests ? silentThere(verdict, attribute) : [];
  });
}

/** Most lost requests are lost in one place, though others get their share of the traffic. */
function lostThere(verdict: Verdict, attribute: Fateful, lost: ReadonlyMap<string, number>): Clue[] {
  const { compared } = verdict.account;
  const all = sumOf(lost);
  const traffic = trafficOf(compared, attribute);
  return [...lost]
    .filter(([, count]) => count >= MOST_OF_IT * all)
    .map(([value, count]) => {
      const share = shareIn(traffic, value);
      const lostShare = Math.max(share, Math.min(MOST_SHARE, (count + 0.5) / (all + 1)));
      const ratio = count * Math.log(lostShare / share) + (all - count) * Math.log((1 - lostShare) / (1 - share));
      return { verdict, fate: { attribute, value, isSilent: false }, weight: keptShare(compared) * ratio };
    });
}

/** Hardly any request is answered from where a share of them was before, and those that are lost got no answer. */
function silentThere(verdict: Verdict, attribute: Fateful): Clue[] {
  const { account, episode } = verdict;
  const well = countsOf(episode.wellWhere, attribute);
  const meanwhile = [well, countsOf(episode.lostWhere, attribute)];
  const before = new Map(
    [...trafficOf(account.compared, attribute)].map(([value, count]) => {
      const since = meanwhile.reduce((sum, counts) => sum + (counts.get(value) ?? 0), 0);
      return [value, Math.max(0, count - since)] as const;
    }),
  );
  const answered = sumOf(well);
  return [...before.keys()]
    .map((value) => {
      const share = shareIn(before, value);
      const there = well.get(value) ?? 0;
      const ratio =
        there * Math.log(STILL_ANSWERS) + (answered - there) * Math.log((1 - STILL_ANSWERS * share) / (1 - share));
      return {
        verdict,
        fate: { attribute, value, isSilent: true },
        weight: keptShare(account.compared) * ratio,
        isAlone: share >= MOST_OF_IT,
      };
    })
    .filter(({ weight, isAlone }) => weight > 0 || (isAlone && weight >= 0));
}

/** Least and most share that is reckoned with. */
const LEAST_SHARE = 0.01;
const MOST_SHARE = 0.98;
/** What a lost place still answers, as a share of what it did: its losses began a little after the first that was lost. */
const STILL_ANSWERS = 0.05;

function shareIn(counts: ReadonlyMap<string, number>, value: string): number {
  const share = (counts.get(value) ?? 0) / Math.max(1, sumOf(counts));
  return Math.min(MOST_SHARE, Math.max(LEAST_SHARE, share));
}

/** Requests of the last minutes by value. */
function trafficOf(compared: ComparedRequests, attribute: Fateful): Map<string, number> {
  const traffic = new Map<string, number>();
  for (const side of [...sidesOf(compared), compared.lost]) {
    for (const [value, count] of valuesOf(side, attribute)?.byValue ?? []) {
      traffic.set(value, (traffic.get(value) ?? 0) + count);
    }
  }
  return traffic;
}

/** Share of the requests that were kept, if senders send a sample. */
function keptShare(compared: ComparedRequests): number {
  const { requests, kept } = totalsOf([...sidesOf(compared), compared.lost]);
  return kept / Math.max(1, requests);
}
