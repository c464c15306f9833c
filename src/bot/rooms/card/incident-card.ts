import type { KnownBlock } from '@slack/types';
import type { Incident } from '../../../contract/resources.ts';
import type { NamedWaiting } from '../../actions/definition.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { mrkdwn, quotePart } from '../../blocks/mrkdwn.ts';
import { byMention, type Who } from '../../blocks/people-words.ts';
import { messageOf } from '../../blocks/text-of.ts';
import {
  changedWords,
  declaredWords,
  historyLines,
  mergedWords,
  onlyWords,
  otherServices,
  rateBars,
  restWords,
  signalTotal,
  staleWords,
} from '../../incident/further-words.ts';
import { incidentButtons } from '../../incident/incident-buttons.ts';
import {
  acknowledgedWords,
  at,
  by,
  harmNow,
  mutedWords,
  rootLine,
  said,
  whatFails,
  whoHasIt,
} from '../../incident/incident-words.ts';
import { linkWords } from '../../incident/links.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { KnownPerson } from '../../slack/person.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';

/** Characters of the note that the card shows. */
export const CARD_NOTE_LENGTH = 1_000;
const NAMED_SERVICES = 5;
const NAMED_ACTIONS = 3;
const GONE = '⚪ *Gone: the incident service no longer has this incident*';

export interface CardContent {
  /** The state that the service confirmed. */
  readonly incident: Snapshot;
  /** The service no longer has it, so the card shows the last known state. */
  readonly isGone?: boolean;
  /** What waits for the service. */
  readonly waiting?: readonly NamedWaiting[];
  /** Number of signals when it was first seen; null: not recorded. */
  readonly firstSignalCount?: number | null;
  /** The previous incident and the one that it was merged into, as far as they are known. */
  readonly related?: readonly Snapshot[];
  /** People to mention in place of their names; absent in a first post, where a mention would notify them. */
  readonly people?: readonly KnownPerson[];
  /** Address of a trace with `{trace_id}`; null: traces have no page. */
  readonly traceUrl?: string | null;
}

/** Facts in the small print. What does not fit is left out from the end, so that none takes the place of a better one. */
const MOST_FACTS = 5;

/**
 * The one message of an incident in a channel: the confirmed state, and the actions that wait for the service. Its lines say
 * what fails; who has it, and since when; how much fails now; and the likely root with its cause. The small print has
 * what helps most: what waits, how it was fixed before, and what changed. Show says the rest.
 *
 * @param staleSince when the service last responded, if that is too long ago; null: the state is fresh
 */
export function incidentCard(content: CardContent, staleSince: Date | null = null): SlackMessage {
  const { incident, people = [] } = content;
  const who = byMention(people);
  const instead = insteadOfState(content);
  const isHarmShown = instead === '' && staleSince === null; // what was true long ago is not harm now
  const main = [
    whatFails(incident),
    instead || whoHasIt(incident, who),
    isHarmShown ? harmNow(incident) : '',
    rootLine(incident),
  ];
  const facts = [...noticesOf(content, staleSince, who), ...factsOf(content, who, staleSince)];
  const small = said(facts.filter((fact) => fact !== '').slice(0, MOST_FACTS));
  const note = isMergedByService(content) ? '' : noteQuote(incident);
  const blocks: KnownBlock[] = [
    { type: 'section', text: mrkdwn(said(main, '\n')) },
    ...(note === '' ? [] : [{ type: 'section', text: mrkdwn(note) } satisfies KnownBlock]),
    ...(small === '' ? [] : [{ type: 'context', elements: [mrkdwn(small)] } satisfies KnownBlock]),
    ...(isGoneNow(content) ? [] : [incidentButtons(incident)]),
  ];
  return messageOf(blocks, { max: LIMITS.editedText, people });
}

/** The facts of the small print, the most helpful first. */
function factsOf(content: CardContent, who: Who, staleSince: Date | null): string[] {
  const { incident, related = [], traceUrl = null } = content;
  return [
    ...historyLines(incident, related, who, 'short'),
    changedWords(incident, 'short'),
    incident.status === 'open' ? onlyWords(incident) : '',
    otherServices(incident, NAMED_SERVICES),
    linkWords(incident, traceUrl),
    declaredWords(incident, who),
    staleSince === null ? rateBars(incident) : '',
    staleSince === null ? signalWords(content) : '',
  ];
}

/** That the state is out of date, pending actions and a mute; of a closed incident who had acknowledged it. */
export function noticesOf(content: CardContent, staleSince: Date | null, who: Who): string[] {
  const { incident } = content;
  const isOpen = incident.status === 'open' && content.isGone !== true;
  return [
    isOpen ? staleWords(staleSince) : '',
    waitingWords(content, who, staleSince !== null),
    incident.status === 'open' ? mutedWords(incident, who) : '',
    isOpen ? '' : acknowledgedWords(incident, who),
  ].filter((notice) => notice !== '');
}

function isGoneNow({ incident, isGone }: CardContent): boolean {
  return incident.status === 'open' && isGone === true;
}

function isMergedByService({ incident, related = [] }: CardContent): boolean {
  return (
    incident.status === 'closed' && mergedWords(incident, related) !== '' && (incident.resolved_by ?? null) === null
  );
}

/** What is shown in place of the state; empty: nothing. */
export function insteadOfState(content: CardContent): string {
  const { incident, related = [] } = content;
  const merged = incident.status === 'open' ? '' : mergedWords(incident, related);
  return isGoneNow(content) ? GONE : merged === '' ? '' : `⚪ *${merged}*${at(incident.closed_at)}`;
}

export function noteQuote(incident: Incident): string {
  const note = incident.resolution_note ?? '';
  if (incident.status !== 'closed' || note === '') {
    return '';
  }
  const { quoted, rest } = quotePart(note, CARD_NOTE_LENGTH);
  return rest === '' ? quoted : `${quoted}\n${restWords(incident, rest)}`;
}

/** "12 signals, 3 at first" */
export function signalWords({ incident, firstSignalCount }: CardContent): string {
  const first = firstSignalCount ?? 0;
  const growth = first > 0 && incident.signal_count > first ? `, ${first.toLocaleString('en')} at first` : '';
  return `${signalTotal(incident)}${growth}`;
}

/** "⏳ Waiting for the incident service: resolution by ana"; empty: nothing waits. @param isStale that is shown already */
function waitingWords({ waiting = [] }: CardContent, who: Who, isStale: boolean): string {
  const named = waiting.slice(0, NAMED_ACTIONS).map(({ name, user }) => `${name}${by(user, who)}`);
  return named.length === 0 ? '' : `⏳ Waiting${isStale ? '' : ' for the incident service'}: ${named.join(', ')}`;
}
