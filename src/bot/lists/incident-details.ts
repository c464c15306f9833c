import type { KnownBlock, ModalView } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { capitalized, plural } from '../../incident/phrase.ts';
import { pathPhrase, typeCounts } from '../../incident/words.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { furtherLines } from '../views/activity-words.ts';
import { incidentButtons } from '../views/incident-buttons.ts';
import { type CardContent, insteadOfState, noticesOf, signalWords } from '../views/incident-card.ts';
import { harmNow, ranked, rootAndEvidence, said, whoHasIt } from '../views/incident-lines.ts';
import {
  byHandWords,
  declaredWords,
  openedWords,
  otherServices,
  restWords,
  signalLine,
} from '../views/incident-words.ts';
import { LIMITS } from '../views/limits.ts';
import { linkButtons } from '../views/links.ts';
import { fitting } from '../views/message.ts';
import { inline, mrkdwn, quotePart } from '../views/mrkdwn.ts';
import { byMention } from '../views/people-words.ts';
import { phrase } from '../views/phrase.ts';
import { readingModal } from '../views/reading-modal.ts';
import { messageOf } from '../views/text-of.ts';

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
  content: Omit<CardContent, 'incident'> & { incident: Incident },
  staleSince: Date | null = null,
): SlackMessage {
  const { incident, people = [], related = [] } = content;
  const who = byMention(people);
  const { root, evidence } = rootAndEvidence(incident);
  const state = insteadOfState(content) || whoHasIt(incident, who);
  const head = said([ranked(incident), state, harmNow(incident), root, evidence], '\n');
  const links = linkButtons(incident, content.traceUrl ?? null);
  const facts = [
    ...noticesOf(content, staleSince, who),
    declaredWords(incident, who),
    capitalized(openedWords(incident)),
    byHandWords(incident),
    ...furtherLines(incident, related, who),
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
