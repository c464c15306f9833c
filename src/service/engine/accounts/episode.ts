import type { Fate, SpanItem } from '../../core/telemetry-item.ts';
import { increase } from '../bounded-map.ts';
import { LIMITS, MINUTE_MS } from '../constants.ts';
import type { Blame } from '../requests/blame.ts';
import { entryKeyOf, type JudgedRequest, type PlaceMark } from '../requests/judge-request.ts';
import type { SpanNode } from '../requests/request-tree.ts';
import { FROM, type Whereabouts, whereaboutsOf } from './compared-requests.ts';
import { LEAST_REQUESTS, MOST_OF_INSTANCE } from './constants.ts';
import type { RunCounts } from './run-counts.ts';

/** Lost requests since `since`. */
export interface Counts {
  since: number;
  requests: number;
  failed: number;
  /** All requests through the place. */
  total: number;
  extraMs: number;
}

/** Sums over the requests of a present episode. It begins with the first lost request, which may have been lost by chance. */
export interface Episode extends Counts {
  lastAt: number;
  /** Counts before the request with which a fault may have begun, by index of the sum of the test. */
  readonly before: Map<number, Counts>;
  /** Lost requests by the service whose span is blamed: a caller, or empty for the place itself. */
  readonly edges: Map<string, number>;
  /** Requests that were lost, or went well before another was lost, by the service that waited for the place. */
  readonly seenCallers: Map<string, number>;
  /** Good requests since the last loss. They count only once another request is lost, because the fault may be over. */
  readonly lastCallers: Map<string, number>;
  readonly operations: Map<string, number>;
  readonly instances: Map<string, number>;
  /** All requests by instance, those that lost nothing included. */
  readonly seenInstances: Map<string, number>;
  /** Lost requests, and those that were not, by where the place ran, and by where its caller did, see `FROM`. */
  readonly lostWhere: Map<Whereabouts, number>;
  readonly wellWhere: Map<Whereabouts, number>;
  readonly kinds: Map<Blame['kind'], number>;
  /** Losses of another kind at this place meanwhile, for instance failures that callers tolerated in an episode of harm. */
  readonly otherLosses: {
    readonly edges: Map<string, number>;
    readonly kinds: Map<Blame['kind'], number>;
    requests: number;
  };
  /** Lost requests by the other places that they went through without a loss. */
  readonly wellAt: Map<string, number>;
  /** Answers that came after their request was judged, by the place that lost them and the kind of loss. */
  readonly lateAnswers: { readonly places: Map<string, number>; readonly kinds: Map<Blame['kind'], number> };
  readonly runs: RunCounts;
  /** Lost requests and all requests by entry, see `entryKeyOf`. */
  readonly entries: Map<string, number>;
  readonly seenEntries: Map<string, number>;
  /** Lost requests by the services from the place to the entry, joined by `>`. */
  readonly paths: Map<string, number>;
  /** Lost requests in the present minute and in the one before. */
  readonly minute: { at: number; now: number; before: number };
  /** The caller or callee that explains it, see `locate`; null: the place itself does. */
  blamedPlace: string | null;
  /** The place that seemed to explain it before; null: it has not changed. */
  blamedBefore: string | null;
  /** The host, zone, pod or server that was last found to be the cause; null: none. */
  fate: Fate | null;
}

export function createEpisode(at: number): Episode {
  return {
    since: at,
    lastAt: at,
    requests: 0,
    failed: 0,
    total: 0,
    extraMs: 0,
    before: new Map(),
    edges: new Map(),
    seenCallers: new Map(),
    lastCallers: new Map(),
    operations: new Map(),
    instances: new Map(),
    seenInstances: new Map(),
    lostWhere: new Map(),
    wellWhere: new Map(),
    kinds: new Map(),
    otherLosses: { edges: new Map(), kinds: new Map(), requests: 0 },
    wellAt: new Map(),
    lateAnswers: { places: new Map(), kinds: new Map() },
    runs: new Map(),
    entries: new Map(),
    seenEntries: new Map(),
    paths: new Map(),
    minute: { at: Math.floor(at / MINUTE_MS), now: 0, before: 0 },
    blamedPlace: null,
    blamedBefore: null,
    fate: null,
  };
}

