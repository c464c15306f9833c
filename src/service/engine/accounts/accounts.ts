import { getOrCreate, getOrCreateFrequent, senderKey, setBounded } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import {
  callerOf,
  entryKeyOf,
  type JudgedRequest,
  type PlaceMark,
  TESTED,
  type Tested,
} from '../requests/judge-request.ts';
import type { UsualTimes } from '../requests/usual-times.ts';
import { createPool, createPools, type Pool, type Pools, poolIn } from './baseline.ts';
import { type ComparedRequests, compareRequest, createComparedRequests } from './compared-requests.ts';
import { LEAST_REQUESTS, WAIT_MS } from './constants.ts';
import { addRequest, createEpisode, type Episode, noteOnset } from './episode.ts';
import { countForRate, createRate, type RequestRate } from './request-rate.ts';
import { countRuns, directRunsIn } from './run-counts.ts';
import { createStream, endStream, look, type Stream } from './stream.ts';
import { allowedShare, covers, isOfEntries, type RequestLesson, taughtMark } from './taught.ts';

/** Outcomes of all requests through one place, as reported by one sender. */
export interface Account {
  readonly place: string;
  readonly sender: string;
  /** The account has only requests that match this lesson, with a baseline of their own. null: it has all other requests. */
  readonly taught: { readonly lesson: RequestLesson; readonly pool: Pool } | null;
  readonly streams: Readonly<Record<Tested, Stream>>;
  /** Tests of harm per instance, if there are several: an instance that serves few requests hardly shows in the test of all. */
  readonly instances: Map<string, Stream>;
  requests: number;
  readonly pace: RequestRate;
  /** RequestRate of the requests that were not rejected. */
  readonly servedPace: RequestRate;
  /** Number of requests without harm. */
  wentWell: number;
  lastWellAt: number;
  firstAt: number;
  lastAt: number;
  /** The present episode of each kind. */
  readonly episodes: Map<Tested, Episode>;
  /** Attributes of lost requests compared with those of good ones. */
  readonly compared: ComparedRequests;
}

export interface Accounts {
  readonly byKey: Map<string, Account>;
  /** Keys of accounts with a present episode. */
  readonly active: Set<string>;
  /** Account keys by the id of the span that lost a request, to find them when the answer comes late. */
  readonly lostBySpan: Map<string, string>;
  readonly pools: Pools;
  /** Lessons by the key of the account that has all other requests, newest first. */
  readonly lessons: Map<string, readonly RequestLesson[]>;
}

export function createAccounts(): Accounts {
  return {
    byKey: new Map(),
    active: new Set(),
    lostBySpan: new Map(),
    pools: createPools(),
    lessons: new Map(),
  };
}

/** Adds a request to the account of each place that it went through. */
export function enter(accounts: Accounts, request: JudgedRequest, judgedAt: number, times: UsualTimes): void {
  const at = Math.max(request.at, judgedAt - WAIT_MS);
  const directRuns = directRunsIn(times, request.entry);
  const about = { request, at, directRuns, cameIn: entryKeyOf(request) };
  for (const mark of request.marks) {
    if (mark.isNamedOnly && !accounts.byKey.has(accountKey(mark.sender, mark.place))) {
      continue;
    }
    const lessons = accounts.lessons.get(accountKey(mark.sender, mark.place)) ?? [];
    const covering = lessons.find((lesson) => covers(lesson, mark, request));
    if (covering !== undefined) {
      enterOne(accounts, mark, covering, about);
      continue;
    }
    enterOne(accounts, mark, null, about);
    if (mark.blame === null) {
      for (const lesson of lessons) {
        if (isOfEntries(lesson, request)) {
          enterOne(accounts, mark, lesson, about);
        }
      }
    }
  }
}

/** @param lesson null: the account of all requests that match no lesson */
export function accountKey(sender: string, place: string, lesson: RequestLesson | null = null): string {
  return lesson === null ? senderKey(sender, place) : senderKey(sender, place, lesson.id);
}

export function createAccount(place: string, sender: string, lesson: RequestLesson | null, at: number): Account {
  const allowed = lesson === null ? 0 : allowedShare(lesson.taught);
  return {
    place,
    sender,
    taught: lesson === null ? null : { lesson, pool: createPool() },
    streams: {
      harmed: createStream(allowed),
      rejected: createStream(allowed),
      tolerated: createStream(allowed),
      slow: createStream(allowed),
    },
    instances: new Map(),
    requests: 0,
    pace: createRate(at),
    servedPace: createRate(at),
    wentWell: 0,
    lastWellAt: Number.NEGATIVE_INFINITY,
    firstAt: at,
    lastAt: at,
    episodes: new Map(),
    compared: createComparedRequests(at),
  };
}

interface RequestFacts {
  readonly request: JudgedRequest;
  readonly at: number;
  readonly directRuns: ReturnType<typeof directRunsIn>;
  /** See `entryKeyOf`. */
  readonly cameIn: string;
}

