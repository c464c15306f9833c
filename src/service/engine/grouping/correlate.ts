import type { Evidence } from '../../core/telemetry-item.ts';
import type { Neighbours } from '../graph/call-graph.ts';
import { type Candidate, rank } from '../ranking/rank.ts';
import type { EngineSettings } from '../settings.ts';
import { changeActivity } from './activity.ts';
import { type Changes, joinChange, rememberChange } from './changes.ts';
import { createIncident, forgetOld, type Incident, type Member, takeOut } from './incident.ts';
import {
  addIncident,
  createLiveIncidents,
  findHome,
  joinIncident,
  type LiveIncidents,
  removeIncident,
  updateReach,
} from './incidents.ts';
import { findOpenings } from './openings.ts';
import { findPrevious, type PastIncident, remember } from './past.ts';
import { servicesOf } from './reach.ts';

export interface CorrelationState {
  nextNumber: number;
  readonly live: LiveIncidents;
  /** Evidence of no incident yet, by fingerprint. */
  readonly waiting: Map<string, Evidence>;
  readonly past: PastIncident[];
  /** The last change of each service. */
  readonly changes: Changes;
  /** Incidents whose ranking is older than their evidence. */
  readonly stale: Set<number>;
  sweptAt: number;
  checkedAt: number;
}

export type CorrelationEvent =
  | { readonly type: 'opened'; readonly at: number; readonly incident: Incident }
  | {
      readonly type: 'joined';
      readonly at: number;
      readonly incident: Incident;
      readonly fingerprints: readonly string[];
    }
  | { readonly type: 'root_changed'; readonly at: number; readonly incident: Incident; readonly from: string }
  | { readonly type: 'merged'; readonly at: number; readonly incident: Incident; readonly into: Incident }
  | { readonly type: 'activity'; readonly at: number; readonly incident: Incident };

/** What one slot brought. */
export interface Moment {
  readonly at: number;
  readonly evidence: readonly Evidence[];
  /** Spans that ended, by service. */
  readonly answers: ReadonlyMap<string, number>;
  readonly graph: Neighbours;
}

/** Evidence that fits nowhere is kept this long for what may come. */
const WAITING_MS = 60_000;
const MAX_WAITING = 20_000;
const SWEEP_MS = 30_000;
/** Ranking an incident, and looking for openings, is worth its cost at most once a second. */
const LEAST_PAUSE_MS = 1_000;
/** A new root must be ahead by this factor: two that are alike must not take turns. */
const AHEAD = 1.2;

export function createCorrelationState(): CorrelationState {
  return {
    nextNumber: 1,
    live: createLiveIncidents(),
    waiting: new Map(),
    past: [],
    changes: new Map(),
    stale: new Set(),
    sweptAt: Number.NEGATIVE_INFINITY,
    checkedAt: Number.NEGATIVE_INFINITY,
  };
}

/** Puts the evidence of one slot into incidents. */
export function correlate(state: CorrelationState, moment: Moment, settings: EngineSettings): CorrelationEvent[] {
  const { at, graph } = moment;
  const events: CorrelationEvent[] = [];
  for (const evidence of moment.evidence.toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))) {
    place(state, evidence, at, settings, events);
  }
  if (at - state.checkedAt >= LEAST_PAUSE_MS) {
    state.checkedAt = at;
    sweep(state, moment, settings);
    events.push(
      ...rerankStale(state, moment, settings),
      ...open(state, at, graph, settings),
      ...changeActivity(state.live, moment),
    );
  }
  return events;
}

function place(
  state: CorrelationState,
  evidence: Evidence,
  at: number,
  settings: EngineSettings,
  events: CorrelationEvent[],
): void {
  if (evidence.family === 'change') {
    rememberChange(state.changes, evidence);
    return;
  }
  const home = findHome(state.live, evidence, at, settings);
  if (home === null) {
    state.waiting.delete(evidence.fingerprint);
    if (evidence.hasEnded !== true && state.waiting.size < MAX_WAITING) {
      state.waiting.set(evidence.fingerprint, evidence);
    }
    return;
  }
  const isNew = evidence.hasEnded !== true && !home.members.has(evidence.fingerprint);
  if (joinIncident(state.live, home, evidence, at) && home.closedAt === null) {
    state.stale.add(home.number);
  }
  if (isNew) {
    joinChange(state.changes, home, evidence.service, at);
    events.push({ type: 'joined', at, incident: home, fingerprints: [evidence.fingerprint] });
  }
}

/** Lets go of what is too old. */
function sweep(state: CorrelationState, { at }: Moment, settings: EngineSettings): void {
  for (const [fingerprint, evidence] of state.waiting) {
    if (at - evidence.at > WAITING_MS) {
      state.waiting.delete(fingerprint);
    }
  }
  if (at - state.sweptAt < SWEEP_MS) {
    return;
  }
  state.sweptAt = at;
  for (const incident of state.live.byNumber.values()) {
    // A silent incident keeps the evidence that it ended with.
    if (at > keptUntil(incident, settings)) {
      remember(state.past, incident);
      removeIncident(state.live, incident);
    } else if (at - incident.lastAt < SWEEP_MS && forgetOld(incident, at)) {
      state.stale.add(incident.number);
    }
  }
}

/** What happened before the end of the cooldown is still found for so long. */
const LEFT_OVER_MS = 70_000;

function keptUntil({ closedAt, lastAt, openedAt, openAlerts }: Incident, settings: EngineSettings): number {
  if (closedAt !== null) {
    return closedAt + settings.cooldownMs + LEFT_OVER_MS;
  }
  if (openAlerts.size > 0) {
    return openedAt + OPEN_ALERT_MS;
  }
  return Math.min(lastAt + Math.max(settings.gapMs, REMEMBERED_MS), openedAt + settings.maxAgeMs);
}

