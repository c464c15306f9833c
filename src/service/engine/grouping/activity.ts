import { GAP_MS, MINUTE_MS } from '../constants.ts';
import { lastsUntil } from '../evidence.ts';
import { BEYOND_PAUSE, COOLDOWN_MS, LEFT_OVER_MS, OPEN_ALERT_MS, SILENCE_MS, SWEEP_MS } from './constants.ts';
import type { CorrelationEvent, CorrelationState, Moment } from './correlation-state.ts';
import { type Activity, forgetOld, type Incident } from './incident.ts';
import { type LiveIncidents, removeIncident } from './incidents.ts';
import { remember } from './past.ts';
import { forgetOldCalls, lastFailedAt } from './reach.ts';

/** Updates the activity of each incident. @returns an event for each change */
export function changeActivity(live: LiveIncidents, moment: Moment): CorrelationEvent[] {
  const { at } = moment;
  return [...live.byNumber.values()].flatMap((incident): CorrelationEvent[] => {
    if ((moment.answers.get(incident.root) ?? 0) > 0) {
      incident.rootAnsweredAt = at;
    }
    const activity = activityOf(live, incident, moment);
    if (activity === incident.activity) {
      return [];
    }
    const pauseMs = at - incident.activeSince;
    if (activity === 'failing' && pauseMs <= GAP_MS) {
      incident.longestPauseMs = Math.max(incident.longestPauseMs, pauseMs);
    }
    incident.activity = activity;
    incident.activeSince = activity === 'failing' ? at : Math.max(incident.openedAt, incident.lastAt);
    return [{ type: 'activity', at, incident }];
  });
}

function activityOf({ failingCalls }: LiveIncidents, incident: Incident, { at, answers, graph }: Moment): Activity {
  const { openAlerts, hasTelemetry, lastAt, activity, root, longestPauseMs } = incident;
  if (openAlerts.size > 0) {
    return 'failing';
  }
  if (!hasTelemetry) {
    return 'recovered';
  }
  const silence = at - lastAt;
  if (silence < SILENCE_MS || (activity === 'failing' && silence < BEYOND_PAUSE * longestPauseMs)) {
    return 'failing';
  }
  // Its calls may fail as the effect of another incident: then its own state is unknown.
  const isVictim = at - lastFailedAt(failingCalls, graph.callers.get(root) ?? [], root) < SILENCE_MS;
  if (activity === 'recovered' || (!isVictim && (answers.get(root) ?? 0) > 0)) {
    return 'recovered';
  }
  return silence >= MINUTE_MS ? 'quiet' : activity;
}

/** Evicts old evidence, failing calls and incidents. */
export function sweep(state: CorrelationState, at: number): void {
  for (const [fingerprint, evidence] of state.waiting) {
    if (at - lastsUntil(evidence, evidence.at) > MINUTE_MS) {
      state.waiting.delete(fingerprint);
    }
  }
  for (const fingerprint of state.waitingSince.keys()) {
    if (!state.waiting.has(fingerprint)) {
      state.waitingSince.delete(fingerprint);
    }
  }
  if (at - state.sweptAt < SWEEP_MS) {
    return;
  }
  state.sweptAt = at;
  forgetOldCalls(state.live.failingCalls, at);
  for (const incident of state.live.byNumber.values()) {
    if (at > keptUntil(incident) && !isTakenForFailing(incident)) {
      remember(state, incident);
      removeIncident(state.live, incident);
    } else if (at - incident.lastAt < SWEEP_MS) {
      // A silent incident keeps the evidence that it ended with.
      forgetOld(incident, at);
      state.stale.add(incident.number);
    }
  }
}

/** After a pause of correlation, people are told that it does not fail any more before it is forgotten. */
function isTakenForFailing({ activity, closedAt, openAlerts }: Incident): boolean {
  return activity === 'failing' && closedAt === null && openAlerts.size === 0;
}

/** However old it is, an incident is kept while it fails. */
function keptUntil({ closedAt, cooldownMs, reopenedAt, lastAt, openAlerts }: Incident): number {
  if (closedAt !== null) {
    return closedAt + cooldownMs + LEFT_OVER_MS;
  }
  const silentSince = Math.max(lastAt, reopenedAt ?? lastAt);
  return silentSince + (openAlerts.size > 0 ? OPEN_ALERT_MS : COOLDOWN_MS);
}
