import type { KnownBlock } from '@slack/types';
import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { isMuted } from '../../../incident/mute.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { inline, mrkdwn } from '../../blocks/mrkdwn.ts';
import { byMention } from '../../blocks/people-words.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { plainHeadline } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { type CardContent, incidentCard } from '../card/incident-card.ts';
import { wakeButton } from './wake-button.ts';

const LINE_LENGTH = 300;
/** Other incidents that one answer takes. */
const MOST_OTHERS = 5;

export interface WakeContent {
  /** What the service says, shown where no incident is known: of a drill or a test. */
  readonly title: string;
  readonly lines: readonly string[];
  /** The incident that it is about; null: a drill, a test, or one that is not known yet. */
  readonly card: CardContent | null;
  /** Further incidents that an answer takes. */
  readonly others: readonly Snapshot[];
  /** Who has it, or why it is over, in mrkdwn; null: somebody is still wanted. */
  readonly over: string | null;
  /** The value of the button. */
  readonly answer: string;
}

/** Wakes somebody: the card's words with one line above, and one button. Once it is over, it says so without a button. */
export function wakeMessage({ title, lines, card, others, over, answer }: WakeContent): SlackMessage {
  const asked = card === null ? inline(title, LINE_LENGTH) : 'You are being woken: nobody has this yet.';
  const above = over === null ? `🔔 *${asked}*` : `✅ *${over}*`;
  const told = (over === null ? lines : [title]).map((line) => inline(line, LINE_LENGTH)).join('\n');
  const words =
    card === null
      ? told === ''
        ? []
        : [section(told)]
      : incidentCard(card).blocks.filter(({ type }) => type !== 'actions');
  const more = others.slice(0, MOST_OTHERS).map((incident) => plainHeadline(incident));
  const rest = others.length - more.length;
  const takes = `“I have it” also takes: ${more.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
  const open = [
    ...(more.length === 0 ? [] : [{ type: 'context', elements: [mrkdwn(takes)] } satisfies KnownBlock]),
    { type: 'actions', block_id: 'wake', elements: [wakeButton(answer)] } satisfies KnownBlock,
  ];
  return messageOf([section(above), ...words, ...(over === null ? open : [])], {
    max: LIMITS.editedText,
    people: card?.people ?? [],
  });
}

/** Why nobody has to be woken for an incident any more; null: somebody still has to. */
export function overWords(
  { incident, people = [] }: Pick<CardContent, 'incident' | 'people'>,
  now: Date,
): string | null {
  if (incident.status === 'closed') {
    return 'Over: it is closed';
  }
  if (isAcknowledged(incident)) {
    const { acknowledged_by: name } = incident;
    return name == null ? 'Taken' : `Taken by ${byMention(people)(name)}`;
  }
  return isMuted(incident, now) ? 'Over: it is muted' : null;
}

function section(text: string): KnownBlock {
  return { type: 'section', text: mrkdwn(text) };
}
