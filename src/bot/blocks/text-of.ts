import type { ContextBlockElement, KnownBlock } from '@slack/types';
import type { KnownPerson } from '../slack/person.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import { withFixedIds } from './fixed-ids.ts';
import { LIMITS } from './limits.ts';
import { messageText } from './message.ts';
import { escapeMrkdwn } from './mrkdwn.ts';
import { byName } from './people-words.ts';

/** Not an asterisk of a title, next to which `inline` puts a joiner. */
const BOLD = /(?<![\p{L}\p{N}*\u2060])\*([^*\n]+)\*(?![\p{L}\p{N}*\u2060])/gu;
/** The rate as a picture. */
const BARS = / [▁-█]+(?= |$)/gmu;
/** State symbols to remove, because the words after them say the same and screen readers would read both. */
const SYMBOLS = /(^|· )[✅🟡🔴⚪🚨🔺🔸🔹] /gmu;

/** Creates a message whose text is derived from its blocks. */
export function messageOf(blocks: readonly KnownBlock[], options: TextOptions = {}): SlackMessage {
  return { text: textOf(blocks, options), blocks: withFixedIds(blocks) };
}

interface TextOptions {
  /** Characters of the text. */
  readonly max?: number;
  /** People whom the blocks mention. The text names them, because a mention in it could notify. */
  readonly people?: readonly KnownPerson[];
}

/**
 * What blocks say, from top to bottom, for notifications and screen readers: mrkdwn without bold type, symbols of a state
 * and pictures made of characters. Controls are left out.
 */
export function textOf(
  blocks: readonly KnownBlock[],
  { max = LIMITS.messageText, people = [] }: TextOptions = {},
): string {
  const named = (text: string) =>
    people.reduce((words, { name, slackUserId }) => words.replaceAll(`<@${slackUserId}>`, () => byName(name)), text);
  return messageText(
    blocks.flatMap(linesOf).flatMap((text) => named(text).split('\n')),
    max,
  );
}

function linesOf(block: KnownBlock): string[] {
  if (block.type === 'section') {
    return [...(block.text === undefined ? [] : [block.text]), ...(block.fields ?? [])].map(spokenText);
  }
  if (block.type === 'context') {
    return block.elements.map(spokenText);
  }
  return block.type === 'header' ? [spokenText(block.text)] : [];
}

function spokenText(element: ContextBlockElement): string {
  switch (element.type) {
    case 'mrkdwn':
      return element.text.replace(BOLD, '$1').replace(SYMBOLS, '$1').replace(BARS, '');
    case 'plain_text':
      return escapeMrkdwn(element.text, LIMITS.messageText);
    case 'image':
      return element.alt_text;
    default:
      return element satisfies never;
  }
}
