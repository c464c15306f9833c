import type { FailingCall, IncidentSummary } from '../../contract/resources.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { by, reference, rootService } from './incident-words.ts';
import { agoToken, arrow, capitalized, code, dateToken, duration, inline, link, plural } from './mrkdwn.ts';
import type { Who } from './people-words.ts';

/** Said to people who close an incident that still fails. The service opens another one if it goes on. */
export const GOES_ON = "I'll post a new card if it goes on after 10 minutes.";

const NAMED_CALLS = 2;
const NAMED_FIXES = 2;
const NAME_LENGTH = 80;
const NOTE_LENGTH = 120;
const REASON_LENGTH = 250;
const NAMED_CHANGES = 2;
/** More would wrap on a phone. */
const SHOWN_MINUTES = 15;
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/** Up to it the root was right in 8 of 10 measured cases, above it in 9 of 10. */
const VERY_LIKELY_ABOVE = 60;

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

/** "Root service `payments`, likely (67 %)", or "Root service unsure: `payments` or `inventory`" */
export function explainedRoot(incident: Snapshot): string {
  const { possible_roots: roots = [], root_confidence: percent } = incident;
  const trust = roots.length > 0 || percent === undefined ? '' : `, ${likelihood(percent)} (${percent} %)`;
  return `Root service ${rootWords(incident)}${trust}`;
}

export function likelihood(percent: number): string {
  return percent > VERY_LIKELY_ABOVE ? 'very likely' : 'likely';
}

/** "Why: …", the service's strongest reason; empty if another line of the card says the same, or there is none. */
export function reasonWords({
  root_reason: reason = '',
  impact = [],
  changes = [],
  status,
  title = '',
}: Snapshot): string {
  const isSaid =
    title.includes(reason) ||
    changes
      .slice(0, NAMED_CHANGES)
      .some(({ service, version }) => reason.startsWith(`${service} ${version} deployed`)) ||
    impact.slice(0, NAMED_CALLS).some(({ from, to }) => reason.startsWith(`${from} -> ${to}`));
  return reason === '' || isSaid || status === 'closed' ? '' : `Why: ${inline(reason, REASON_LENGTH)}`;
}

/** "Changed: `payments` 1.8.2 deployed 3 min before it opened"; empty if the service knows of no deployment. */
export function changedWords({ changes = [], opened_at: openedAt }: Pick<Snapshot, 'changes' | 'opened_at'>): string {
  const named = changes.slice(0, NAMED_CHANGES).map(({ service, version, at }) => {
    const beforeMs = Date.parse(openedAt) - Date.parse(at);
    const what = [code(service, NAME_LENGTH), inline(version ?? '', NAME_LENGTH)].filter((word) => word !== '');
    return `${what.join(' ')} deployed ${duration(Math.abs(beforeMs))} ${beforeMs >= 0 ? 'before' : 'after'} it opened`;
  });
  return named.length === 0 ? '' : `Changed: ${named.join('; ')}`;
}

type Rated = Pick<IncidentSummary, 'status' | 'activity' | 'failures_per_minute'>;

/**
 * The rate of the last minutes, as a picture or in numbers: "Failures a minute ▁▁▂▇█▇, now 46". Empty if the service does
 * not report it, or nothing failed in these minutes. How often the stored rate is replaced is decided by `mergeSnapshot`.
 */
export function rateWords(incident: Rated, as: 'picture' | 'numbers'): string {
  const counts = (incident.failures_per_minute?.counts ?? []).slice(-SHOWN_MINUTES);
  const last = counts.at(-1);
  if (last === undefined) {
    return '';
  }
  const most = Math.max(...counts);
  const isGoingOn = incident.status === 'open' && (incident.activity ?? 'failing') === 'failing';
  if (most === 0 && !isGoingOn) {
    return '';
  }
  const level = isGoingOn ? `now ${last.toLocaleString('en')}` : `at most ${most.toLocaleString('en')}`;
  if (counts.length === 1) {
    return `Failures a minute: ${level}`;
  }
  return as === 'picture'
    ? `Failures a minute ${counts.map((count) => bar(count, most)).join('')}, ${level}`
    : `Failures a minute, oldest first: ${counts.join(' ')}, ${level}`;
}

/** Only zero has the lowest bar. */
function bar(count: number, most: number): string {
  const height = count === 0 ? 0 : Math.max(1, Math.round((count / most) * (BARS.length - 1)));
  return BARS[height] ?? '';
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
export function historyLines(incident: Snapshot, related: readonly Snapshot[], who: Who): string[] {
  if (incident.status === 'closed') {
    return [];
  }
  const { previous_incident_id: previousId, similar = [] } = incident;
  const previous = [...related, ...similar].find(({ id }) => id === previousId);
  const fixes = similar
    .filter(({ id }) => id !== previousId)
    .slice(0, NAMED_FIXES)
    .map((fix) => {
      const closed = [who(fix.resolved_by ?? ''), agoToken(fix.closed_at)];
      return `${reference(fix)}, ${noteWords(fix)} (${closed.join(', ')})`;
    });
  return [
    previous === undefined ? '' : continuesWords(previous, who),
    fixes.length === 0 ? '' : `Happened before: ${fixes.join('; ')}`,
  ].filter((line) => line !== '');
}

/** "Continues #12, closed by Ana: rolled back" */
function continuesWords(
  previous: Pick<Snapshot, 'id' | 'number' | 'closed_at' | 'resolved_by' | 'resolution_note'>,
  who: Who,
): string {
  const note = noteWords(previous);
  const closed =
    (previous.closed_at ?? null) !== null
      ? `, closed${by(previous.resolved_by, who)}${note === '' ? '' : `: ${note}`}`
      : '';
  return `Continues ${reference(previous)}${closed}`;
}

function noteWords({ resolution_note: note }: Pick<Snapshot, 'resolution_note'>): string {
  return inline(note ?? '', NOTE_LENGTH);
}
