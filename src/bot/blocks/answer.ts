import type { KnownBlock } from '@slack/types';
import type { SlackMessage } from '../slack/slack-message.ts';
import { LIMITS } from './limits.ts';
import { cut, mrkdwn, pieces, plainText } from './mrkdwn.ts';
import { messageOf } from './text-of.ts';

/**
 * A short message for one person.
 *
 * @param text mrkdwn, already escaped and well below the limit of a section
 * @param note what the person typed, quoted back so that it is not lost; null: no note
 */
export function answer(text: string, note: string | null = null, heading: string = NOT_ADDED): SlackMessage {
  const blocks: KnownBlock[] = [{ type: 'section', text: mrkdwn(text) }];
  if (note === null || note === '') {
    return messageOf(blocks);
  }
  blocks.push(
    { type: 'section', text: mrkdwn(heading) },
    ...pieces(cut(note, LONGEST_NOTE), LIMITS.sectionText).map(
      (piece): KnownBlock => ({ type: 'section', text: plainText(piece, LIMITS.sectionText) }),
    ),
  );
  return messageOf(blocks);
}

const NOT_ADDED = 'Your note was not added. Here it is:';
/** Characters of a quoted note. Longer than Slack's inputs allow, and it fits into one message with the answer. */
export const LONGEST_NOTE = 11_000;
export const AS_TYPED = 'Your note as you typed it:';

/** Limit for the combined text of several answers, in characters; below what one message holds. */
const LONGEST_TOGETHER = 10_000;

/**
 * Joins as many answers as fit into one message, starting with the first.
 *
 * @returns `included`: the number of answers in the message, at least one
 */
export function answersInOne(answers: readonly SlackMessage[]): { message: SlackMessage; included: number } {
  const taken: SlackMessage[] = [];
  let length = 0;
  for (const each of answers) {
    length += each.text.length;
    if (taken.length > 0 && length > LONGEST_TOGETHER) {
      break;
    }
    taken.push(each);
  }
  return { message: messageOf(taken.flatMap(({ blocks }) => blocks)), included: taken.length };
}
