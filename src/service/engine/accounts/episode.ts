import type { Fate } from '../../core/telemetry-item.ts';
import { increase } from '../bounded-map.ts';
import type { Blame } from '../requests/blame.ts';
import { entryKeyOf, type JudgedRequest, type PlaceMark } from '../requests/judge-request.ts';
import type { SpanNode } from '../requests/request-tree.ts';
import { type CalleeContrast, createContrast } from './callee-contrast.ts';
import type { Refusals } from './refusals.ts';
import { type Whereabouts, whereaboutsOf } from './whereabouts.ts';

/** What was lost since some time. */
export interface Counts {
  since: number;
  requests: number;
  failed: number;
  /** All requests through the place. */
  total: number;
  extraMs: number;
}

/** Facts about a present episode, summed over its requests. It begins with the first one that was lost, maybe by chance. */
export interface Episode extends Counts {
  lastAt: number;
  /** Counts before the request with which a fault may have begun, by index of the sum of the test. */
  readonly before: Map<number, Counts>;
  /** Lost requests by the service whose span is blamed: a caller, or empty for the place itself. */
  readonly edges: Map<string, number>;
  /** Requests that were lost, or went well before another was lost, by the service that waited for the place. */
  readonly seenCallers: Map<string, number>;
  /** Those that went well since the last one was lost: the fault may be over. */
  readonly lastCallers: Map<string, number>;
  readonly operations: Map<string, number>;
  readonly instances: Map<string, number>;
  /** All requests by instance, those that lost nothing included. */
  readonly seenInstances: Map<string, number>;
  /** Lost requests, and those that were not, by where the place ran. */
  readonly lostWhere: Map<Whereabouts, number>;
  readonly wellWhere: Map<Whereabouts, number>;
  readonly kinds: Map<Blame['kind'], number>;
  /** The same of requests that were lost here in another way meanwhile: harmed, or their callers got over it. */
  readonly otherLosses: {
    readonly edges: Map<string, number>;
    readonly kinds: Map<Blame['kind'], number>;
    requests: number;
  };
  /** Lost requests by other place that may be at fault instead, see `suspectsOf`. */
  readonly suspects: Map<string, number>;
  /** Lost requests by service that was not called, see `notCalledBy`. */
  readonly notCalled: Map<string, number>;
  /** Lost requests by other place that they went through well. */
  readonly wellAt: Map<string, number>;
  /** Calls of the place by callee, those of its good requests included, see `outcomesOf`. */
  readonly calledWell: Map<string, number>;
  readonly calledInVain: Map<string, number>;
  /** Answers that came when the request was judged already, by the place that lost them and how. */
  readonly lateAnswers: { readonly places: Map<string, number>; readonly kinds: Map<Blame['kind'], number> };
  /** Compares lost runs with good runs, by callee. */
  readonly contrast: CalleeContrast;
  readonly refusals: Refusals;
  /** The callee that explains it as long as nothing tells otherwise, see `refusingCallees`; null: none does. */
  refusedBy: string | null;
  /** Lost requests, and all of them, by where they came in, see `entryKeyOf`. */
  readonly entries: Map<string, number>;
  readonly seenEntries: Map<string, number>;
  /** Lost requests by the services from the place to the entry, joined by `>`. */
  readonly paths: Map<string, number>;
  /** Requests that lost something in the present minute, and in the one before. */
  readonly minute: { at: number; now: number; before: number };
  /** The caller or callee that explains it, see `locate`; null: the place itself does. */
  blamedPlace: string | null;
  /** The caller that seemed to explain it before late answers told otherwise; null: none did. */
  blamedBefore: string | null;
  /** What its place shares with others that lose requests, when it was last found; null: nothing was. */
  fate: Fate | null;
  /** It goes on with an earlier episode, whose requests told more about `blamedPlace`. */
  readonly isSameFault: boolean;
}

export const MAX_COUNTED = 20;
const MAX_WHERE = 60;
/** No request goes through so many services one after the other, unless somebody makes them up. */
const MAX_PATH = 50;
const MINUTE_MS = 60_000;

/** @param blamedPlace of the episode that it goes on with; null: of none */
export function createEpisode(at: number, blamedPlace: string | null): Episode {
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
    suspects: new Map(),
    notCalled: new Map(),
    wellAt: new Map(),
    calledWell: new Map(),
    calledInVain: new Map(),
    lateAnswers: { places: new Map(), kinds: new Map() },
    contrast: createContrast(),
    refusals: new Map(),
    refusedBy: null,
    entries: new Map(),
    seenEntries: new Map(),
    paths: new Map(),
    minute: { at: Math.floor(at / MINUTE_MS), now: 0, before: 0 },
    blamedPlace,
    blamedBefore: null,
    fate: null,
    isSameFault: blamedPlace !== null,
  };
}

/** Notes that a fault may begin with the next request. */
export function noteOnset(episode: Episode, sums: readonly number[], since: number): void {
  const { requests, failed, total, extraMs } = episode;
  for (const sum of sums) {
    episode.before.set(sum, { since, requests, failed, total, extraMs });
  }
}