/** Remembers the counts before a request with which a fault may begin. */
export function noteOnset(episode: Episode, sums: readonly number[], since: number): void {
  const { requests, failed, total, extraMs } = episode;
  for (const sum of sums) {
    episode.before.set(sum, { since, requests, failed, total, extraMs });
  }
}

/** Counts since the onset of the fault, without requests that were lost by chance before it. */
export function countsSinceOnset(episode: Episode, leadingSum: number): Counts {
  const before = episode.before.get(leadingSum);
  return before === undefined
    ? episode
    : {
        since: before.since,
        requests: episode.requests - before.requests,
        failed: episode.failed - before.failed,
        total: episode.total - before.total,
        extraMs: episode.extraMs - before.extraMs,
      };
}

/** A request at the place of an episode. */
interface RequestAtPlace extends Pick<PlaceMark, 'place' | 'blame' | 'instance' | 'ranAt'> {
  /** Whether the episode is one of harm, so that all time of the request counts. */
  readonly isHarm: boolean;
  /** The span that waited for the place; null: none did, or the request does not tell whether it reaches the place well. */
  readonly caller: SpanItem | null;
  /** A loss of another kind than the episode's. */
  readonly otherBlame: Blame | null;
}

/** Adds a request. Without `blame` it was not lost at this place. */
export function addRequest(
  episode: Episode,
  { place, isHarm, blame, otherBlame, instance, ranAt, caller }: RequestAtPlace,
  request: JudgedRequest,
  at: number,
): void {
  const { at: happenedAt, harm, extraMs, entry } = request;
  const weight = entry.span.weight ?? 1;
  episode.total += weight;
  const cameIn = entryKeyOf(request);
  increase(episode.seenEntries, cameIn, weight, LIMITS.few);
  if (caller !== null) {
    increase(episode.lastCallers, caller.service, weight, LIMITS.few);
  }
  if (instance !== null) {
    increase(episode.seenInstances, instance, weight, LIMITS.few);
  }
  for (const where of [...whereaboutsOf(ranAt), ...whereaboutsOf(caller?.attributes, FROM)]) {
    increase(blame === null ? episode.wellWhere : episode.lostWhere, where, weight, LIMITS.features);
  }
  if (otherBlame !== null) {
    const { edges, kinds } = episode.otherLosses;
    increase(edges, edgeOf(place, otherBlame), weight, LIMITS.few);
    increase(kinds, otherBlame.kind, weight, LIMITS.few);
    episode.otherLosses.requests += weight;
  }
  if (blame === null) {
    return;
  }
  addCallers(episode, blame.node.span.service, caller?.service ?? null, weight);
  episode.since = Math.min(episode.since, happenedAt);
  episode.lastAt = Math.max(episode.lastAt, at);
  episode.requests += weight;
  episode.failed += harm === 'failed' || blame.kind === 'rejected' ? weight : 0;
  const lost = Math.max(blame.extraMs, isHarm ? extraMs : 0);
  episode.extraMs += lost * weight;
  const { span } = blame.node;
  increase(episode.edges, edgeOf(place, blame), weight, LIMITS.few);
  increase(episode.operations, span.operation, weight, LIMITS.few);
  increase(episode.entries, cameIn, weight, LIMITS.few);
  increase(episode.kinds, blame.kind, weight, LIMITS.few);
  for (const other of request.marks) {
    if (other.mark === 'well' && !other.isNamedOnly && other.place !== place) {
      increase(episode.wellAt, other.place, weight, LIMITS.features);
    }
  }
  increase(episode.paths, pathOf(place, blame.node).join(WAY), weight, LIMITS.few);
  countMinute(episode, at, weight);
  if (instance !== null) {
    increase(episode.instances, instance, weight, LIMITS.few);
  }
}

