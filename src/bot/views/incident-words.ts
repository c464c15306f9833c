import type { Incident, IncidentSummary, Severity, Signal } from '../../contract/resources.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import { capitalized, plural } from '../../incident/phrase.ts';
import { acknowledgedBy, isOnlyDeclared, muteWord, othersPhrase } from '../../incident/words.ts';
import { COMMANDS } from '../domain/ids.ts';
import { code, dateToken, duration, inline, link, sinceToken } from './mrkdwn.ts';
import { byName, type Who } from './people-words.ts';
import { phrase } from './phrase.ts';

const TITLE_LENGTH = 200;
const NAME_LENGTH = 200;
/** Characters of the reason of a mute. The list of rules and mutes has all of it. */
const REASON_LENGTH = 60;

type Acknowledgeable = Pick<IncidentSummary, 'acknowledged' | 'acknowledged_at' | 'acknowledged_by'>;
type Nameable = Pick<IncidentSummary, 'id' | 'number' | 'title' | 'root_service' | 'url'>;

/** Why a condition on labels does nothing. */
export const NO_LABELS = 'This incident service reports no labels, so a condition on them matches every incident.';

/** What people type after a command: `#142`, or the id if the service has no numbers. */
export function reference(incident: Pick<IncidentSummary, 'id' | 'number'>): string {
  return incident.number === undefined ? inline(incident.id, NAME_LENGTH) : `#${incident.number}`;
}

/** Reference and title in one line, linked to the incident's page if the service has one. */
export function headline(incident: Nameable, titleLength?: number): string {
  return link(incident.url, plainHeadline(incident, titleLength));
}

export function plainHeadline(incident: Nameable, titleLength = TITLE_LENGTH): string {
  const title = inline(incident.title ?? incident.root_service, titleLength);
  return `${reference(incident)} ${title}`;
}

export function rootService(incident: Pick<IncidentSummary, 'root_service'>): string {
  return code(incident.root_service, NAME_LENGTH);
}

/** The counts by type are in the details, because they do not help to decide. */
export function signalTotal(incident: Pick<IncidentSummary, 'signal_count'>): string {
  return plural(incident.signal_count, 'signal');
}

/** Distinct from the symbols of the state. */
const SEVERITY_SIGNS = { critical: '🚨', error: '🔺', warning: '🔸', info: '🔹' } as const satisfies Record<
  Severity,
  string
>;

/** "🚨 Critical"; empty if the service does not report it. */
export function severityWords({ severity }: Pick<IncidentSummary, 'severity'>): string {
  return severity === undefined ? '' : `${SEVERITY_SIGNS[severity]} ${capitalized(severity)}`;
}

/** "Acknowledged by ana, 10:02"; empty if not acknowledged. Still true after closing. */
export function acknowledgedWords(incident: Acknowledgeable, who: Who = byName): string {
  return isAcknowledged(incident) ? `Acknowledged${phrase(acknowledgedBy(incident), who)}` : '';
}

/** "ana leads, ben communicates"; empty if nobody is assigned. */
export function roleWords(
  { lead, communications }: Pick<IncidentSummary, 'lead' | 'communications'>,
  who: Who = byName,
): string {
  return [lead == null ? '' : `${who(lead)} leads`, communications == null ? '' : `${who(communications)} communicates`]
    .filter((words) => words !== '')
    .join(', ');
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

/** "lasted 14 min"; empty if the service does not say when it was closed. */
export function lastedWords({
  opened_at: openedAt,
  closed_at: closedAt,
}: Pick<IncidentSummary, 'opened_at' | 'closed_at'>): string {
  const lastedMs = Date.parse(closedAt ?? '') - Date.parse(openedAt);
  return lastedMs >= 0 ? `lasted ${duration(lastedMs)}` : '';
}

/** "🔕 Muted until 12:00 by ana: planned work"; empty if it is not muted. */
export function mutedWords({ mute }: Pick<IncidentSummary, 'mute'>, who: Who = byName): string {
  if (mute === null || mute === undefined) {
    return '';
  }
  const reason = (mute.reason ?? '').trim();
  const why = reason === '' ? '' : `: ${inline(reason, REASON_LENGTH)}`;
  return `🔕 ${muteWord(mute)} until ${dateToken(mute.until)}${by(mute.created_by, who)}${why}`;
}

/** "all signals ended 10:02"; empty while one continues, or if the service does not report it. */
export function endedWords({ signals_ended_at: endedAt }: Pick<IncidentSummary, 'signals_ended_at'>): string {
  return endedAt ? `all signals ended ${dateToken(endedAt)}` : '';
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

export function by(user: string | null | undefined, who: Who = byName): string {
  return user === null || user === undefined ? '' : ` by ${who(user)}`;
}

export function at(moment: string | null | undefined): string {
  return moment === null || moment === undefined ? '' : `, ${dateToken(moment)}`;
}
