import type { Incident, IncidentSummary, Signal } from '../../contract/resources.ts';
import { deployedWords } from '../../incident/deploys.ts';
import { plural } from '../../incident/phrase.ts';
import { impactPhrase, isOnlyDeclared, othersPhrase } from '../../incident/words.ts';
import { COMMANDS } from '../blocks/ids.ts';
import { agoToken, code, dateToken, formattedInline, inline, link, sinceToken } from '../blocks/mrkdwn.ts';
import { byName, type Who } from '../blocks/people-words.ts';
import { phrase } from '../blocks/phrase.ts';
import { by, lastedWords, reference, wholeMinutes } from './incident-words.ts';
import type { Snapshot } from './snapshot.ts';

/** What the small print of a card and Show add to the lines of an incident. */

/** Why a condition on labels does nothing. */
export const NO_LABELS = 'This incident service reports no labels, so a condition on them matches every incident.';

/** Added to answers about closing an incident that still fails. The service opens another one if it continues. */
export const GOES_ON = "I'll post a new card if it goes on after 10 minutes.";

const TITLE_LENGTH = 200;
const NAME_LENGTH = 80;
const NAMED_FIXES = 2;
const NOTE_LENGTH = 120;
const NAMED_CHANGES = 2;
/** Minutes in the picture of the rate. */
const SHOWN_MINUTES = 10;
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** The counts by type are in the details, because they do not help to decide. */
export function signalTotal(incident: Pick<IncidentSummary, 'signal_count'>): string {
  return plural(incident.signal_count, 'signal');
}

/** "✏️ Set by hand: severity (found: error)"; empty if the service's own view is shown, or found nothing yet. */
export function byHandWords(
  incident: Pick<IncidentSummary, 'detected' | 'declared_by'> &
    Partial<Pick<IncidentSummary, 'signal_count' | 'declarations'>>,
): string {
  const { detected = {} } = incident;
  const { title, severity, root_service: root } = detected;
  const isFound = !isOnlyDeclared(incident);
  const fields = [
    ['title', title == null ? undefined : `“${inline(title, TITLE_LENGTH)}”`, isFound && 'title' in detected],
    ['severity', severity, isFound && 'severity' in detected],
    ['root', root == null ? undefined : code(root, NAME_LENGTH), 'root_service' in detected],
  ] as const;
  const words = fields.flatMap(([name, found, isSet]) => (isSet ? [`${name} (found: ${found ?? 'nothing'})`] : []));
  return words.length === 0 ? '' : `✏️ Set by hand: ${words.join(', ')}`;
}

/** "Declared by ana"; empty if signals opened it. */
export function declaredWords({ declared_by: user }: Pick<IncidentSummary, 'declared_by'>, who: Who = byName): string {
  return user == null ? '' : `Declared by ${who(user)}`;
}

/** "opened Today at 10:02, 14 minutes ago"; of a closed one "opened Today at 10:02, lasted 14 min". */
export function openedWords(incident: Pick<IncidentSummary, 'status' | 'opened_at' | 'closed_at'>): string {
  const { status, opened_at: openedAt } = incident;
  if (status === 'open') {
    return `opened ${sinceToken(openedAt)}`;
  }
  const lasted = lastedWords(incident);
  return `opened ${dateToken(openedAt)}${lasted === '' ? '' : `, ${lasted}`}`;
}

/** "1,990 more characters: `/incidents show #6`" */
export function restWords(
  incident: Pick<Incident, 'id' | 'number'>,
  rest: string,
  command: 'show' | 'export' = 'show',
): string {
  return `${plural(rest.length, 'more character')}: \`${COMMANDS.incidents} ${command} ${reference(incident)}\``;
}

/** The affected services other than the root service, at most `most` of them by name. */
export function otherServices(incident: Pick<IncidentSummary, 'root_service' | 'services'>, most: number): string {
  return phrase(othersPhrase(incident, most));
}

export function signalLine(signal: Signal): string {
  const what = signal.summary ?? signal.body ?? `${signal.type} signal`;
  const times = (signal.occurrences ?? 1) > 1 ? ` ×${(signal.occurrences ?? 1).toLocaleString('en')}` : '';
  const ended = signal.ended_at ? `, ended ${dateToken(signal.ended_at)}` : '';
  return `${signal.type} ${code(signal.service, 80)} ${inline(what, 200)}${times}${ended}`;
}

