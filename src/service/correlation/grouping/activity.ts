import type { CorrelationEvent, Moment } from './correlate.ts';
import type { Activity, Incident } from './incident.ts';
import type { LiveIncidents } from './incidents.ts';

/** Without evidence for this long, nothing fails any more. */
const SILENCE_MS = 15_000;
/** Answers of the root since the last evidence that make a recovery. */
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
  const silence = at - incident.lastAt;
  if (silence < SILENCE_MS) {
    return 'failing';
  }
  if (incident.activity === 'recovered' || (answers.get(incident.root) ?? 0) > 0 || hasEnded(incident)) {
    return 'recovered';
  }
  return silence >= QUIET_MS ? 'quiet' : incident.activity;
}

/** Every sender has told that it is over. */
function hasEnded({ members }: Incident): boolean {
  return members.size > 0 && [...members.values()].every(({ evidence }) => evidence.hasEnded);
}
