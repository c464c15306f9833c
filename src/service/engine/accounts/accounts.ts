import { getOrCreateFrequent, increase, senderKey, setBounded } from '../bounded-map.ts';
import { outcomesOf } from '../requests/callees.ts';
import { directRunsIn } from '../requests/direct-runs.ts';
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
import { addRuns } from './callee-contrast.ts';
import { type ComparedRequests, compareRequest, createComparedRequests } from './compared-requests.ts';
import { addRequest, createEpisode, type Episode, MAX_COUNTED, noteOnset } from './episode.ts';
import { createPace, keepPace, type Pace } from './pace.ts';
import { countRefusals } from './refusals.ts';
import { createStream, endStream, look, type Stream } from './stream.ts';
import { allowedShare, covers, isOfEntries, type RequestLesson, taughtMark } from './taught.ts';

/** Results of the requests through one place, as one sender reports it. */
export interface Account {
  readonly place: string;
  readonly sender: string;
  /** It has only requests like those of this lesson, with a baseline of their own. null: it has all others. */
  readonly taught: { readonly lesson: RequestLesson; readonly pool: Pool } | null;
  readonly streams: Readonly<Record<Tested, Stream>>;
  /** Requests that went through it, for how often it is seen. */
  requests: number;
  readonly pace: Pace;
  /** Those of them that were not harmed. */
  wentWell: number;
  lastWellAt: number;
  firstAt: number;
  lastAt: number;
  /** Facts about the present episode of each kind, for people. */
  readonly episodes: Map<Tested, Episode>;
  /** What its lost requests have that its good ones do not. */
  readonly compared: ComparedRequests;
  /** The caller or callee that explained the last episode, and when that ended. */
  lastBlamed: { readonly place: string | null; readonly at: number };
}

/** An episode that begins this soon after the last one keeps its blamed place. */
const SAME_FAULT_MS = 2 * 60_000;

export interface Accounts {
  readonly byKey: Map<string, Account>;
  /** Keys of accounts with a present episode. */
  readonly active: Set<string>;
  /** Keys of the accounts of lost requests, by the span that lost each: its answer may come late. */
  readonly lostBySpan: Map<string, string>;
  readonly pools: Pools;
  /** What people taught, by the key of the account of all other requests, the last first. */
  readonly lessons: Map<string, readonly RequestLesson[]>;
}

const MAX_ACCOUNTS = 10_000;
const MAX_LOST = 20_000;

export function createAccounts(): Accounts {
  return {
    byKey: new Map(),
    active: new Set(),
    lostBySpan: new Map(),
    pools: createPools(),
    lessons: new Map(),
  };
}

/** A request counts as at most this old when it is judged, because its spans may come late. */
const WAIT_MS = 15_000;