/** A warning that the state may be out of date; empty while it is fresh. */
export function staleWords(staleSince: Date | null): string {
  return staleSince === null
    ? ''
    : `⚠️ As of ${dateToken(staleSince.toISOString())}: the incident service has not responded since`;
}

/** "Impact: checkout -> payments: 208 of 216 calls failed; web -> checkout: …; and 3 more calls" */
export function impactWords({ impact = [] }: Pick<IncidentSummary, 'impact'>): string {
  return impact.length === 0 ? '' : `Impact: ${phrase(impactPhrase(impact))}`;
}

/**
 * "Changed: `payments` 1.8.2 deployed 3 min before the first failure"; empty if the service knows of no deployment.
 *
 * @param as `short`: one deployment, without the heading
 */
export function changedWords(
  { changes = [], opened_at: openedAt }: Pick<Snapshot, 'changes' | 'opened_at'>,
  as: 'short' | 'whole' = 'whole',
): string {
  const named = changes.slice(0, as === 'short' ? 1 : NAMED_CHANGES).map((change) => {
    const { service, version } = change;
    const what = [code(service, NAME_LENGTH), inline(version ?? '', NAME_LENGTH)].filter((word) => word !== '');
    return `${what.join(' ')} ${deployedWords(change, openedAt)}`;
  });
  return named.length === 0 ? '' : `${as === 'short' ? '' : 'Changed: '}${named.join('; ')}`;
}

/** "Only in version 1.4.2": where all lost requests ran, and next to no good one; empty if that is not known. */
export function onlyWords({ only_in: only, root_reason: reason = '' }: Snapshot): string {
  return only === undefined || reason.includes(only.value)
    ? ''
    : `Only in ${only.attribute} ${code(only.value, NAME_LENGTH)}`;
}

/** "▁▂▂▇█▇": failures in each of the last whole minutes; empty if one minute or a steady one says no more than a number. */
export function rateBars(incident: Snapshot): string {
  const counts = wholeMinutes(incident).counts.slice(-SHOWN_MINUTES);
  const most = Math.max(0, ...counts);
  const bars = counts.map((count) => bar(count, most)).join('');
  return counts.length < 2 || most <= 1 ? '' : `${bars} failures a minute`;
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

/**
 * What came before an open incident: the one that it continues, and how the same failure was fixed.
 *
 * @param as `short`: the one that says most, without when
 */
export function historyLines(
  incident: Snapshot,
  related: readonly Snapshot[],
  who: Who,
  as: 'short' | 'whole' = 'whole',
): string[] {
  if (incident.status === 'closed') {
    return [];
  }
  const { previous_incident_id: previousId, similar = [], title } = incident;
  const previous = [...related, ...similar].find(({ id }) => id === previousId);
  const others = similar.filter(({ id }) => id !== previousId);
  const fixes = [...others.filter((fix) => fix.title === title), ...others.filter((fix) => fix.title !== title)];
  const continued = previous === undefined ? '' : continuesWords(previous, who);
  if (as === 'short') {
    const isFixKnown = (previous?.resolution_note ?? '') !== '';
    const [fix] = isFixKnown ? [] : fixes;
    return [continued, fix === undefined ? '' : `Fixed before: ${reference(fix)}, ${noteWords(fix)}`];
  }
  const happened = fixes.slice(0, NAMED_FIXES).map((fix) => {
    return `${reference(fix)}, ${noteWords(fix)} (${who(fix.resolved_by ?? '')}, ${agoToken(fix.closed_at)})`;
  });
  return [continued, happened.length === 0 ? '' : `Happened before: ${happened.join('; ')}`];
}

/** "Continues #12, closed by Ana: rolled back", or "Continues #12, which is still open" */
function continuesWords(
  previous: Pick<Snapshot, 'id' | 'number' | 'closed_at' | 'resolved_by' | 'resolution_note'> &
    Partial<Pick<Snapshot, 'status'>>,
  who: Who,
): string {
  if ((previous.closed_at ?? null) === null) {
    return `Continues ${reference(previous)}${previous.status === 'open' ? ', which is still open' : ''}`;
  }
  const note = (previous.resolution_note ?? '') === '' ? '' : `: ${noteWords(previous)}`;
  return `Continues ${reference(previous)}, closed${by(previous.resolved_by, who)}${note}`;
}

function noteWords({ resolution_note: note }: Pick<Snapshot, 'resolution_note'>): string {
  return formattedInline(note ?? '', NOTE_LENGTH);
}
