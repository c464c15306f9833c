import type { Incident, Signal } from '../../../contract/resources.ts';
import { harmPhrase } from '../../../incident/harm.ts';
import { type Moment, phraseText, plural } from '../../../incident/phrase.ts';
import { callPhrase, signalCount } from '../../../incident/words.ts';
import type { RecordedEntry } from '../../actions/audit-log.ts';
import { duration } from '../../blocks/mrkdwn.ts';
import { markdown, quotation } from './markdown.ts';

const MOST_SIGNALS = 50;

/** What happened, as Markdown. @param log what people did through the bot, oldest first, for services without a timeline */
export function incidentReport(incident: Incident, log: readonly RecordedEntry[], now: Date): string {
  return [
    `# Incident ${incident.number === undefined ? markdown(incident.id) : `#${incident.number}`}: ${markdown(incident.title ?? incident.root_service)}`,
    factLines(incident, now).join('\n'),
    ...section('Impact', impactLines(incident)),
    ...section('Timeline', timelineLines(incident, log)),
    ...section('Resolution', noteLines(incident)),
    ...section('What fired', signalLines(incident)),
    '',
  ].join('\n\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, lines.join('\n')];
}

function factLines(incident: Incident, now: Date): string[] {
  const { root_service: root, services = [], severity, opened_at: openedAt, closed_at: closedAt } = incident;
  const others = services.filter((name) => name !== root);
  const end = incident.status === 'closed' ? (closedAt ?? null) : now.toISOString();
  const lasted = end === null ? '' : duration(Date.parse(end) - Date.parse(openedAt));
  const facts: readonly (readonly [string, string])[] = [
    ['State', incident.status],
    ['Severity', severity ?? ''],
    ['Root service', markdown(root)],
    ['Other services', others.map(markdown).join(', ')],
    ['Opened', utc(openedAt)],
    ['Acknowledged', withPerson(incident.acknowledged_at, incident.acknowledged_by)],
    ['Leads', markdown(incident.lead ?? '')],
    ['Communicates', markdown(incident.communications ?? '')],
    ['Closed', incident.status === 'closed' ? withPerson(closedAt, incident.resolved_by) : ''],
    [incident.status === 'closed' ? 'Duration' : 'Open for', lasted],
    ['Harm', harmWords(incident)],
    ['Signals', signalCount(incident)],
  ];
  return facts.flatMap(([name, value]) => (value === '' ? [] : [`- ${name}: ${value}`]));
}

const SHOW = { moment: ({ at }: Moment) => utc(at), person: markdown, service: markdown };

function harmWords({ harm }: Incident): string {
  return phraseText(harmPhrase(harm), SHOW);
}

function impactLines({ impact = [] }: Incident): string[] {
  return impact.map((call) => `- ${phraseText(callPhrase(call), SHOW)}`);
}

/** The service's own timeline; otherwise what people did through the bot. */
function timelineLines({ timeline, opened_at: openedAt }: Incident, log: readonly RecordedEntry[]): string[] {
  if (timeline !== undefined) {
    return timeline.map(({ at, event, by, text }) => momentLine(at, event, by, text));
  }
  return [
    momentLine(openedAt, 'opened'),
    ...log.map(({ at, action, userName, slackUserId, outcome, detail }) =>
      momentLine(at.toISOString(), `${action}: ${outcome}`, userName ?? slackUserId, detail ?? undefined),
    ),
  ];
}

function momentLine(at: string, event: string, by?: string, text?: string): string {
  const who = by === undefined ? '' : ` by ${markdown(by)}`;
  const said = text === undefined || text === '' ? '' : `:\n${quotation(text).replace(/^/gm, '  ')}`;
  return `- ${utc(at)} ${markdown(event)}${who}${said}`;
}

function noteLines({ resolution_note: note }: Incident): string[] {
  return (note ?? '') === '' ? [] : [quotation(note ?? '')];
}

function signalLines({ signals = [], signals_removed: removed = 0 }: Incident): string[] {
  const rest = signals.length - MOST_SIGNALS;
  return [
    ...signals.slice(0, MOST_SIGNALS).map(signalLine),
    ...(rest > 0 ? [`- and ${plural(rest, 'more signal')}`] : []),
    ...(removed > 0 ? [`- ${plural(removed, 'signal')} deleted because of their age`] : []),
  ];
}

function signalLine({ type, service, summary, body, occurrences = 1, observed_at, first_seen_at }: Signal): string {
  const at = first_seen_at ?? observed_at;
  const what = (summary ?? body ?? '').slice(0, 300);
  const times = occurrences > 1 ? ` (${occurrences.toLocaleString('en')} times)` : '';
  return `- ${at === undefined ? '' : `${utc(at)} `}${type} of ${markdown(service)}${what === '' ? '' : `: ${markdown(what)}`}${times}`;
}

function withPerson(at: string | null | undefined, user: string | null | undefined): string {
  return [at ? utc(at) : '', user ? `by ${markdown(user)}` : ''].filter((words) => words !== '').join(' ');
}

/** "2026-01-31 08:00:00 UTC" */
function utc(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? markdown(at) : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