/** @param lesson the lesson that the request matches; null: none */
function enterOne(
  { byKey, active, lostBySpan, pools }: Accounts,
  judged: PlaceMark,
  lesson: RequestLesson | null,
  { request, at, directRuns, cameIn }: RequestFacts,
): void {
  const { place, sender, instance, ranAt, runs } = judged;
  const key = accountKey(sender, place, lesson);
  const create = () => createAccount(place, sender, lesson, at);
  const account = getOrCreateFrequent(byKey, key, LIMITS.entries, create, ({ requests }) => requests);
  const isWarmUp = judged.mark === 'harmed' && request.harm === 'slow' && isNewInstance(account, instance);
  const placeMark: PlaceMark = isWarmUp ? { ...judged, mark: 'well', blame: null } : judged;
  const { mark, blame } = placeMark;
  if (mark === 'harmed' && blame !== null) {
    setBounded(lostBySpan, blame.node.span.spanId, key, LIMITS.names);
  }
  account.requests += 1;
  countForRate(account.pace, at);
  if (mark !== 'rejected') {
    countForRate(account.servedPace, at);
  }
  account.wentWell += mark === 'harmed' ? 0 : 1;
  account.lastWellAt = mark === 'well' ? Math.max(account.lastWellAt, at) : account.lastWellAt;
  account.lastAt = Math.max(account.lastAt, at);
  account.firstAt = Math.min(account.firstAt, at);
  for (const kind of lesson === null ? TESTED : [taughtMark(lesson)]) {
    const stream = account.streams[kind];
    // Good requests end a fault only if they came in where the lost ones did.
    const isAlike = account.episodes.get(kind)?.entries.has(cameIn) !== false;
    const form = mark === kind ? formOf(kind, request) : null;
    const begun = look(stream, form, at, poolOf(account, pools, kind), isAlike);
    if (kind === 'harmed' && lesson === null && instance !== null) {
      lookAtInstance(account, instance, form, at, poolIn(pools, sender, 'instance'));
    }
    if (stream.since === null && !(kind === 'harmed' && hasOddInstance(account))) {
      account.episodes.delete(kind);
      continue;
    }
    // A request that was lost elsewhere does not show that its caller reaches this place.
    const reachedBy = mark === kind || (mark === 'well' && request.harm === null) ? callerOf(placeMark) : null;
    const episode = getOrCreate(account.episodes, kind, TESTED.length, () => createEpisode(request.at));
    if (!stream.isOpen) {
      noteOnset(episode, begun, request.at);
    }
    const isHit = mark === kind;
    const here = {
      place,
      isHarm: kind === 'harmed',
      blame: isHit ? blame : null,
      otherBlame: isHit ? null : blame,
      instance,
      ranAt: isHit || mark === 'well' ? ranAt : null,
      caller: reachedBy,
    };
    addRequest(episode, here, request, at);
  }
  const { span } = request.entry;
  const cameInElsewhere = span.service === place ? null : cameIn;
  const asHere = { place, runs, entry: cameInElsewhere, weight: span.weight ?? 1 };
  compareRequest(account.compared, asHere, mark === 'harmed', account.episodes.has('harmed'), at);
  if (account.episodes.size > 0) {
    active.add(key);
    const direct = directRuns(place, sender, blame);
    for (const { runs: counts } of account.episodes.values()) {
      countRuns(counts, direct);
    }
  }
}

function lookAtInstance({ instances }: Account, instance: string, form: string | null, at: number, pool: Pool): void {
  const stream = getOrCreate(instances, instance, LIMITS.perPlace, createStream);
  if (instances.size > 1) {
    look(stream, form, at, pool);
  }
}

/** An instance that has just started is slow at first, so its first requests are not compared with those of the others. */
function isNewInstance({ instances }: Account, instance: string | null): boolean {
  const known = instance === null ? undefined : instances.get(instance);
  const isAmongOthers = instances.size > (known === undefined ? 0 : 1) && instances.size < LIMITS.perPlace;
  return instance !== null && isAmongOthers && (known?.first.looks ?? 0) < LEAST_REQUESTS;
}

function hasOddInstance({ instances }: Account): boolean {
  for (const { since } of instances.values()) {
    if (since !== null) {
      return true;
    }
  }
  return false;
}

/** Failures and slow requests have baselines of their own for what follows them. */
function formOf(kind: Tested, { harm }: JudgedRequest): 'failed' | 'slow' {
  return kind === 'slow' || (kind === 'harmed' && harm === 'slow') ? 'slow' : 'failed';
}

export function poolOf({ taught, sender }: Account, pools: Accounts['pools'], kind: Tested): Pool {
  return taught?.pool ?? poolIn(pools, sender, kind);
}

/** Moves requests that match the lesson to an account of their own, and ends the present episode. */
export function teach(accounts: Accounts, lesson: RequestLesson): void {
  const key = accountKey(lesson.taught.sender, lesson.taught.place);
  const others = (accounts.lessons.get(key) ?? []).filter(({ id }) => id !== lesson.id);
  endTests(accounts, lesson.taught, [taughtMark(lesson)]);
  accounts.lessons.set(key, [lesson, ...others]);
}

/** Ends the present episodes of a place: what it loses from now on has to pass the test by itself. */
export function endTests(
  { byKey, lessons }: Accounts,
  { place, sender }: Pick<Account, 'place' | 'sender'>,
  kinds: readonly Tested[] = TESTED,
): void {
  for (const lesson of [null, ...(lessons.get(accountKey(sender, place)) ?? [])]) {
    const account = byKey.get(accountKey(sender, place, lesson));
    if (account !== undefined) {
      for (const kind of kinds) {
        endEpisode(account, kind);
      }
    }
  }
}

export function endEpisode({ streams, instances, episodes }: Account, kind: Tested): void {
  endStream(streams[kind]);
  for (const stream of kind === 'harmed' ? instances.values() : []) {
    endStream(stream);
  }
  episodes.delete(kind);
}

export function forget({ byKey, lessons }: Accounts, ids: ReadonlySet<string>): void {
  for (const [key, known] of lessons) {
    const left = known.filter(({ id }) => !ids.has(id));
    for (const lesson of known.filter(({ id }) => ids.has(id))) {
      byKey.delete(accountKey(lesson.taught.sender, lesson.taught.place, lesson));
    }
    if (left.length === 0) {
      lessons.delete(key);
    } else {
      lessons.set(key, left);
    }
  }
}
