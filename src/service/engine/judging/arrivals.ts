import type { Evidence } from '../../core/telemetry-item.ts';
import type { Located } from '../accounts/blamed-place.ts';
import { countsSinceOnset } from '../accounts/episode.ts';
import { createPace, keepPace, type Pace, rateOf, skipPause } from '../accounts/pace.ts';
import { leadingSum } from '../accounts/stream.ts';
import { getOrCreateFrequent, senderKey, setBounded } from '../bounded-map.ts';
import { isTakenFromQueue, type SpanNode, walk } from '../requests/request-tree.ts';

/** How often requests come in from outside, so that it is noticed when they stop: nobody in here fails then. */
export interface Arrivals {
  /** By sender, service that requests come in at, and whether their callers' spans are missing. */
  readonly bySource: Map<string, Source>;
  /** When each sender last sent spans, lines or metrics. */
  readonly heardAt: Map<string, number>;
  judgedAt: number;
}

interface Source {
  readonly service: string;
  readonly sender: string;
  /** Of requests whose callers' spans are missing: those of the same service that came with them since. Else null. */
  readonly inside: Pace | null;
  /** Of the last minutes, and of a longer time. */
  readonly pace: Pace;
  readonly longPace: Pace;
  requests: number;
  /** The longest time without requests that was no stop. */
  longestGapMs: number;
  /** When losses elsewhere last explained that it has stopped. */
  explainedAt: number;
  /** Its requests have been reported in another way since they stopped. */
  isTakenOver: boolean;
}

const MAX_SOURCES = 2_000;
const MAX_SENDERS = 2_000;

export function createArrivals(): Arrivals {
  return { bySource: new Map(), heardAt: new Map(), judgedAt: Number.NEGATIVE_INFINITY };
}

/** A sender may be heard again after nothing at all came from it, which was noticed: nobody knows what came in meanwhile. */
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
  setBounded(heardAt, sender, at, MAX_SENDERS);
}

/** Leaves out a time in which nobody could see what came in. */
function skipSilence({ pace, longPace }: Source, silentMs: number): void {
  skipPause(pace, silentMs);
  skipPause(longPace, silentMs);
}

/** Probes go on while nobody else reaches a service. */
const PROBE = /\b(?:health|healthz|healthcheck|livez|liveness|readyz|readiness|ping|heartbeat|metrics)\b/i;

/** @param at when the request is judged: spans may come late, which is no gap and no stop */
export function countArrival({ bySource }: Arrivals, entry: SpanNode, at: number): void {
  const { span, sender } = entry;
  const { service } = span;
  for (const node of walk(entry)) {
    const inside =
      node.span.service === service ? null : bySource.get(keyOf(node.sender, node.span.service, true))?.inside;
    if (inside) {
      keepPace(inside, at, FADE_MS);
    }
  }
  if (isTakenFromQueue(span) || PROBE.test(span.operation)) {
    return;
  }
  const isOrphaned = span.parentSpanId !== null;
  const create = () => ({
    service,
    sender,
    inside: isOrphaned ? createPace(at) : null,
    pace: createPace(at),
    longPace: createPace(at),
    requests: 0,
    longestGapMs: 0,
    explainedAt: Number.NEGATIVE_INFINITY,
    isTakenOver: false,
  });
  const key = keyOf(sender, service, isOrphaned);
  const source = getOrCreateFrequent(bySource, key, MAX_SOURCES, create, ({ requests }) => requests);
  if (!isStopped(source, at)) {
    source.longestGapMs = Math.max(source.longestGapMs, at - source.pace.lastAt);
  }
  source.requests += 1;
  source.isTakenOver = false;
  keepPace(source.pace, at, FADE_MS);
  keepPace(source.longPace, at);
}

function keyOf(sender: string, service: string, isOrphaned: boolean): string {
  return senderKey(sender, service, isOrphaned ? 'orphaned' : '');
}

/** After a longer pause of judging, nobody knows what came in meanwhile. */
const PAUSE_MS = 60_000;
/** Services whose requests stop within this time have one cause. */
const AT_ONCE_MS = 60_000;
/** A service without requests for this long is not used any more. */
const GONE_MS = 24 * 3_600_000;

/**
 * Finds what gets no more requests.
 *
 * @param located requests that are lost now
 */
export function judgeArrivals(arrivals: Arrivals, located: readonly Located[], at: number): Evidence[] {
  const { bySource, judgedAt } = arrivals;
  arrivals.judgedAt = at;
  const pausedMs = at - judgedAt > PAUSE_MS && Number.isFinite(judgedAt) ? at - judgedAt : 0;
  for (const [key, source] of bySource) {
    skipSilence(source, pausedMs);
    if (at - source.pace.lastAt > GONE_MS) {
      bySource.delete(key);
    }
  }
  const all = [...bySource.values()];
  const stopped = all.filter((source) => isStopped(source, at));
  for (const source of stopped) {
    source.isTakenOver ||= isReportedElse(source, all);
  }
  const groups = groupByCause(stopped.filter(({ isTakenOver }) => !isTakenOver));
  for (const source of groups.filter((group) => isExplained(group, all, located)).flat()) {
    source.explainedAt = at;
  }
  return groups
    .filter((group) => group.some((source) => isUnexplained(source, at)))
    .flatMap((group) => toEvidence(group, arrivals, at));
}

