import type { KnownBlock, ModalView } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { plural } from '../../incident/phrase.ts';
import { typeCounts } from '../../incident/words.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { furtherLines } from '../views/activity-words.ts';
import { incidentButtons } from '../views/incident-buttons.ts';
import { CARD_NOTE_LENGTH, type CardContent, incidentCard } from '../views/incident-card.ts';
import { byHandWords, restWords, signalLine } from '../views/incident-words.ts';
import { LIMITS } from '../views/limits.ts';
import { linkButtons } from '../views/links.ts';
import { fitting, messageText } from '../views/message.ts';
import { escapeMrkdwn, inline, mrkdwn, quotePart } from '../views/mrkdwn.ts';
import { byMention, byName, type Who } from '../views/people-words.ts';
import { readingModal } from '../views/reading-modal.ts';

const SHOWN_SIGNALS = 8;
const SHOWN_REASONS = 3;
/** Sections of a note, so that the message stays within Slack's limit for its text. */
const NOTE_PARTS = 2;
/** Characters reserved for the heading and for the number of signals that are left out. */
const ROOM_FOR_THE_REST = 100;

/**
 * The answer to "Show": the card, why its signals belong together, and the signals.
 *
 * @param staleSince when the service last responded, because this is what the bot has stored; absent: it was read from it
 */
export function incidentDetails(
  content: Omit<CardContent, 'incident'> & { incident: Incident },
  staleSince: Date | null = null,
): SlackMessage {
  const { incident } = content;
  const card = incidentCard(content, staleSince);
  const reasons = (incident.correlation?.evidence ?? []).slice(0, SHOWN_REASONS).map((reason) => inline(reason, 300));
  const signals = incident.signals ?? [];
  const lines = signals.slice(0, SHOWN_SIGNALS).map((signal) => `• ${signalLine(signal)}`);
  const named = fitting(lines, LIMITS.sectionText - ROOM_FOR_THE_REST);
  const rest = Math.max(0, Math.max(incident.signal_count, signals.length) - named.length);
  const counts = typeCounts(incident);
  const heading = counts === '' ? '*Signals*' : `*Signals*: ${counts}`;
  const shown = named.length > 0 && rest > 0 ? [...named, `and ${plural(rest, 'more signal')}`] : named;

  const further = (who: Who) =>
    [byHandWords(incident), ...furtherLines(incident, content.related ?? [], who)].filter((line) => line !== '');

  const blocks: KnownBlock[] = card.blocks.filter(({ type }) => type !== 'actions');
  const longNote = restOfNote(incident);
  blocks.push(...longNote.blocks);
  const shownFurther = further(byMention(content.people ?? []));
  if (shownFurther.length > 0) {
    blocks.push({ type: 'section', text: mrkdwn(shownFurther.join('\n')) });
  }
  if (reasons.length > 0) {
    blocks.push({
      type: 'section',
      text: mrkdwn(`*Why ${inline(incident.root_service, 100)}*\n${reasons.join('\n')}`),
    });
  }
  if (shown.length > 0 || counts !== '') {
    blocks.push({ type: 'section', text: mrkdwn([heading, ...shown].join('\n')) });
  }
  if (incident.status === 'open') {
    blocks.push(incidentButtons(incident, null));
  }
  const links = linkButtons(incident, content.traceUrl ?? null);
  if (links.length > 0) {
    blocks.push({ type: 'actions', elements: links });
  }
  const spoken = [
    ...further(byName),
    ...(reasons.length > 0 ? [`Why ${inline(incident.root_service, 100)}`, ...reasons] : []),
    ...(shown.length > 0 || counts !== '' ? [heading.replaceAll('*', ''), ...shown] : []),
  ];
  return { text: messageText([card.text, longNote.text, ...spoken]), blocks };
}

/** What the card leaves out of the note. */
function restOfNote(incident: Incident): SlackMessage {
  const note = incident.status === 'closed' ? (incident.resolution_note ?? '') : '';
  const { rest } = quotePart(note, CARD_NOTE_LENGTH);
  const blocks: KnownBlock[] = [];
  let part = { quoted: '', rest };
  while (part.rest !== '' && blocks.length < NOTE_PARTS) {
    part = quotePart(part.rest, LIMITS.sectionText);
    blocks.push({ type: 'section', text: mrkdwn(part.quoted) });
  }
  if (part.rest !== '') {
    const words = restWords(incident, part.rest, 'export');
    blocks.push({ type: 'section', text: mrkdwn(words) });
  }
  return { blocks, text: escapeMrkdwn(rest, LIMITS.messageText) };
}

/** The details on top of a list in a modal, where its menu acts. */
export function detailsModal({ blocks }: SlackMessage): ModalView {
  return readingModal(
    'Incident',
    blocks.filter(({ type }) => type !== 'actions'),
    'Back',
  );
}
