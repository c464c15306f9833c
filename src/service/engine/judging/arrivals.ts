import type { Evidence } from '../../core/evidence.ts';
import { countsSinceOnset } from '../accounts/episode.ts';
import type { Located } from '../accounts/explain.ts';
import { countForRate, createRate, perMillisecond, type RequestRate, skipPause } from '../accounts/request-rate.ts';
import { leadingSum } from '../accounts/stream.ts';
import { getOrCreateFrequent, senderKey, setBounded } from '../bounded-map.ts';
import { DAY_MS, HALF, LIMITS, MINUTE_MS } from '../constants.ts';
import { isTakenFromQueue, type SpanNode, walk } from '../requests/request-tree.ts';
import {
  BEYOND_GAPS,
  BEYOND_PAUSES,
  FADE_MS,
  LEAST_KNOWN_MS,
  LEAST_MISSING,
  LEAST_REQUESTS,
  LEAST_STOP_MS,
  LONGEST_STOP_MS,
} from './constants.ts';

/** How often requests come in from outside, so that it is noticed when they stop: nobody in here fails then. */
export interface Arrivals {
  /** By sender, service that requests come in at, and how they come. */
  readonly bySource: Map<string, Source>;
  /** When each sender last sent spans, lines or metrics. */
  readonly heardAt: Map<string, number>;
  judgedAt: number;
}

interface Source {
  readonly service: string;
  readonly sender: string;
  readonly origin: Origin;
  /** If the callers' spans are missing: the rate of requests of the same service that come with them. Else null. */
  readonly inside: RequestRate | null;
  /** Of the last minutes, and of a longer time. */
  readonly pace: RequestRate;
  readonly longPace: RequestRate;
  requests: number;
  /** The longest time without requests that was no stop. */
  longestGapMs: number;
  /** When losses elsewhere last explained that it has stopped. */
  explainedAt: number;
  /** Its requests have been reported elsewhere since they stopped. */
  isTakenOver: boolean;
}

/** How requests come in: as messages of a queue, from callers whose spans are missing, or else. */
type Origin = 'queue' | 'orphaned' | '';

export function createArrivals(): Arrivals {
  return { bySource: new Map(), heardAt: new Map(), judgedAt: Number.NEGATIVE_INFINITY };
}

/** Notes that a sender sends something. If it had sent nothing at all for long, nobody knows which requests came in meanwhile. */
export function hear({ bySource, heardAt }: Arrivals, sender: string, at: number): void {
  const lastAt = heardAt.get(sender);
  if (lastAt === at) {
    return; // nearly every item
  }
  const silentMs = at - (lastAt ?? at);
  const own = silentMs < LEAST_STOP_MS ? [] : [...bySource.values()].filter((source) => source.sender === sender);
  for (const source of own.some((each) => isStopped(each, at)) ? own : []) {
    skipSilence(source, silentMs);
  }
  setBounded(heardAt, sender, at, LIMITS.names);
}

/** Excludes a time in which nobody could see what came in. */
function skipSilence({ pace, longPace }: Source, silentMs: number): void {
  skipPause(pace, silentMs);
  skipPause(longPace, silentMs);
}

/** Health checks come even if nobody else reaches a service, so they are not counted. */
const PROBE = /\b(?:health|healthz|healthcheck|livez|liveness|readyz|readiness|ping|heartbeat|metrics)\b/i;