/** Enters one request, once at each place that it went through. */
export function enter(accounts: Accounts, request: JudgedRequest, judgedAt: number, times: UsualTimes): void {
  // A request that arrives late still counts as recent.
  const at = Math.max(request.at, judgedAt - WAIT_MS);
  const directRuns = directRunsIn(times, request.entry);
  const about = { request, at, times, directRuns, cameIn: entryKeyOf(request) };
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

/** @param lesson of an account that has only requests like the taught ones */
export function accountKey(sender: string, place: string, lesson: RequestLesson | null = null): string {
  return lesson === null ? senderKey(sender, place) : senderKey(sender, place, lesson.id);
}

function createAccount(place: string, sender: string, lesson: RequestLesson | null, at: number): Account {
  const allowed = lesson === null ? 0 : allowedShare(lesson.taught);
  return {
    place,
    sender,
    taught: lesson === null ? null : { lesson, pool: createPool() },
    streams: { harmed: createStream(allowed), tolerated: createStream(allowed), slow: createStream(allowed) },
    requests: 0,
    pace: createPace(at),
    wentWell: 0,
    lastWellAt: Number.NEGATIVE_INFINITY,
    firstAt: at,
    lastAt: at,
    episodes: new Map(),
    compared: createComparedRequests(at),
    lastBlamed: { place: null, at: Number.NEGATIVE_INFINITY },
  };
}

interface RequestFacts {
  readonly request: JudgedRequest;
  readonly at: number;
  readonly times: UsualTimes;
  readonly directRuns: ReturnType<typeof directRunsIn>;
  /** See `entryKeyOf`. */
  readonly cameIn: string;
}

/** @param lesson whose account gets it; null: the one of all requests that nobody taught */
function enterOne(
  { byKey, active, lostBySpan, pools }: Accounts,
  placeMark: PlaceMark,
  lesson: RequestLesson | null,
  { request, at, times, directRuns, cameIn }: RequestFacts,
): void {
  const { place, sender, mark, instance, ranAt, runs, blame, suspects, notCalled } = placeMark;
  const key = accountKey(sender, place, lesson);
  const create = () => createAccount(place, sender, lesson, at);
  const account = getOrCreateFrequent(byKey, key, MAX_ACCOUNTS, create, ({ requests }) => requests);
  if (mark === 'harmed' && blame !== null) {
    setBounded(lostBySpan, blame.node.span.spanId, key, MAX_LOST);
  }
  account.requests += 1;
  keepPace(account.pace, at);
  account.wentWell += mark === 'harmed' ? 0 : 1;
  account.lastWellAt = mark === 'well' ? Math.max(account.lastWellAt, at) : account.lastWellAt;
  account.lastAt = Math.max(account.lastAt, at);
  account.firstAt = Math.min(account.firstAt, at);
  for (const kind of lesson === null ? TESTED : [taughtMark(lesson)]) {
    const stream = account.streams[kind];
    // A fault of one kind of requests is not over because others go well.
    const isAlike = account.episodes.get(kind)?.entries.has(cameIn) !== false;
    const form = mark === kind ? formOf(kind, request) : null;
    const begun = look(stream, form, at, poolOf(account, pools, kind), isAlike);
    if (stream.since === null) {
      account.episodes.delete(kind);
      continue;
    }
    // A request that is lost elsewhere or otherwise does not say that its caller reaches the place well.
    const reachedBy = mark === kind || (mark === 'well' && request.harm === null) ? callerOf(placeMark) : null;
    const episode = episodeOf(account, kind, request, at);
    if (!stream.isOpen) {
      noteOnset(episode, begun, request.at);
    }
    const isHit = mark === kind;
    const here = {
      place,
      isHarm: kind === 'harmed',
      suspects,
      notCalled,
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
    const outcomes = runs.map((run) => outcomesOf(times, run));
    for (const { contrast, refusals, calledWell, calledInVain } of account.episodes.values()) {
      addRuns(contrast, direct);
      countRefusals(refusals, direct);
      for (const { well, inVain } of outcomes) {
        addCalls(calledWell, well, span.weight ?? 1);
        addCalls(calledInVain, inVain, span.weight ?? 1);
      }
    }
  }
}

function addCalls(counts: Map<string, number>, callees: readonly string[], weight: number): void {
  for (const callee of callees) {
    increase(counts, callee, weight, MAX_COUNTED);
  }
}

/** Failures come in bursts of their own, and so do slow requests. */
function formOf(kind: Tested, { harm }: JudgedRequest): 'failed' | 'slow' {
  return kind === 'slow' || (kind === 'harmed' && harm === 'slow') ? 'slow' : 'failed';
}

export function poolOf({ taught, sender }: Account, pools: Accounts['pools'], kind: Tested): Pool {
  return taught?.pool ?? poolIn(pools, sender, kind);
}

/** From now on, requests like those of the lesson count in an account of their own. The present episode is over. */
export function teach({ byKey, lessons }: Accounts, lesson: RequestLesson): void {
  const { place, sender } = lesson.taught;
  const key = accountKey(sender, place);
  const others = (lessons.get(key) ?? []).filter(({ id }) => id !== lesson.id);
  for (const each of [null, ...others]) {
    const account = byKey.get(accountKey(sender, place, each));
    if (account !== undefined) {
      endStream(account.streams[taughtMark(lesson)]);
      account.episodes.delete(taughtMark(lesson));
    }
  }
  lessons.set(key, [lesson, ...others]);
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

function episodeOf(account: Account, kind: Tested, request: JudgedRequest, at: number): Episode {
  const { place, at: endedAt } = account.lastBlamed;
  const blamedPlace = at - endedAt <= SAME_FAULT_MS ? (place ?? account.place) : null;
  const episode = account.episodes.get(kind) ?? createEpisode(request.at, blamedPlace);
  account.episodes.set(kind, episode);
  return episode;
}