/** An alert of which no end was told for a week has been forgotten by its sender. */
const OPEN_ALERT_MS = 7 * 86_400_000;
/** A silent incident stays in memory this long, so that its recovery is seen. */
const REMEMBERED_MS = 10 * 60_000;

function rerankStale(state: CorrelationState, { at, graph }: Moment, settings: EngineSettings): CorrelationEvent[] {
  const numbers = [...state.stale];
  state.stale.clear();
  return numbers.flatMap((number) => {
    const incident = state.live.byNumber.get(number);
    return incident === undefined ? [] : rerank(state, incident, at, graph, settings);
  });
}

function rerank(
  state: CorrelationState,
  incident: Incident,
  at: number,
  graph: Neighbours,
  settings: EngineSettings,
): CorrelationEvent[] {
  const { candidates, confidence } = rank(incident.sums, graph);
  const [first] = candidates;
  if (first === undefined) {
    return [];
  }
  const current = candidates.find(({ service }) => service === incident.root);
  const isAhead = current === undefined || first.score > AHEAD * current.score;
  incident.candidates = candidates;
  incident.confidence = confidence;
  const from = incident.root;
  if (first.service === from || !isAhead) {
    splitOff(state, incident, candidates, settings);
    return [];
  }
  incident.root = first.service;
  incident.history.push({ at, root: first.service, confidence });
  updateReach(state.live, incident, graph);
  splitOff(state, incident, candidates, settings);
  return [{ type: 'root_changed', at, incident, from }, ...merge(state, incident, at)];
}

/** What the root neither explains nor may be explained by, and is as strong, waits for an incident of its own. */
function splitOff(
  state: CorrelationState,
  incident: Incident,
  candidates: readonly Candidate[],
  settings: EngineSettings,
): void {
  const reach = state.live.reach.get(incident.number);
  const root = candidates.find(({ service }) => service === incident.root);
  const others = candidates.filter(
    ({ service, own }) =>
      reach !== undefined &&
      !reach.victims.has(service) &&
      !reach.suspects.has(service) &&
      own >= Math.max(settings.leastScore, SPLIT_SHARE * (root?.own ?? 0)),
  );
  for (const { service } of others) {
    const own = [...incident.members.values()].filter(({ evidence }) => {
      const ends = servicesOf(evidence);
      return ends.includes(service) && !ends.includes(incident.root);
    });
    for (const { evidence } of takeOut(
      incident,
      own.map((member: Member) => member.evidence.fingerprint),
    )) {
      state.live.byFingerprint.delete(evidence.fingerprint);
      state.waiting.set(evidence.fingerprint, evidence);
    }
  }
}

/** Half as strong as the root is no by-product of it. */
const SPLIT_SHARE = 0.5;

/** An incident of which the root of this one is the cause: its calls to this root fail. */
function merge(state: CorrelationState, incident: Incident, at: number): CorrelationEvent[] {
  const victims = state.live.reach.get(incident.number)?.victims ?? new Set<string>();
  const others = [...victims]
    .flatMap((service) => state.live.byService.get(service) ?? [])
    .flatMap((number) => state.live.byNumber.get(number) ?? [])
    .filter((other) => other !== incident && other.closedAt === null && isCausedBy(other, incident, victims));
  return [...new Set(others)].map((other) => {
    const [into, gone] = other.number < incident.number ? [other, incident] : [incident, other];
    for (const { evidence } of gone.members.values()) {
      joinIncident(state.live, into, evidence, at);
    }
    gone.mergedInto = into.number;
    removeIncident(state.live, gone);
    return { type: 'merged', at, incident: gone, into };
  });
}

function isCausedBy(other: Incident, cause: Incident, victims: ReadonlySet<string>): boolean {
  const failing = other.sums.get(other.root)?.failingCallees;
  return (
    victims.has(other.root) && failing !== undefined && [...failing.keys()].some((callee) => callee === cause.root)
  );
}

function open(state: CorrelationState, at: number, graph: Neighbours, settings: EngineSettings): CorrelationEvent[] {
  return findOpenings([...state.waiting.values()], graph, settings).flatMap(({ root, evidence }) => {
    const previous = findPrevious([...state.past, ...silent(state, root, at, settings)], root, evidence);
    const incident = createIncident(state.nextNumber, at, root, previous);
    state.nextNumber += 1;
    addIncident(state.live, incident, graph);
    for (const found of evidence) {
      joinIncident(state.live, incident, found, at);
      joinChange(state.changes, incident, found.service, at);
      state.waiting.delete(found.fingerprint);
    }
    const { candidates, confidence } = rank(incident.sums, graph);
    incident.candidates = candidates;
    incident.confidence = confidence;
    incident.root = candidates[0]?.service ?? root;
    incident.history.push({ at, root: incident.root, confidence });
    updateReach(state.live, incident, graph);
    return [{ type: 'opened', at, incident }];
  });
}

/** Incidents of a root in memory that take no more evidence. */
function silent(state: CorrelationState, root: string, at: number, settings: EngineSettings): PastIncident[] {
  const past: PastIncident[] = [];
  for (const number of state.live.byService.get(root) ?? []) {
    const incident = state.live.byNumber.get(number);
    if (incident !== undefined && (incident.closedAt !== null || at - incident.lastAt > settings.gapMs)) {
      remember(past, incident);
    }
  }
  return past;
}
