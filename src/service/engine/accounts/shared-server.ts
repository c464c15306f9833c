import { serverOf } from '../../core/peer.ts';
import type { Fate } from '../../core/telemetry-item.ts';
import { increase, senderKey, sumOf } from '../bounded-map.ts';
import { groupByStart } from './at-once.ts';
import { MAX_COUNTED, unansweredIn } from './episode.ts';
import { isTelling, type Verdict } from './verdicts.ts';

/** Share of the lost requests that got no answer. */
const MOSTLY_UNANSWERED = 0.75;
/** One caller that loses this share of them may be at fault itself. */
const MOST_OF_IT = 0.75;

/**
 * Finds databases of one server, and queues of one broker, that lose the requests of several callers at the same time. They send
 * no telemetry, and do not call each other: what they share is at fault.
 */
export function findSharedServers(verdicts: readonly Verdict[]): Map<Verdict, Fate> {
  const found = new Map<Verdict, Fate>();
  const byServer = Map.groupBy(verdicts.filter(isUnanswered), keyOf);
  for (const parts of byServer.values()) {
    for (const group of groupByStart(parts, (verdict) => verdict)) {
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
  return senderKey(sender, serverOf(place));
}

function isUnanswered(verdict: Verdict): boolean {
  const { episode } = verdict;
  return isTelling(verdict) && unansweredIn(episode) >= MOSTLY_UNANSWERED * episode.requests;
}

/** Whether no caller alone loses most of the requests. */
function hasSeveralCallers(group: readonly Verdict[]): boolean {
  const lost = new Map<string, number>();
  for (const { episode } of group) {
    for (const [caller, count] of episode.edges) {
      increase(lost, caller, count, MAX_COUNTED);
    }
  }
  return Math.max(...lost.values()) < MOST_OF_IT * sumOf(lost);
}