/** @param at when the request is judged: spans may come late, which is no gap and no stop */
export function countArrival({ bySource }: Arrivals, entry: SpanNode, at: number): void {
  const { span, sender } = entry;
  const { service } = span;
  for (const node of walk(entry)) {
    const inside =
      node.span.service === service
        ? null
        : bySource.get(senderKey(node.sender, node.span.service, 'orphaned'))?.inside;
    if (inside) {
      countForRate(inside, at, FADE_MS);
    }
  }
  if (PROBE.test(span.operation)) {
    return;
  }
  const origin = isTakenFromQueue(span) ? 'queue' : span.parentSpanId === null ? '' : 'orphaned';
  const create = (): Source => ({
    service,
    sender,
    origin,
    inside: origin === 'orphaned' ? createRate(at) : null,
    pace: createRate(at),
    longPace: createRate(at),
    requests: 0,
    longestGapMs: 0,
    explainedAt: Number.NEGATIVE_INFINITY,
    isTakenOver: false,
  });
  const key = senderKey(sender, service, origin);
  const source = getOrCreateFrequent(bySource, key, LIMITS.names, create, ({ requests }) => requests);
  if (!isStopped(source, at)) {
    source.longestGapMs = Math.max(source.longestGapMs, at - source.pace.lastAt);
  }
  source.requests += 1;
  source.isTakenOver = false;
  countForRate(source.pace, at, FADE_MS);
  countForRate(source.longPace, at);
}

/**
 * Finds what gets no more requests.
 *
 * @param located requests that are lost now
 */
export function judgeArrivals(arrivals: Arrivals, located: readonly Located[], at: number): Evidence[] {
  const { bySource, judgedAt } = arrivals;
  arrivals.judgedAt = at;
  const pausedMs = at - judgedAt > MINUTE_MS && Number.isFinite(judgedAt) ? at - judgedAt : 0;
  for (const [key, source] of bySource) {
    skipSilence(source, pausedMs);
    if (at - source.pace.lastAt > DAY_MS) {
      bySource.delete(key);
    }
  }
  const all = [...bySource.values()];
  const stopped = all.filter((source) => isStopped(source, at));
  for (const source of stopped) {
    source.isTakenOver ||= isReportedElsewhere(source, all);
  }
  const groups = groupByCause(stopped.filter(({ isTakenOver }) => !isTakenOver));
  for (const source of groups.filter((group) => isExplained(group, all, located)).flat()) {
    source.explainedAt = at;
  }
  return groups
    .filter((group) => group.some((source) => isUnexplained(source, at)))
    .flatMap((group) => toEvidence(group, arrivals, at));
}

/** Whether nothing has explained the stop for as long as a stop has to last. */
function isUnexplained(source: Source, at: number): boolean {
  return at - source.explainedAt >= leastStopOf(source);
}

/**
 * Whether requests began to be lost elsewhere when these stopped. Then their caller may be what fails: a smaller part of what comes in
 * may come from a service that hands on no trace. Messages of a queue are no part of it.
 */
function isExplained(group: readonly Source[], all: readonly Source[], located: readonly Located[]): boolean {
  const [first] = group;
  const ofSender = all.filter(({ sender }) => sender === first?.sender);
  if (first === undefined || paceOfAll(group) >= HALF * paceOfAll(ofSender)) {
    return false;
  }
  return located.some(({ isOpen, verdict: { account, kind, episode } }) => {
    const { since } = countsSinceOnset(episode, leadingSum(account.streams[kind]));
    return isOpen && account.sender === first.sender && Math.abs(since - first.pace.lastAt) <= LEAST_STOP_MS;
  });
}

function paceOfAll(sources: readonly Source[]): number {
  return sources.reduce((sum, source) => sum + (source.origin === 'queue' ? 0 : paceOf(source)), 0);
}

/**
 * Whether the requests are reported in another way since: by another sender, because a key was rotated or traffic was moved, or
 * together with the spans of their callers, which had been missing.
 */
function isReportedElsewhere(source: Source, all: readonly Source[]): boolean {
  const isAsMuch = (pace: RequestRate) =>
    isSince(pace, source) && perMillisecond(pace, FADE_MS) >= HALF * paceOf(source);
  return (
    (source.inside !== null && isAsMuch(source.inside)) ||
    all.some((other) => other.service === source.service && isAsMuch(other.pace) && isMoreSince(other, source))
  );
}

