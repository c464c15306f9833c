import type { FailingCall, IncidentSummary } from '../../contract/resources.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { by, reference, rootService } from './incident-words.ts';
import { agoToken, arrow, capitalized, code, dateToken, inline, link, plural } from './mrkdwn.ts';

/** Said to people who close an incident that still fails. The service opens another one if it goes on. */
export const GOES_ON = "I'll post a new card if it goes on after 10 minutes.";

const NAMED_CALLS = 2;
const NAMED_FIXES = 2;
const NAME_LENGTH = 80;
const NOTE_LENGTH = 120;

type Active = Pick<IncidentSummary, 'status' | 'activity' | 'activity_since' | 'last_seen_at'>;

export function isFailing({ activity }: Pick<IncidentSummary, 'activity'>): boolean {
  return activity === 'failing';
}

/** "Still failing, last seen 20 seconds ago"; empty if the service does not report it. */
export function activityWords(incident: Active): string {
  const { status, activity } = incident;
  if (status === 'closed' && activity !== 'recovered') {
    return ''; // not followed for long after closing
  }
  const words = capitalized(shortActivity(incident));
  return activity === 'quiet' ? `${words}: nothing was seen, nobody knows whether it works` : words;
}

/** "still failing, last seen 20 seconds ago", for a line of a list. */
export function shortActivity({ activity, activity_since: since, last_seen_at: seenAt }: Active): string {
  switch (activity) {
    case 'failing':
      return `still failing${seenAt === undefined ? '' : `, last seen ${agoToken(seenAt)}`}`;
    case 'quiet':
      return since === undefined ? 'quiet' : `quiet since ${dateToken(since)}`;
    case 'recovered':
      return since === undefined ? 'recovered' : `recovered ${dateToken(since)}`;
    case undefined:
      return '';
    default:
      return activity satisfies never;
  }
}

/** "Impact: checkout -> payments: 208 of 216 calls failed; web -> checkout: …; and 3 more calls" */
export function impactWords({ impact = [] }: Pick<IncidentSummary, 'impact'>): string {
  if (impact.length === 0) {
    return '';
  }
  const rest = impact.length - NAMED_CALLS;
  const more = rest > 0 ? [`and ${plural(rest, 'more call')}`] : [];
  return `Impact: ${[...impact.slice(0, NAMED_CALLS).map(callWords), ...more].join('; ')}`;
}

function callWords({ from, to, calls, failed }: FailingCall): string {
  const path = arrow(code(from, NAME_LENGTH), code(to, NAME_LENGTH));
  return `${path}: ${failed.toLocaleString('en')} of ${plural(calls, 'call')} failed`;
}

/** The root service, or "unsure: payments or inventory". */
export function rootWords(incident: Pick<Snapshot, 'root_service' | 'possible_roots'>): string {
  const { possible_roots: roots = [] } = incident;
  return roots.length === 0
    ? rootService(incident)
    : `unsure: ${roots.map((service) => code(service, NAME_LENGTH)).join(' or ')}`;
}

/** "Part of #3: inventory" with a link; empty if it was not merged. */
export function mergedWords({ merged_into: intoId }: Snapshot, related: readonly Snapshot[]): string {
  if (intoId === null || intoId === undefined) {
    return '';
  }
  const into = related.find(({ id }) => id === intoId);
  return into === undefined
    ? `Part of ${reference({ id: intoId })}`
    : `Part of ${link(into.url, `${reference(into)}: ${inline(into.root_service, NAME_LENGTH)}`)}`;
}

/** What came before an open incident: the one that it continues, and how the same failure was fixed. */
export function historyLines(incident: Snapshot, related: readonly Snapshot[]): string[] {
  if (incident.status === 'closed') {
    return [];
  }
  const { previous_incident_id: previousId, similar = [] } = incident;
  const previous = [...related, ...similar].find(({ id }) => id === previousId);
  const fixes = similar
    .filter(({ id }) => id !== previousId)
    .slice(0, NAMED_FIXES)
    .map((fix) => {
      const who = inline(fix.resolved_by ?? '', NAME_LENGTH);
      return `${reference(fix)}, ${noteWords(fix)} (${who}, ${agoToken(fix.closed_at)})`;
    });
  return [
    previous === undefined ? '' : continuesWords(previous),
    fixes.length === 0 ? '' : `Happened before: ${fixes.join('; ')}`,
  ].filter((line) => line !== '');
}

/** "Continues #12, closed by Ana: rolled back" */
function continuesWords(
  previous: Pick<Snapshot, 'id' | 'number' | 'closed_at' | 'resolved_by' | 'resolution_note'>,
): string {
  const note = noteWords(previous);
  const closed =
    (previous.closed_at ?? null) !== null ? `, closed${by(previous.resolved_by)}${note === '' ? '' : `: ${note}`}` : '';
  return `Continues ${reference(previous)}${closed}`;
}

function noteWords({ resolution_note: note }: Pick<Snapshot, 'resolution_note'>): string {
  return inline(note ?? '', NOTE_LENGTH);
}
