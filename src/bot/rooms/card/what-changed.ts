import type { Severity, TimelineEntry } from '../../../contract/resources.ts';
import { SIGNAL_TYPES } from '../../../contract/resources.ts';
import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { capitalized, plural } from '../../../incident/phrase.ts';
import { isWorse } from '../../../incident/severity.ts';
import { arrow, code, formattedInline, inline } from '../../blocks/mrkdwn.ts';
import { byName, type Who } from '../../blocks/people-words.ts';
import { acknowledgedWords, endedWords, said, stateSentence } from '../../incident/incident-words.ts';
import type { Facts } from './facts.ts';

/** Fewer new signals are not reported, even if the count has doubled. */
const LEAST_GROWTH = 10;
const NAMED_SERVICES = 5;
const NAMED_ALERTS = 3;
const NAME_LENGTH = 80;
const NOTE_LENGTH = 300;
const REASON_LENGTH = 300;

export interface Change {
  /** One complete line per change; empty: nothing worth reporting. */
  readonly lines: readonly string[];
  /** What has been reported once the lines are posted; the baseline of the next comparison. */
  readonly told: Facts;
}

/**
 * Compares what was last reported with what the card shows now. Reports a new state, a new service, a higher severity,
 * another root, further alerts and a doubled signal count. Reports nothing after the line that says an incident is closed. Comparing
 * `told` with the same facts again gives no lines.
 *
 * @param who names a person who was replaced in a role, so that they are told
 */
export function whatChanged(before: Facts, after: Facts, who: Who = byName): Change {
  if (before.status === 'closed' && after.status === 'closed') {
    return { lines: [], told: before };
  }
  const growth = growthLine(before, after);
  const counted = growth === '' ? before : after;
  return {
    lines: [
      growth,
      alertLine(before, after),
      ...rootLines(before, after),
      ...steerLines(before, after, who),
      ...stateLines(before, after),
    ].filter((line) => line !== ''),
    told: {
      ...after,
      signal_count: counted.signal_count,
      signals_by_type: counted.signals_by_type,
      counted_at: counted.counted_at,
      // A service that disappears and comes back is not new.
      services: [...new Set([...before.services, ...after.services])],
      ...(after.alerts !== undefined && { alerts: [...new Set([...(before.alerts ?? []), ...after.alerts])] }),
      severity: worst(before.severity, after.severity),
    },
  };
}

/** "Also firing: db-1: Full: less than 3 % left (/mnt/b)": an alert that joins is never silent. */
function alertLine({ alerts: told = [] }: Facts, { alerts = [], status }: Facts): string {
  const joined = told.length === 0 || status !== 'open' ? [] : alerts.filter((alert) => !told.includes(alert));
  const named = joined.slice(0, NAMED_ALERTS).map((alert) => inline(alert, REASON_LENGTH));
  const more = joined.length - named.length;
  return named.length === 0
    ? ''
    : `Also firing: ${named.join('; ')}${more > 0 ? `; and ${plural(more, 'more alert')}` : ''}`;
}

/** "Root changed: orders-db -> bank-gateway, because checkout -> bank-gateway: 40 of 40 calls failed." */
function rootLines({ root_changes: told = [] }: Facts, { root_changes: changes = [], status }: Facts): string[] {
  const toldUntil = Math.max(...told.map(({ at: changedAt }) => Date.parse(changedAt)));
  return changes
    .filter(({ at: changedAt }) => status === 'open' && Date.parse(changedAt) > toldUntil)
    .map(({ from, to, because }) => {
      const reason = inline(because, REASON_LENGTH).replace(/\.$/, '');
      return `Root changed: ${arrow(code(from, NAME_LENGTH), code(to, NAME_LENGTH))}${reason === '' ? '' : `, because ${reason}`}.`;
    });
}

/** "Ana leads instead of @ben", "Severity set by hand: critical": what people changed. */
function steerLines(before: Facts, after: Facts, who: Who): string[] {
  const roles = [
    ['lead', 'leads'],
    ['communications', 'communicates'],
  ] as const;
  const lines = roles.flatMap(([role, does]) => {
    const [was, is] = [before[role] ?? null, after[role] ?? null];
    const instead = was === null ? '' : ` instead of ${who(was)}`;
    return was === is ? [] : [`${is === null ? 'Nobody' : byName(is)} ${does}${instead}`];
  });
  const own = { title: after.title, severity: after.severity, root_service: after.services[0] };
  for (const [field, name] of SET_FIELDS) {
    const [was, is] = [before.detected ?? {}, after.detected ?? {}].map((detected) => field in detected);
    const shown = inline(own[field] ?? '', NOTE_LENGTH);
    if (is && (!was || (field !== 'root_service' && before[field] !== after[field]))) {
      lines.push(`${name} set by hand: ${shown}`);
    }
    if (was && !is) {
      lines.push(`${name} is what the service finds again: ${shown}`);
    }
  }
  return lines;
}