/**
 * Losses of all kinds at the place during an episode. One fault shows as several kinds, because some callers tolerate failures and
 * others do not.
 */
export function allLosses({ edges, seenCallers, requests, otherLosses }: Episode) {
  return {
    edges: addCounts(edges, otherLosses.edges),
    seenCallers: addCounts(seenCallers, otherLosses.edges),
    requests: requests + otherLosses.requests,
  };
}

function addCounts(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): Map<string, number> {
  const sums = new Map(one);
  for (const [key, count] of other) {
    sums.set(key, (sums.get(key) ?? 0) + count);
  }
  return sums;
}

function edgeOf(place: string, { node: { span } }: Blame): string {
  return span.service === place ? '' : span.service;
}

/** Good requests count from the first loss of each caller on: earlier ones may precede the fault. */
function addCallers(
  { seenCallers, lastCallers, edges }: Episode,
  lostBy: string,
  caller: string | null,
  weight: number,
): void {
  if (caller !== null && !edges.has(lostBy)) {
    lastCallers.clear();
    lastCallers.set(caller, weight);
  }
  for (const [each, count] of lastCallers) {
    increase(seenCallers, each, count, LIMITS.few);
  }
  lastCallers.clear();
}

/** Separator of the services of a path. */
export const WAY = '>';

/** Lost requests to which the place gave no answer, or whose answer was lost or slow on the network. */
export function unansweredIn({ kinds }: Pick<Episode, 'kinds'>): number {
  return (kinds.get('silent') ?? 0) + (kinds.get('way') ?? 0);
}

/** Services from the place to the entry of the request, at most `LIMITS.perPlace`. */
function pathOf(place: string, node: SpanNode): string[] {
  const path = [place];
  for (let each: SpanNode | null = node; each !== null && path.length < LIMITS.perPlace; each = each.parent) {
    if (path.at(-1) !== each.span.service) {
      path.push(each.span.service);
    }
  }
  return path;
}

/** Whether `path` contains the services of `part` one directly after the other. */
export function leadsOver(path: string, part: string): boolean {
  return `${WAY}${path}${WAY}`.includes(`${WAY}${part}${WAY}`);
}

/** All services between the place and the entries. */
export function servicesOnTheWay({ paths }: Episode): Set<string> {
  return new Set([...paths.keys()].flatMap((path) => path.split(WAY)));
}

function countMinute({ minute }: Episode, at: number, weight: number): void {
  moveMinute(minute, at);
  minute.now += weight;
}

function moveMinute(minute: Episode['minute'], at: number): void {
  const present = Math.floor(at / MINUTE_MS);
  if (present > minute.at) {
    minute.before = present === minute.at + 1 ? minute.now : 0;
    minute.now = 0;
    minute.at = present;
  }
}

/** Estimates the number of lost requests in the minute before `at`. */
export function perMinute({ minute }: Episode, at: number): number {
  const age = at / MINUTE_MS - minute.at;
  const [now, before] = age < 1 ? [minute.now, minute.before] : age < 2 ? [0, minute.now] : [0, 0];
  return Math.round(now + before * (1 - (age % 1)));
}

/** The one instance that loses requests while others serve them; null: there is none, or instances are not reported. */
export function badInstance({ instances, seenInstances, requests }: Episode): string | null {
  for (const [instance, count] of instances) {
    if (count >= MOST_OF_INSTANCE * requests) {
      const others = [...seenInstances].filter(([other]) => other !== instance);
      const well = others.reduce((sum, [other, seen]) => sum + seen - (instances.get(other) ?? 0), 0);
      return well >= LEAST_REQUESTS ? instance : null;
    }
  }
  return null;
}
