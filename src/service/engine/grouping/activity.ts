import { BEYOND_PAUSE, GAP_MS, MINUTE_MS, SILENCE_MS } from './constants.ts';
import type { CorrelationEvent, Moment } from './correlation-state.ts';
import { lastFailedAt } from './failing-calls.ts';
import type { Activity, Incident } from './incident.ts';
import type { LiveIncidents } from './incidents.ts';

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
