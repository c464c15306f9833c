import type { Evidence } from '../../core/evidence.ts';
import { makeRoom } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { seenAt } from '../evidence.ts';
import { worthOf } from '../ranking/weights.ts';
import { changeActivity, sweep } from './activity.ts';
import { findOpenHome, followHomes, holdInhibited, joinInhibitors } from './alert-homes.ts';
import { joinChange, rememberChange } from './changes.ts';
import { CHECK_MS } from './constants.ts';
import { type CorrelationEvent, type CorrelationState, findFlood, type Moment } from './correlation-state.ts';
import { findHome } from './find-home.ts';
import { type Incident, outlastsRoot } from './incident.ts';
import { joinIncident } from './incidents.ts';
import { mergeFated, mergeMatching, noteFate } from './merge.ts';
import { findOpenings } from './openings.ts';
import { discountBystander } from './past.ts';
import { addFailingCall, isFailingCall } from './reach.ts';
import { openIncident, recordRoot, rerank, setRoot } from './root.ts';
import { findReturning } from './similar.ts';
import { splitOff } from './split.ts';
import { isTaught } from './taught.ts';

/** Puts the evidence of one slot into incidents. */
export function correlate(state: CorrelationState, moment: Moment): CorrelationEvent[] {
  const { at } = moment;
  followHomes(state, moment);
  const evidence = moment.evidence.map((found) => discountBystander(state.bystanders, found));
  const { now, held } = holdInhibited(state, evidence);
  const inOrder = now.toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
  const placed = place(state, inOrder, moment);
  const events = placed.concat(at - state.checkedAt >= CHECK_MS ? check(state, moment) : []);
  return held.length === 0 ? events : events.concat(place(state, joinInhibitors(state, held), moment));
}

/** The expensive part of correlation, which runs at most once a second. */
function check(state: CorrelationState, moment: Moment): CorrelationEvent[] {
  state.checkedAt = moment.at;
  sweep(state, moment.at);
  const hasNewCalls = moment.graph.version !== state.graphVersion;
  const regrouped = regroup(state, moment);
  // An incident with a new root or new calls may take evidence that waits.
  const isStable = regrouped.length === 0 && !hasNewCalls;
  const taken = isStable ? [] : place(state, [...state.waiting.values()], moment);
  return regrouped.concat(taken, open(state, moment), changeActivity(state.live, moment));
}

/** Joins evidence to incidents. Evidence that fits none of them goes to `waiting`. */
function place(state: CorrelationState, evidence: readonly Evidence[], moment: Moment): CorrelationEvent[] {
  return evidence.flatMap((found) => placeOne(state, found, moment));
}

function placeOne(state: CorrelationState, evidence: Evidence, { at, graph }: Moment): CorrelationEvent[] {
  if (evidence.family === 'change') {
    rememberChange(state.changes, evidence);
    return [];
  }
  noteFailingCall(state, evidence);
  const home = findOpenHome(state.live, evidence) ?? findHome(state.live, evidence, at);
  state.waiting.delete(evidence.fingerprint);
  if (home === null) {
    if (evidence.hasEnded !== true) {
      makeRoom(state.waiting, LIMITS.names, (_key, { sender }) => sender, worthOf);
      state.waiting.set(evidence.fingerprint, evidence);
      if (!state.waitingSince.has(evidence.fingerprint)) {
        state.waitingSince.set(evidence.fingerprint, at);
      }
    }
    return [];
  }
  if (evidence.explains?.includes(home.root) === true) {
    setRoot(state, home, evidence.service, graph);
    state.stale.add(home.number);
  }
  noteFate(state.live, home, evidence);
  const isNew = evidence.hasEnded !== true && !home.members.has(evidence.fingerprint);
  if (joinIncident(state.live, home, evidence, at) || outlastsRoot(home, seenAt(evidence))) {
    state.stale.add(home.number);
  }
  if (!isNew) {
    return [];
  }
  joinChange(state.changes, home, evidence.service, at);
  return [{ type: 'joined', at, incident: home, fingerprints: [evidence.fingerprint] }];
}

/** A call that begins to fail may connect the incidents that it reaches. */
function noteFailingCall({ live, unmatched }: CorrelationState, evidence: Evidence): void {
  if (!isFailingCall(evidence) || evidence.hasEnded === true || !addFailingCall(live.failingCalls, evidence)) {
    return;
  }
  for (const number of live.byService.get(evidence.peer ?? '') ?? []) {
    unmatched.add(number);
  }
}

/** Ranks changed incidents again, splits those that hold several failures, and merges those that are one. */
function regroup(state: CorrelationState, moment: Moment): CorrelationEvent[] {
  const changed = rerankStale(state, moment);
  const regrouped = [
    ...changed.flatMap((incident) => splitOff(state, incident, moment)),
    ...mergeFated(state, moment),
    ...mergeMatching(state, moment),
  ];
  const all = new Set([...changed, ...rerankStale(state, moment)]);
  return [...regrouped, ...[...all].flatMap((incident) => recordRoot(incident, moment.at))];
}

function rerankStale(state: CorrelationState, moment: Moment): Incident[] {
  const incidents = [...state.stale]
    .flatMap((number) => state.live.byNumber.get(number) ?? [])
    .filter(({ closedAt, floodOf }) => closedAt === null && floodOf === null);
  state.stale.clear();
  for (const incident of incidents) {
    rerank(state, incident, moment);
  }
  return incidents;
}

function open(state: CorrelationState, moment: Moment): CorrelationEvent[] {
  const { at, graph } = moment;
  const isKnown = (evidence: Evidence) => isTaught(state.lessons, evidence);
  return findOpenings([...state.waiting.values()], moment, state.waitingSince, isKnown).map(
    ({ root, evidence }): CorrelationEvent => {
      const fill = (incident: Incident) => {
        for (const found of evidence) {
          joinIncident(state.live, incident, found, at);
          noteFate(state.live, incident, found);
          joinChange(state.changes, incident, found.service, at);
          state.waiting.delete(found.fingerprint);
        }
      };
      const fingerprints = evidence.map(({ fingerprint }) => fingerprint);
      const before = findReturning(state, root, evidence, graph);
      if (before !== null) {
        fill(before);
        before.lastAt = Math.max(before.lastAt, at); // it begins again, by all of it together
        state.stale.add(before.number);
        return { type: 'joined', at, incident: before, fingerprints };
      }
      const sender = findFlood(state.floods, evidence, at);
      const flood = sender === null ? undefined : state.live.byNumber.get(state.floods.incidents.get(sender) ?? 0);
      if (flood !== undefined && flood.closedAt === null) {
        fill(flood);
        return { type: 'joined', at, incident: flood, fingerprints };
      }
      const incident = openIncident(state, { at, graph, root, splitFrom: null }, fill);
      if (sender !== null) {
        incident.floodOf = sender;
        state.floods.incidents.set(sender, incident.number);
      }
      recordRoot(incident, at);
      return { type: 'opened', at, incident };
    },
  );
}
