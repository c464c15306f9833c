import type { KnownBlock, ModalView } from '@slack/types';
import type { Incident } from '../../../contract/resources.ts';
import { likelihood } from '../../../incident/harm.ts';
import { capitalized, plural } from '../../../incident/phrase.ts';
import { pathPhrase, typeCounts } from '../../../incident/words.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { inline, mrkdwn, quotePart } from '../../blocks/mrkdwn.ts';
import { byMention } from '../../blocks/people-words.ts';
import { phrase } from '../../blocks/phrase.ts';
import { readingModal } from '../../blocks/reading-modal.ts';
import { messageOf } from '../../blocks/text-of.ts';
import {
  byHandWords,
  changedWords,
  declaredWords,
  historyLines,
  impactWords,
  openedWords,
  otherServices,
  restWords,
  signalLine,
} from '../../incident/further-words.ts';
import { incidentButtons } from '../../incident/incident-buttons.ts';
import { activityWords, harmNow, rootLine, said, whatFails, whoHasIt } from '../../incident/incident-words.ts';
import { linkButtons } from '../../incident/links.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { type CardContent, insteadOfState, noticesOf, signalWords } from '../card/incident-card.ts';

const SHOWN_SIGNALS = 8;
const SHOWN_REASONS = 3;
/** Sections of a note, so that the message stays within Slack's limit for its text. */
const NOTE_PARTS = 2;
const MOST_SERVICES = 20;
/** Characters reserved for the heading and for the number of signals that are left out. */
const ROOM_FOR_THE_REST = 100;

/**
 * The answer to "Show": what the card says and leaves out, why its signals belong together, and the signals.
 *
 * @param staleSince when the service last responded, because this is what the bot has stored; absent: it was read from it
 */
export function incidentDetails(
  content: Omit<CardContent, 'incident'> & { incident: Incident; onCall?: readonly string[] },
  staleSince: Date | null = null,
): SlackMessage {
  const { incident, people = [], related = [] } = content;
  const who = byMention(people);
  const state = insteadOfState(content) || whoHasIt(incident, who);
  const head = said([whatFails(incident), state, harmNow(incident), rootLine(incident)], '\n');
  const links = linkButtons(incident, content.traceUrl ?? null);
  const facts = [
    ...noticesOf(content, staleSince, who),
    ...(content.onCall ?? []),
    declaredWords(incident, who),
    capitalized(openedWords(incident)),
    byHandWords(incident),
    sureWords(incident),
    incident.activity === 'failing' ? activityWords(incident) : '',
    impactWords(incident),
    changedWords(incident),
    ...historyLines(incident, related, who),
    pathWords(incident),
    otherServices(incident, MOST_SERVICES),
    signalWords(content),
  ];
  const blocks = [
    section(head),
    ...noteBlocks(incident),
    section(said(fitting(facts, LIMITS.sectionText), '\n')),
    ...evidenceBlocks(incident),
    ...signalBlocks(incident),
    ...(incident.status === 'open' ? [incidentButtons(incident, null)] : []),
    ...(links.length > 0 ? [{ type: 'actions', elements: links } satisfies KnownBlock] : []),
  ];
  return messageOf(blocks, { people });
}

/** "Root very likely (94 %)"; empty if it is unsure, set by hand, or told by one signal. */
function sureWords({
  possible_roots: roots = [],
  root_confidence: percent,
  signal_count: signals,
  detected,
}: Incident & Snapshot): string {
  const isKnown = percent !== undefined && roots.length === 0 && signals > 1 && detected?.root_service == null;
  return isKnown ? `Root ${likelihood(percent)} (${percent} %)` : '';
}

/** "How it reaches people: `payments` -> `checkout` (208 requests)"; empty: it is not known. */
function pathWords({ correlation }: Incident): string {
  const path = phrase(pathPhrase(correlation?.path));
  return path === '' ? '' : `How it reaches people: ${path}`;
}

function section(words: string): KnownBlock {
  return { type: 'section', text: mrkdwn(words) };
}

/** The note with which it was closed. */
function noteBlocks(incident: Incident): KnownBlock[] {
  const note = incident.status === 'closed' ? (incident.resolution_note ?? '') : '';
  const blocks: KnownBlock[] = [];
  let part = { quoted: '', rest: note };
  while (part.rest !== '' && blocks.length < NOTE_PARTS) {
    part = quotePart(part.rest, LIMITS.sectionText);
    blocks.push(section(part.quoted));
  }
  return part.rest === '' ? blocks : [...blocks, section(restWords(incident, part.rest, 'export'))];
}

function evidenceBlocks({ correlation, impact = [], root_service: shown, detected }: Incident): KnownBlock[] {
  const root = detected?.root_service ?? shown; // that is what the reasons are about
  const isImpact = (reason: string) => impact.some(({ from, to }) => reason.startsWith(`${from} -> ${to}: `));
  const reasons = (correlation?.evidence ?? [])
    .filter((reason) => !isImpact(reason)) // said above
    .slice(0, SHOWN_REASONS)
    .map((reason) => inline(reason, 300));
  return reasons.length === 0 ? [] : [section(`*Why ${inline(root, 100)}*\n${reasons.join('\n')}`)];
}

function signalBlocks(incident: Incident): KnownBlock[] {
  const signals = incident.signals ?? [];
  const lines = signals.slice(0, SHOWN_SIGNALS).map((signal) => `• ${signalLine(signal)}`);
  const named = fitting(lines, LIMITS.sectionText - ROOM_FOR_THE_REST);
  const rest = Math.max(0, Math.max(incident.signal_count, signals.length) - named.length);
  const counts = typeCounts(incident);
  const more = named.length > 0 && rest > 0 ? `and ${plural(rest, 'more signal')}` : '';
  return named.length === 0 && counts === ''
    ? []
    : [section(said([said(['*Signals*', counts], ': '), ...named, more], '\n'))];
}

/** The details on top of a list in a modal, where its menu acts. */
export function detailsModal({ blocks }: SlackMessage): ModalView {
  return readingModal(
    'Incident',
    blocks.filter(({ type }) => type !== 'actions'),
    'Back',
  );
}