/** Once what explained its stop is over, its requests have as long to come again as at any other time. */
function isUnexplained(source: Source, at: number): boolean {
  return at - source.explainedAt >= leastStopOf(source);
}

/** What is the smaller part of all that comes in may come from inside, of a caller that hands on no trace. */
const SMALLER_PART = 0.5;

/** The smaller part stopped when requests began to be lost: its caller may be what is lost. */
function isExplained(group: readonly Source[], all: readonly Source[], located: readonly Located[]): boolean {
  const [first] = group;
  const ofSender = all.filter(({ sender }) => sender === first?.sender);
  if (first === undefined || paceOfAll(group) >= SMALLER_PART * paceOfAll(ofSender)) {
    return false;
  }
  return located.some(({ isOpen, verdict: { account, kind, episode } }) => {
    const { since } = countsSinceOnset(episode, leadingSum(account.streams[kind]));
    return isOpen && account.sender === first.sender && Math.abs(since - first.pace.lastAt) <= LEAST_STOP_MS;
  });
}

function paceOfAll(sources: readonly Source[]): number {
  return sources.reduce((sum, source) => sum + paceOf(source), 0);
}

/**
 * The requests are reported in another way since: by another sender, because a key was rotated or they take another way, or
 * with the spans of their callers, which had been missing.
 */
function isReportedElse(source: Source, all: readonly Source[]): boolean {
  const isAsMuch = (pace: Pace) => isSince(pace, source) && rateOf(pace, FADE_MS) >= FEWER * paceOf(source);
  return (
    (source.inside !== null && isAsMuch(source.inside)) ||
    all.some((other) => other.service === source.service && isAsMuch(other.pace) && isMoreSince(other, source))
  );
}

/** Whether a source began shortly before another ended, or has about as many requests more since. */
function isMoreSince({ pace, longPace }: Source, ended: Source): boolean {
  const isNew = pace.firstAt >= ended.pace.lastAt - LONGEST_HANDOVER_MS;
  return isNew || rateOf(pace, FADE_MS) - rateOf(longPace) >= FEWER * paceOf(ended);
}

/** Where it takes longer to replace a key, the requests with the old one have become fewer before they end. */
const LONGEST_HANDOVER_MS = 15 * 60_000;

/** Whether requests came for a while after those of a source ended. */
function isSince({ lastAt }: Pace, { pace }: Source): boolean {
  return lastAt - pace.lastAt >= LEAST_STOP_MS / 2;
}

/** Sources of one sender that stopped at once. */
function groupByCause(stopped: readonly Source[]): Source[][] {
  const groups: Source[][] = [];
  for (const source of stopped.toSorted((a, b) => a.pace.lastAt - b.pace.lastAt)) {
    const group = groups.find(
      ([first]) => first?.sender === source.sender && source.pace.lastAt - first.pace.lastAt <= AT_ONCE_MS,
    );
    if (group === undefined) {
      groups.push([source]);
    } else {
      group.push(source);
    }
  }
  return groups;
}

/** Whether something has to be judged although nothing comes: it would be noticed if no more requests came. */
export function isWaiting({ bySource }: Arrivals): boolean {
  return [...bySource.values()].some(isKnown);
}

const FADE_MS = 5 * 60_000;

/** Requests for each millisecond before the last one came. */
function paceOf({ pace }: Source): number {
  return rateOf(pace, FADE_MS);
}

/** Fewer tell too little about how often requests come. */
const LEAST_REQUESTS = 100;
const LEAST_KNOWN_MS = 15 * 60_000;
/** Requests that were to come since the last one: in bursts, they are fewer that come independently. */
const LEAST_MISSING = 30;
/** Restarts take less. */
const LEAST_STOP_MS = 2 * 60_000;
const LONGEST_STOP_MS = 30 * 60_000;
/** Where requests had become this much fewer before, they end as on an evening: nothing stopped them. */
const FEWER = 0.5;
/** A stop lasts so many times as long as the longest gap; more if that was no chance, so that requests come at times only. */
const BEYOND_GAPS = 3;
const BEYOND_PAUSES = 10;

function isStopped(source: Source, at: number): boolean {
  return isKnown(source) && at - source.pace.lastAt >= leastStopOf(source);
}

function isKnown(source: Source): boolean {
  const { pace, longPace, requests } = source;
  return (
    paceOf(source) >= FEWER * rateOf(longPace) &&
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
  const meanwhile = tellMeanwhile(busiest, arrivals, at);
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
      usual: 60_000 * paceOf(busiest),
      count: busiest.requests,
      hasEnded: null,
    },
  ];
}

/** What else came from the sender since: it tells whether requests stopped or their telemetry. */
function tellMeanwhile(
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
