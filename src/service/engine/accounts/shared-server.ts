import { serverOf } from '../../core/peer.ts';
import type { Fate } from '../../core/telemetry-item.ts';
import { increase } from '../bounded-map.ts';
import { type Episode, MAX_COUNTED } from './episode.ts';
import type { Verdict } from './verdicts.ts';

/** Lowest significance and number of lost requests of a verdict that shows where losses are. */
const LEAST_SIGNIFICANCE = 0.6;
const LEAST_REQUESTS = 4;
/** Share of the lost requests that got no answer. */
const MOSTLY_UNANSWERED = 0.75;
/** One caller that loses this share of them may be at fault itself. */
const MOST_OF_IT = 0.75;
/** Losses with one cause begin within this time of each other. */
const AT_ONCE_MS = 90_000;

/**
 * Finds databases of one server, and queues of one broker, that lose the requests of several callers at the same time. They send
 * no telemetry, and do not call each other: what they share is at fault.
 */
export function findSharedServers(verdicts: readonly Verdict[]): Map<Verdict, Fate> {
  const found = new Map<Verdict, Fate>();
  const byServer = Map.groupBy(verdicts.filter(isUnanswered), keyOf);
  for (const parts of byServer.values()) {
    for (const group of splitByStart(parts)) {
      const places = new Set(group.map(({ account }) => account.place));
      const value = serverOf(group[0]?.account.place ?? '');
      if (value === null || places.size < 2 || !hasSeveralCallers(group)) {
        continue;
      }
      for (const verdict of group) {
        found.set(verdict, { attribute: 'server', value, isSilent: true });
      }
    }
  }
  return found;
}

function keyOf({ account: { sender, place } }: Verdict): string {
  return `${sender}|${serverOf(place) ?? ''}`;
}

/** Groups whose losses began within `AT_ONCE_MS` of the one before. */
function splitByStart(parts: readonly Verdict[]): Verdict[][] {
  const groups: Verdict[][] = [];
  for (const part of parts.toSorted((a, b) => a.episode.since - b.episode.since)) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && part.episode.since - last.episode.since <= AT_ONCE_MS) {
      groups.at(-1)?.push(part);
    } else {
      groups.push([part]);
    }
  }
  return groups;
}

function isUnanswered({ significance, episode }: Verdict): boolean {
  const { kinds, requests } = episode;
  const unanswered = (kinds.get('silent') ?? 0) + (kinds.get('way') ?? 0);
  return significance >= LEAST_SIGNIFICANCE && requests >= LEAST_REQUESTS && unanswered >= MOSTLY_UNANSWERED * requests;
}

/** A place may lose requests in two ways, which count once each. */
function hasSeveralCallers(group: readonly Verdict[]): boolean {
  const lost = new Map<string, number>();
  for (const { edges } of group.map(({ episode }): Pick<Episode, 'edges'> => episode)) {
    for (const [caller, count] of edges) {
      increase(lost, caller, count, MAX_COUNTED);
    }
  }
  const all = [...lost.values()].reduce((sum, count) => sum + count, 0);
  return Math.max(...lost.values()) < MOST_OF_IT * all;
}
