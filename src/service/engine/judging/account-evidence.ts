import { hasMostlyFailed } from '../../../incident/harm.ts';
import type { Evidence } from '../../core/evidence.ts';
import type { Family, Lost, PathStep } from '../../core/telemetry-item.ts';
import { causeOfLateAnswers } from '../accounts/claims.ts';
import { compare } from '../accounts/compared-requests.ts';
import {
  badInstance,
  type Counts,
  countsSinceOnset,
  type Episode,
  leadsOver,
  perMinute,
  WAY,
} from '../accounts/episode.ts';
import type { Located } from '../accounts/explain.ts';
import { leadingSum } from '../accounts/stream.ts';
import { taughtBy } from '../accounts/taught.ts';
import { thresholdOf, type Verdict } from '../accounts/verdicts.ts';
import { HALF, MINUTE_MS } from '../constants.ts';
import type { Tested } from '../requests/judge-request.ts';
import { LEAST_SIGNIFICANCE } from './constants.ts';
import { failedFeature, signalsOf } from './found-evidence.ts';
import type { JudgingState } from './judging-state.ts';

const FAMILIES = {
  harmed: 'harmed_requests',
  rejected: 'harmed_requests',
  tolerated: 'tolerated_failures',
  slow: 'lost_time',
} as const satisfies Record<Tested, Family>;

/** Converts the verdicts of the accounts into evidence against the places that explain them. */
export function toAccountEvidence(state: JudgingState, located: readonly Located[], at: number): Evidence[] {
  return located
    .filter(
      ({ significance, isOpen, verdict: { episode } }) =>
        (isOpen || significance >= LEAST_SIGNIFICANCE) && at - episode.lastAt <= MINUTE_MS,
    )
    .map(({ verdict, place, explains, significance, fate }): Evidence => {
      const { account, kind, episode } = verdict;
      const counts = countsSinceOnset(episode, leadingSum(account.streams[kind]));
      const { sender, taught } = account;
      const family = FAMILIES[kind];
      const operation = most(episode.operations);
      const caller = most(episode.edges);
      const signals = [...episode.operations.keys()].flatMap((name) =>
        [account.place, ...episode.edges.keys()].flatMap((service) =>
          signalsOf(state, service, failedFeature(name), null),
        ),
      );
      return {
        fingerprint: ['trace', account.place, '', family, place === account.place ? '' : place, sender]
          .concat(kind === 'rejected' ? [kind] : [])
          .concat(taught === null ? [] : [taught.lesson.id])
          .join('|'),
        ...(kind === 'rejected' ? {} : { teaches: taughtBy(account.place, sender, family, episode) }),
        ...(taught === null ? {} : { beyond: { incident: taught.lesson.incident, share: taught.lesson.taught.share } }),
        ...(explains.length === 0 ? {} : { explains }),
        ...(fate === null ? {} : { fate }),
        origin: 'trace',
        sender,
        service: place,
        instance: place === account.place ? badInstance(episode) : null,
        family,
        peer: caller === '' || caller === place ? null : caller,
        subject: operation,
        at,
        seenAt: episode.lastAt,
        since: counts.since,
        significance,
        strength: strengthOf(verdict, significance) * (hasMostlyFailed(episode) ? 1 : HALF),
        rarity: 1,
        traceId: null,
        now:
          family === 'lost_time'
            ? counts.extraMs / Math.max(counts.requests, 1)
            : counts.requests / Math.max(counts.total, 1),
        usual: 0,
        count: family === 'lost_time' ? counts.requests : counts.total,
        hasEnded: null,
        lost: lostOf(episode, counts, { place, lostAt: account.place }, at),
        ...(kind === 'harmed' && significance >= 1 ? { comparison: compare(account.place, account.compared) } : {}),
        ...(signals.length === 0 ? {} : { signals: [...new Set(signals)] }),
      };
    });
}

/** Below the threshold, it counts as its likelihood ratio against chance, relative to that of the threshold. */
function strengthOf({ account, weight }: Verdict, significance: number): number {
  return significance < 1 ? Math.exp(thresholdOf(account) * (significance - 1)) : Math.max(1, weight);
}

function lostOf(
  episode: Episode,
  { requests, total, failed, extraMs }: Counts,
  { place, lostAt }: { readonly place: string; readonly lostAt: string },
  at: number,
): Lost {
  const isLate = causeOfLateAnswers(episode) === place;
  const kind = most(isLate ? episode.lateAnswers.kinds : episode.kinds) as Lost['kind'] | ''; // the keys of the maps are kinds
  return {
    kind: kind === '' ? 'error' : kind,
    requests: Math.round(requests),
    total: Math.round(total),
    failed: Math.round(failed),
    extraMs: extraMs / Math.max(requests, 1),
    perMinute: perMinute(episode, at),
    ...(lostAt === place ? {} : { lostAt }),
    path: pathFrom(episode, place),
  };
}

/**
 * The most frequent path, from `place` to the entry. Each step has the number of requests that took the path up to it.
 */
function pathFrom({ paths }: Episode, place: string): PathStep[] {
  const services = most(paths).split(WAY);
  const from = services.indexOf(place);
  const path = services.slice(Math.max(from, 0));
  const steps = path.map((service, index) => {
    const part = path.slice(0, index + 1).join(WAY);
    const taken = [...paths].filter(([way]) => leadsOver(way, part));
    return { service, requests: Math.round(taken.reduce((sum, [, count]) => sum + count, 0)) };
  });
  // Callers that no longer call the place lose their requests before they come to it.
  return from === -1 ? [{ service: place, requests: steps[0]?.requests ?? 0 }, ...steps] : steps;
}

/** The key with the highest count; empty if there is none. */
export function most(counts: ReadonlyMap<string, number>): string {
  let best = '';
  let bestCount = 0;
  for (const [key, count] of counts) {
    if (count > bestCount || (count === bestCount && key < best)) {
      best = key;
      bestCount = count;
    }
  }
  return best;
}