const SET_FIELDS = [
  ['title', 'Title'],
  ['severity', 'Severity'],
  ['root_service', 'Root'],
] as const;

function stateLines(before: Facts, after: Facts): string[] {
  const lines: string[] = [];
  if (before.status === 'closed') {
    const who = takenBackBy(after, 'reopened', before.closed_at);
    lines.push(
      who === null ? 'Open again' : `Open again, reopened by ${who.user}${who.reason === '' ? '' : `: ${who.reason}`}`,
    );
  }
  if (isOver(after) && !isOver(before)) {
    lines.push(capitalized(endedWords(after)));
  }
  if (after.status === 'open' && (recurs(before, after) || (isOver(before) && !isOver(after)))) {
    const { recurrences = 0 } = after;
    lines.push(recurs(before, after) ? `Failing again, ${recurrences + 1} times so far` : 'Failing again');
  }
  if (isAcknowledged(after) && !isAcknowledged(before)) {
    lines.push(acknowledgedWords(after));
  }
  if (isAcknowledged(before) && !isAcknowledged(after) && after.status === 'open') {
    const who = takenBackBy(after, 'unacknowledged', before.acknowledged_at);
    const reason = who === null || who.reason === '' ? '' : ` (${who.reason})`;
    lines.push(`No longer acknowledged${who === null ? '' : `: ${who.user} took back the acknowledgement${reason}`}`);
  }
  if (after.status === 'closed') {
    const note = noteWords(after.resolution_note ?? '');
    lines.push(said([stateSentence(after), note], ': '));
  }
  return lines;
}

/** Truncates a long note, and says how many characters are left out. */
function noteWords(note: string): string {
  const more = note.length - NOTE_LENGTH;
  return `${formattedInline(note, NOTE_LENGTH)}${more > 0 ? ` (${plural(more, 'more character')} in Show)` : ''}`;
}

/** Who took back what was done at that time; null: not known. */
function takenBackBy(
  { taken_back: entry }: Facts,
  event: TimelineEntry['event'],
  doneAt: string | null | undefined,
): { readonly user: string; readonly reason: string } | null {
  const isOfThis = entry?.event === event && Date.parse(entry.at) >= Date.parse(doneAt ?? '');
  return isOfThis && entry.by !== undefined
    ? { user: byName(entry.by), reason: inline(entry.text ?? '', REASON_LENGTH) }
    : null;
}

/** "+37 signals in 5 min (traces 12→40), new service `payments`" */
function growthLine(before: Facts, after: Facts): string {
  const grown = after.signal_count - before.signal_count;
  const isDoubled = grown >= LEAST_GROWTH && after.signal_count >= 2 * before.signal_count;
  const services = after.services.filter((name) => !before.services.includes(name));
  const isRisen = isWorse(after.severity, before.severity);
  if (!isDoubled && services.length === 0 && !isRisen) {
    return '';
  }
  const line = [
    grown > 0 ? `+${plural(grown, 'signal')} in ${spanWords(before, after)}${typeWords(before, after)}` : '',
    serviceWords(services),
    isRisen ? `severity now ${after.severity}, before ${before.severity}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
  return capitalized(line);
}

/** Whether the failure came back after it had stopped. */
function recurs({ recurrences: before = 0 }: Facts, { recurrences: after = 0 }: Facts): boolean {
  return after > before;
}

function isOver({ signals_ended_at: endedAt }: Facts): boolean {
  return (endedAt ?? null) !== null;
}

function typeWords({ signals_by_type: before }: Facts, { signals_by_type: after }: Facts): string {
  if (before === undefined || after === undefined) {
    return '';
  }
  const parts = SIGNAL_TYPES.filter((type) => after[type] > before[type]).map(
    (type) => `${type}s ${before[type].toLocaleString('en')}→${after[type].toLocaleString('en')}`,
  );
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function serviceWords(services: readonly string[]): string {
  if (services.length === 0) {
    return '';
  }
  const named = services.slice(0, NAMED_SERVICES).map((name) => code(name, NAME_LENGTH));
  const rest = services.length - named.length;
  const more = rest > 0 ? ` and ${rest.toLocaleString('en')} more` : '';
  return `new ${services.length === 1 ? 'service' : 'services'} ${named.join(', ')}${more}`;
}

function spanWords(before: Facts, after: Facts): string {
  const minutes = Math.max(1, Math.round((Date.parse(after.counted_at) - Date.parse(before.counted_at)) / 60_000));
  return minutes < 120 ? `${minutes} min` : plural(Math.round(minutes / 60), 'hour');
}

function worst(one: Severity | undefined, other: Severity | undefined): Severity | undefined {
  return isWorse(one, other) ? one : (other ?? one);
}