/** Counts since the onset of a fault: a request that was lost by chance some time before it is no part of it. */
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
export interface RequestAtPlace
  extends Pick<PlaceMark, 'place' | 'blame' | 'suspects' | 'notCalled' | 'instance' | 'ranAt'> {
  /** Whether the episode is one of harm, so that all time of the request counts. */
  readonly isHarm: boolean;
  /** The service that waited for the place; null: none did, or the request does not tell whether it reaches the place well. */
  readonly caller: string | null;
  /** What the request lost here in another way than the episode tells of. */
  readonly otherBlame: Blame | null;
}

/** Adds a request through the place of the episode. Without blame it lost nothing there. */
export function addRequest(
  episode: Episode,
  { place, isHarm, blame, suspects, notCalled, otherBlame, instance, ranAt, caller }: RequestAtPlace,
  request: JudgedRequest,
  at: number,
): void {
  const { at: happenedAt, harm, extraMs, entry } = request;
  const weight = entry.span.weight ?? 1;
  episode.total += weight;
  const cameIn = entryKeyOf(request);
  increase(episode.seenEntries, cameIn, weight, MAX_COUNTED);
  if (caller !== null) {
    increase(episode.lastCallers, caller, weight, MAX_COUNTED);
  }
  if (instance !== null) {
    increase(episode.seenInstances, instance, weight, MAX_COUNTED);
  }
  for (const where of ranAt === null ? [] : whereaboutsOf(ranAt)) {
    increase(blame === null ? episode.wellWhere : episode.lostWhere, where, weight, MAX_WHERE);
  }
  if (otherBlame !== null) {
    const { edges, kinds } = episode.otherLosses;
    increase(edges, edgeOf(place, otherBlame), weight, MAX_COUNTED);
    increase(kinds, otherBlame.kind, weight, MAX_COUNTED);
    episode.otherLosses.requests += weight;
  }
  if (blame === null) {
    return;
  }
  addCallers(episode, blame.node.span.service, caller, weight);
  episode.since = Math.min(episode.since, happenedAt);
  episode.lastAt = Math.max(episode.lastAt, at);
  episode.requests += weight;
  episode.failed += harm === 'failed' ? weight : 0;
  const lost = Math.max(blame.extraMs, isHarm ? extraMs : 0);
  episode.extraMs += lost * weight;
  const { span } = blame.node;
  increase(episode.edges, edgeOf(place, blame), weight, MAX_COUNTED);
  increase(episode.operations, span.operation, weight, MAX_COUNTED);
  increase(episode.entries, cameIn, weight, MAX_COUNTED);
  increase(episode.kinds, blame.kind, weight, MAX_COUNTED);
  for (const suspect of suspects) {
    increase(episode.suspects, suspect, weight, MAX_COUNTED);
  }
  for (const callee of notCalled) {
    increase(episode.notCalled, callee, weight, MAX_COUNTED);
  }
  for (const other of request.marks) {
    if (other.mark === 'well' && !other.isNamedOnly && other.place !== place) {
      increase(episode.wellAt, other.place, weight, MAX_WHERE);
    }
  }
  increase(episode.paths, pathOf(place, blame.node).join(WAY), weight, MAX_COUNTED);
  countMinute(episode, at, weight);
  if (instance !== null) {
    increase(episode.instances, instance, weight, MAX_COUNTED);
  }
}

function edgeOf(place: string, { node: { span } }: Blame): string {
  return span.service === place ? '' : span.service;
}

/** What went well before a caller lost its first request here may be of the time before its fault. */
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
    increase(seenCallers, each, count, MAX_COUNTED);
  }
  lastCallers.clear();
}

/** Separator of the services of a path. */
export const WAY = '>';

/** Lost requests of which the place did not answer the call, or its answer was lost or slow on the way. */
export function unansweredIn({ kinds }: Pick<Episode, 'kinds'>): number {
  return (kinds.get('silent') ?? 0) + (kinds.get('way') ?? 0);
}

/** The services from a place to the entry of the request that was lost there; the first `MAX_PATH` of them. */
function pathOf(place: string, node: SpanNode): string[] {
  const path = [place];
  for (let each: SpanNode | null = node; each !== null && path.length < MAX_PATH; each = each.parent) {
    if (path.at(-1) !== each.span.service) {
      path.push(each.span.service);
    }
  }
  return path;
}

/** Whether a path contains services in this order, without others between them. */
export function leadsOver(path: string, part: string): boolean {
  return `${WAY}${path}${WAY}`.includes(`${WAY}${part}${WAY}`);
}

/** All services from the place to the entries. */
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

/** An instance is blamed if it loses this share of the lost requests, and others served `LEAST_WELL` requests well. */
const MOST_OF_INSTANCE = 0.8;
const LEAST_WELL = 4;

/** The only instance of a place that loses requests, while others do well; null: they are alike, or not reported. */
export function badInstance({ instances, seenInstances, requests }: Episode): string | null {
  for (const [instance, count] of instances) {
    if (count >= MOST_OF_INSTANCE * requests) {
      const others = [...seenInstances].filter(([other]) => other !== instance);
      const well = others.reduce((sum, [other, seen]) => sum + seen - (instances.get(other) ?? 0), 0);
      return well >= LEAST_WELL ? instance : null;
    }
  }
  return null;
}