/** Whether a source began shortly before another ended, or has about as many requests more since. */
function isMoreSince({ pace, longPace }: Source, ended: Source): boolean {
  const isNew = pace.firstAt >= ended.pace.lastAt - LEAST_KNOWN_MS;
  return isNew || perMillisecond(pace, FADE_MS) - perMillisecond(longPace) >= HALF * paceOf(ended);
}

/** Whether requests came for a while after those of a source ended. */
function isSince({ lastAt }: RequestRate, { pace }: Source): boolean {
  return lastAt - pace.lastAt >= LEAST_STOP_MS / 2;
}

/** Sources of one sender that stopped at once. */
function groupByCause(stopped: readonly Source[]): Source[][] {
  const groups: Source[][] = [];
  for (const source of stopped.toSorted((a, b) => a.pace.lastAt - b.pace.lastAt)) {
    const group = groups.find(
      ([first]) => first?.sender === source.sender && source.pace.lastAt - first.pace.lastAt <= MINUTE_MS,
    );
    if (group === undefined) {
      groups.push([source]);
    } else {
      group.push(source);
    }
  }
  return groups;
}

/** Whether a stop of requests would be noticed, so that time has to be judged although nothing comes. */
export function isWaiting({ bySource }: Arrivals): boolean {
  return [...bySource.values()].some(isKnown);
}

/** Requests for each millisecond before the last one came. */
function paceOf({ pace }: Source): number {
  return perMillisecond(pace, FADE_MS);
}

function isStopped(source: Source, at: number): boolean {
  return isKnown(source) && at - source.pace.lastAt >= leastStopOf(source);
}

function isKnown(source: Source): boolean {
  const { pace, longPace, requests } = source;
  return (
    paceOf(source) >= HALF * perMillisecond(longPace) &&
    requests >= LEAST_REQUESTS &&
    pace.lastAt - pace.firstAt >= LEAST_KNOWN_MS &&
    LEAST_MISSING / paceOf(source) <= LONGEST_STOP_MS
  );
}

function leastStopOf(source: Source): number {
  const { longestGapMs } = source;
  const beyondChanceMs = LEAST_MISSING / paceOf(source);
  const times = longestGapMs > beyondChanceMs ? BEYOND_PAUSES : BEYOND_GAPS;
  return Math.max(LEAST_STOP_MS, beyondChanceMs, times * longestGapMs);
}

function toEvidence(group: readonly Source[], arrivals: Arrivals, at: number): Evidence[] {
  const [busiest, ...others] = group.toSorted((a, b) => paceOf(b) - paceOf(a));
  if (busiest === undefined) {
    return [];
  }
  const { service, sender, pace } = busiest;
  const meanwhile = findMeanwhile(busiest, arrivals, at);
  return [
    {
      fingerprint: ['metric', service, '', 'requests_stopped', '', sender].join('|'),
      origin: 'metric',
      sender,
      service,
      instance: null,
      family: 'requests_stopped',
      peer: null,
      subject: 'requests',
      ...(others.length === 0 ? {} : { also: others.map((other) => other.service) }),
      ...(meanwhile !== null && { meanwhile }),
      at,
      since: pace.lastAt,
      strength: 1,
      rarity: 1,
      significance: 1,
      traceId: null,
      now: 0,
      usual: MINUTE_MS * paceOf(busiest),
      count: busiest.requests,
      hasEnded: null,
    },
  ];
}

/** What else the sender has sent since: it shows whether requests stopped, or their telemetry. */
function findMeanwhile(
  source: Source,
  { bySource, heardAt }: Arrivals,
  at: number,
): Required<Evidence>['meanwhile'] | null {
  const { sender } = source;
  if (at - (heardAt.get(sender) ?? at) >= LEAST_STOP_MS) {
    return 'nothing';
  }
  const isBehind = (other: Source) => other.inside !== null && other.sender === sender && isSince(other.pace, source);
  return [...bySource.values()].some(isBehind) ? 'requests behind it' : null;
}
