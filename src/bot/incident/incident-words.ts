import type { FailingCall, IncidentSummary, Severity } from '../../contract/resources.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import { harmCount, hasMostlyFailed } from '../../incident/harm.ts';
import { capitalized, capitalizedPhrase, plural } from '../../incident/phrase.ts';
import {
  acknowledgedBy,
  activityPhrase,
  isOnlyDeclared,
  muteWord,
  rootPhrase,
  shortActivityPhrase,
  statePhrase,
} from '../../incident/words.ts';
import { agoToken, bold, code, dateToken, duration, inline, link } from '../blocks/mrkdwn.ts';
import { byName, type Who } from '../blocks/people-words.ts';
import { phrase } from '../blocks/phrase.ts';
import type { Snapshot } from './snapshot.ts';

/** The lines of whatever shows an incident: card, list row, storm, Home, reminder, link, handover and thread. */

const TITLE_LENGTH = 200;
const NAME_LENGTH = 200;
const CAUSE_LENGTH = 250;
/** Characters of the reason of a mute. The list of rules and mutes has all of it. */
const REASON_LENGTH = 60;

type Acknowledgeable = Pick<IncidentSummary, 'acknowledged' | 'acknowledged_at' | 'acknowledged_by'>;

type Nameable = Pick<IncidentSummary, 'id' | 'number' | 'title' | 'root_service' | 'url'>;

type Stated = Parameters<typeof statePhrase>[0];

type Rated = Pick<IncidentSummary, 'status' | 'activity' | 'failures_per_minute'>;
type Active = Parameters<typeof activityPhrase>[0];

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

/** Distinct from the symbols of the state. */
const SEVERITY_SIGNS = { critical: '🚨', error: '🔺', warning: '🔸', info: '🔹' } as const satisfies Record<
  Severity,
  string
>;

/** "🚨 Critical"; empty if the service does not report it. */
export function severityWords({ severity }: Pick<IncidentSummary, 'severity'>): string {
  return severity === undefined ? '' : `${SEVERITY_SIGNS[severity]} ${capitalized(severity)}`;
}

/** What fails, and its error in its own words: "*🚨 Critical* · *#142 payments: POST /charge fails (connection refused)*". */
export function whatFails(
  incident: Pick<IncidentSummary, 'id' | 'number' | 'title' | 'root_service' | 'url' | 'severity'>,
) {
  const severity = severityWords(incident);
  return said([severity === '' ? '' : bold(severity), bold(headline(incident))]);
}

const STATE_SIGNS = { unacknowledged: '🔴', acknowledged: '🟡', closed: '✅' } as const;

/** "🟡 *Acknowledged* by ana, 10:02": a symbol and words, so that nothing is conveyed by colour alone. */
export function stateWords(incident: Stated, who: Who = byName): string {
  const { kind, short, detail } = statePhrase(incident);
  return `${STATE_SIGNS[kind]} *${short}*${phrase(detail, who)}`;
}

/** The same without symbol and bold type, within a sentence. */
export function stateSentence(incident: Stated, who: Who = byName): string {
  const { short, detail } = statePhrase(incident);
  return `${short}${phrase(detail, who)}`;
}

