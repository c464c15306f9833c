import type { CorrelationEvent, Moment } from './correlate.ts';
import type { Activity, Incident } from './incident.ts';
import type { LiveIncidents } from './incidents.ts';

/** Without evidence for this long, a root that answers has recovered. */
const SILENCE_MS = 15_000;
/** Without evidence for this long, nothing is known to fail. */
const QUIET_MS = 60_000;

/** Tells of incidents that fail again, went quiet, or recovered. */
export function changeActivity(live: LiveIncidents, { at, answers }: Moment): CorrelationEvent[] {
  return [...live.byNumber.values()].flatMap((incident): CorrelationEvent[] => {
    const activity = activityOf(incident, at, answers);
    if (activity === incident.activity) {
      return [];
    }
    incident.activity = activity;
    incident.activeSince = activity === 'failing' ? at : incident.lastAt;
    return [{ type: 'activity', at, incident }];
  });
}

function activityOf(incident: Incident, at: number, answers: ReadonlyMap<string, number>): Activity {
  if (incident.openAlerts.size > 0) {
    return 'failing';
  }
  if (!incident.hasTelemetry) {
    return 'recovered';
  }
  const silence = at - incident.lastAt;
  if (silence < SILENCE_MS) {
    return 'failing';
  }
  if (incident.activity === 'recovered' || (answers.get(incident.root) ?? 0) > 0) {
    return 'recovered';
  }
  return silence >= QUIET_MS ? 'quiet' : incident.activity;
}
