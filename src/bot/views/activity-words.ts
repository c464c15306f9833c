import type { IncidentSummary } from '../../contract/resources.ts';
import { deployedWords } from '../../incident/deploys.ts';
import { harmCount } from '../../incident/harm.ts';
import { capitalized, capitalizedPhrase } from '../../incident/phrase.ts';
import { activityPhrase, impactPhrase, rootPhrase, shortActivityPhrase } from '../../incident/words.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { by, reference, rootService } from './incident-words.ts';
import { agoToken, code, cut, formattedInline, inline, link } from './mrkdwn.ts';
import { byName, type Who } from './people-words.ts';
import { phrase } from './phrase.ts';

/** Added to answers about closing an incident that still fails. The service opens another one if it continues. */
export const GOES_ON = "I'll post a new card if it goes on after 10 minutes.";

const NAMED_FIXES = 2;
const NAME_LENGTH = 80;
const NOTE_LENGTH = 120;
/** Characters of a note below which it says nothing. */
const LEAST_NOTE = 20;
const REASON_LENGTH = 250;
const NAMED_CHANGES = 2;
const TAUGHT_BY_LENGTH = 20;
/** Minutes in the picture of the rate; more would wrap on a phone. */
const SHOWN_MINUTES = 10;
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

type Active = Parameters<typeof activityPhrase>[0];

/** "Still failing, last seen 20 seconds ago"; empty if the service does not report it. */
export function activityWords(incident: Active): string {
  return phrase(capitalizedPhrase(activityPhrase(incident)));
}

/** "still failing, last seen 20 seconds ago", for a line of a list. */
export function shortActivity(incident: Active): string {
  return phrase(shortActivityPhrase(incident));
}

/** "Impact: checkout -> payments: 208 of 216 calls failed; web -> checkout: …; and 3 more calls" */
export function impactWords({ impact = [] }: Pick<IncidentSummary, 'impact'>): string {
  return impact.length === 0 ? '' : `Impact: ${phrase(impactPhrase(impact))}`;
}

/** The root service, or "unsure: payments or inventory". */
export function rootWords(incident: Pick<Snapshot, 'root_service' | 'possible_roots'>): string {
  const { possible_roots: roots = [] } = incident;
  return roots.length === 0 ? rootService(incident) : phrase(rootPhrase(incident.root_service, roots));
}

/** Lines for the details: what the card says in short or leaves out. */
export function furtherLines(incident: Snapshot, related: readonly Snapshot[], who: Who): string[] {
  return [
    incident.activity === 'failing' ? activityWords(incident) : '',
    impactWords(incident),
    changedWords(incident),
    ...historyLines(incident, related, who),
  ].filter((line) => line !== '');
}

export interface Reason {
  /** "logs a line that it never logged before: timeout", after "Root service `bank`: ". */
  readonly short: string;
  /** The same in a line of its own: "Logs a line …". A service that it begins with stays as it is written. */
  readonly line: string;
}

/** "Root as Ana set in #1, not `payments`", without its end if a line has no room for it; empty if nobody taught the root. */
export function taughtRootWords({ taught_root: taught, status }: Snapshot, lineLength: number): string {
  if (taught === undefined || status === 'closed') {
    return '';
  }
  const who = byName((taught.by ?? 'somebody').replace(/ \(by key .*\)$/, ''));
  const words = `Root as ${cut(who, TAUGHT_BY_LENGTH)} set in #${taught.incident}`;
  const whole = `${words}, not ${code(taught.found, NAME_LENGTH)}`;
  return whole.length > lineLength ? words : whole;
}

/** The service's strongest reason; empty if another line of the card says the same, or there is none. */
export function reasonWords(incident: Snapshot): Reason {
  const {
    root_reason: reason = '',
    impact = [],
    changes = [],
    status,
    title = '',
    root_service: root,
    harm,
    taught_root: taught,
  } = incident;
  const isSaid =
    title.includes(reason) ||
    changes
      .slice(0, NAMED_CHANGES)
      .some(({ service, version }) => reason.startsWith(`${service} ${version} deployed`)) ||
    impact.slice(0, 1).some(({ from, to }) => reason.startsWith(`${from} -> ${to}`));
  if (reason === '' || isSaid || status === 'closed' || taught !== undefined) {
    return { short: '', line: '' };
  }
  const whole = reason.replace(/\.$/, '');
  const ofRoot = withoutSubject(whole, root);
  const sentence = harmCount(harm) === '' ? ofRoot : withoutCounts(ofRoot);
  const short = inline(withoutEnd(sentence, title), REASON_LENGTH);
  return { short, line: ofRoot === whole ? short : capitalized(short) };
}