/** Who has it, and since when: "🔴 *Not acknowledged* · ana leads · opened 14 minutes ago"; closed: "… · lasted 14 min". */
export function whoHasIt(incident: Snapshot, who: Who = byName): string {
  const age = incident.status === 'open' ? `opened ${agoToken(incident.opened_at)}` : lastedWords(incident);
  const isTaken = incident.status === 'open' && isAcknowledged(incident);
  const taken = `${STATE_SIGNS.acknowledged} *Acknowledged*${phrase(acknowledgedBy(incident, 'ago'), who)}`;
  return said([isTaken ? taken : stateWords(incident, who), age, roleWords(incident, who)]);
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

export function by(user: string | null | undefined, who: Who = byName): string {
  return user === null || user === undefined ? '' : ` by ${who(user)}`;
}

export function at(moment: string | null | undefined): string {
  return moment === null || moment === undefined ? '' : `, ${dateToken(moment)}`;
}

/**
 * Harm now: "Still failing · 208 of 216 requests failed · since 10:02", or "Still slow · …"; empty if nothing is known. A
 * service that does not count requests may tell of calls; without both, of failures a minute.
 */
export function harmNow(incident: Snapshot): string {
  const { activity, status, harm, impact: [worst] = [] } = incident;
  const isFailing = activity === 'failing' && status === 'open' && !isOnlyDeclared(incident);
  const state = status === 'open' ? shortActivity(incident) : activityWords(incident);
  const requests = harmCount(harm);
  const facts = [
    isFailing ? stillWords(harm) : state,
    activity === undefined ? endedWords(incident) : '',
    requests || (worst === undefined ? rateWords(incident) : callCount(worst)),
    harm && requests !== '' && isFailing ? `since ${dateToken(harm.since)}` : '',
  ];
  return capitalized(said(facts));
}

/** Slow requests are lost to people too, but they did not fail. */
function stillWords(harm: Snapshot['harm']): string {
  return harm && harm.requests > 0 && !hasMostlyFailed(harm) ? 'Still slow' : 'Still failing';
}

function callCount({ failed, calls }: FailingCall): string {
  return `${failed.toLocaleString('en')} of ${plural(calls, 'call')} failed`;
}

/**
 * "46 failures in the last minute"; of one that does not fail any more "at most 80 failures a minute". Only whole minutes
 * count. Empty: the service does not report it, or at most one failure a minute.
 */
function rateWords(incident: Rated): string {
  const { counts, isFailing } = wholeMinutes(incident);
  const [last = 0, most] = [counts.at(-1), Math.max(0, ...counts)];
  if (most <= 1) {
    return '';
  }
  return isFailing && last > 0
    ? `${plural(last, 'failure')} in the last minute`
    : `at most ${plural(most, 'failure')} a minute`;
}

/** The minute that runs is left out. */
export function wholeMinutes({ status, activity = 'failing', failures_per_minute: rate }: Rated) {
  const counts = rate?.counts ?? [];
  return {
    counts: status === 'open' ? counts.slice(0, -1) : counts,
    isFailing: status === 'open' && activity === 'failing',
  };
}

/** "Still failing, last seen 20 seconds ago"; empty if the service does not report it. */
export function activityWords(incident: Active): string {
  return phrase(capitalizedPhrase(activityPhrase(incident)));
}

/** "still failing, last seen 20 seconds ago", for a line of a list. */
export function shortActivity(incident: Active): string {
  return phrase(shortActivityPhrase(incident));
}

/**
 * The root and its cause: "Root service `payments`: logs a line that it never logged before", or "Root service unsure:
 * `payments` or `inventory`". Empty if the title names the root and no cause is known. How sure it is, Show says.
 */
export function rootLine(incident: Snapshot): string {
  const cause = causeWords(incident);
  const isNamed = (incident.possible_roots ?? []).length === 0 && isRootInTitle(incident);
  return isNamed && cause === '' ? '' : `Root service ${rootWords(incident)}${cause}`;
}

function isRootInTitle({ title, root_service: root }: Pick<Snapshot, 'title' | 'root_service'>): boolean {
  return (title ?? root).split(/[^\w.-]+/).includes(root);
}

/** The root service, or "unsure: payments or inventory". */
function rootWords(incident: Pick<Snapshot, 'root_service' | 'possible_roots' | 'detected'>): string {
  const { possible_roots: roots = [] } = incident;
  return roots.length === 0 || isRootByHand(incident)
    ? rootService(incident)
    : phrase(rootPhrase(incident.root_service, roots));
}

/** Whether a person set the root, so that what the service found is about another one. */
function isRootByHand({ detected }: Pick<Snapshot, 'detected'>): boolean {
  return detected?.root_service !== undefined && detected.root_service !== null;
}

/** ": logs a line that it never logged before", or who said so; empty if no cause is known, or the incident says it already. */
function causeWords(incident: Snapshot): string {
  const { root_reason: reason = '', impact = [], changes = [], status, title = '', taught_root: taught } = incident;
  if (isRootByHand(incident)) {
    return ', set by hand'; // the reason is that of the root which the service found
  }
  if (status === 'closed') {
    return '';
  }
  if (taught !== undefined) {
    const by = byName((taught.by ?? 'somebody').replace(/ \(by key .*\)$/, ''));
    return `, as ${by} set in #${taught.incident}, not ${code(taught.found, NAME_LENGTH)}`;
  }
  const isSaid =
    title.includes(reason) ||
    changes.some(({ service, version }) => reason.startsWith(`${service} ${version} deployed`)) ||
    impact.slice(0, 1).some(({ from, to }) => reason.startsWith(`${from} -> ${to}`));
  const ofRoot = withoutSubject(reason.replace(/\.$/, ''), incident.root_service);
  const sentence = harmCount(incident.harm) === '' ? ofRoot : withoutCounts(ofRoot);
  const cause = isSaid ? '' : inline(withoutEnd(sentence, title), CAUSE_LENGTH);
  return cause === '' ? '' : `: ${cause}`;
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

/** One incident among others: what fails, then all the rest. */
export function rowLines(incident: Snapshot, who: Who = byName): string {
  const muted = incident.status === 'open' ? mutedWords(incident, who) : '';
  return `${whatFails(incident)}\n${said([whoHasIt(incident, who), muted, harmNow(incident), rootLine(incident)])}`;
}

/** Joins what is not empty. */
export function said(words: readonly string[], separator = ' · '): string {
  return words.filter((each) => each !== '').join(separator);
}