/** "bank logs a line" and "bank: 51 of 51 requests failed here" without the root service, which the card names. */
function withoutSubject(reason: string, root: string): string {
  const isOfRoot = reason.startsWith(`${root}: `) || reason.startsWith(`${root} `);
  return isOfRoot && !reason.startsWith(`${root} ->`) ? reason.slice(root.length).replace(/^:? /, '') : reason;
}

/** "12 of 40 requests failed in payments-1 alone in 2 min" without the counts and their period, if the harm has them. */
function withoutCounts(reason: string): string {
  const counts = /(?:, in )?[\d,]+ of [\d,]+ requests? ?/;
  return counts.test(reason)
    ? reason
        .replace(/ in \d+ min$/, '')
        .replace(counts, '')
        .replace(/^failed here$/, '')
    : reason;
}

/** "a new line: timeout" without an end that the title has; empty if the title has all of it, in these or other words. */
function withoutEnd(reason: string, title: string): string {
  const calls = /^(?:failed|were slow) in ((?:its )?calls .+)$/.exec(reason)?.[1];
  if (title.includes(reason) || (calls !== undefined && title.includes(`: ${calls} `))) {
    return '';
  }
  const end = /: ([^:]+)$/.exec(reason)?.[1] ?? '';
  return end !== '' && title.includes(end) ? reason.slice(0, -end.length - 2) : reason;
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

type Rated = Pick<IncidentSummary, 'status' | 'activity' | 'failures_per_minute'>;

/**
 * The rate of the last minutes: "now 46", "failures", "▁▂▂▇█▇". null: the service does not report it, or it says nothing:
 * one minute, or at most one failure a minute. How often the stored rate is replaced is decided by `mergeSnapshot`.
 */
export function rateOf(incident: Rated) {
  const counts = (incident.failures_per_minute?.counts ?? []).slice(-SHOWN_MINUTES);
  const last = counts.at(-1);
  const most = Math.max(...counts);
  if (last === undefined || most <= 1 || counts.length === 1) {
    return null;
  }
  const isFailing = incident.status === 'open' && (incident.activity ?? 'failing') === 'failing';
  const isGoingOn = isFailing && last > 0; // the minute may have just begun, and an alert that lasts is not repeated
  return {
    level: isGoingOn ? `now ${last.toLocaleString('en')}` : `at most ${most.toLocaleString('en')}`,
    unit: isGoingOn && last === 1 ? 'failure' : 'failures',
    bars: counts.map((count) => bar(count, most)).join(''),
  };
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
 * @param lineLength characters of a line, where only one fix is named, without when and by whom; null: two, with all
 */
export function historyLines(
  incident: Snapshot,
  related: readonly Snapshot[],
  who: Who,
  lineLength: number | null = null,
): string[] {
  if (incident.status === 'closed') {
    return [];
  }
  const { previous_incident_id: previousId, similar = [] } = incident;
  const previous = [...related, ...similar].find(({ id }) => id === previousId);
  const fixes = similar
    .filter(({ id }) => id !== previousId)
    .slice(0, lineLength === null ? NAMED_FIXES : 1)
    .map((fix) => {
      const closed = [who(fix.resolved_by ?? ''), agoToken(fix.closed_at)];
      return lineLength === null
        ? `${reference(fix)}, ${noteWords(fix)} (${closed.join(', ')})`
        : withNote([`Fixed before: ${reference(fix)}`, ', '], fix, lineLength);
    });
  const happened = fixes.join('; ');
  return [
    previous === undefined ? '' : continuesWords(previous, who, lineLength),
    fixes.length === 0 || lineLength !== null ? happened : `Happened before: ${happened}`,
  ].filter((line) => line !== '');
}

/** "Continues #12, closed by Ana: rolled back" */
function continuesWords(
  previous: Pick<Snapshot, 'id' | 'number' | 'closed_at' | 'resolved_by' | 'resolution_note'>,
  who: Who,
  lineLength: number | null,
): string {
  if ((previous.closed_at ?? null) === null) {
    return `Continues ${reference(previous)}`;
  }
  const closed = `Continues ${reference(previous)}, closed${by(previous.resolved_by, who)}`;
  return withNote([closed, ': '], previous, lineLength);
}

/** With as much of the note as fits into a line of `lineLength` characters; without it if that is next to nothing. */
function withNote(
  [words, separator]: readonly [string, string],
  { resolution_note: note }: Pick<Snapshot, 'resolution_note'>,
  lineLength: number | null,
): string {
  const room = lineLength === null ? NOTE_LENGTH : lineLength - words.length - separator.length;
  const isNoteShown = (note ?? '') !== '' && (room >= LEAST_NOTE || (note ?? '').length <= room);
  return isNoteShown ? `${words}${separator}${noteWords({ resolution_note: note }, room)}` : words;
}

function noteWords({ resolution_note: note }: Pick<Snapshot, 'resolution_note'>, length = NOTE_LENGTH): string {
  return formattedInline(note ?? '', length);
}
