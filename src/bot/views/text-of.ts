import type { ContextBlockElement, KnownBlock } from '@slack/types';
import type { SlackMessage } from '../domain/slack-message.ts';
import { LIMITS } from './limits.ts';
import { messageText } from './message.ts';
import { escapeMrkdwn } from './mrkdwn.ts';

const BOLD = /(?<![\p{L}\p{N}*])\*([^*\n]+)\*(?![\p{L}\p{N}*])/gu;
/** State symbols to remove, because the words after them say the same and screen readers would read both. */
const SYMBOLS = /(^|· )[✅🟡🔴⚪🚨🔺🔸🔹] /gmu;

/** Creates a message whose text is derived from its blocks. @param max characters of the text */
export function messageOf(blocks: KnownBlock[], max?: number): SlackMessage {
  return { text: textOf(blocks, max), blocks };
}

/**
 * What blocks say, from top to bottom, for notifications and screen readers: mrkdwn without bold type and symbols of a
 * state. Controls are left out.
 */
export function textOf(blocks: readonly KnownBlock[], max: number = LIMITS.messageText): string {
  return messageText(
    blocks.flatMap(linesOf).flatMap((text) => text.split('\n')),
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
      return element.text.replace(BOLD, '$1').replace(SYMBOLS, '$1');
    case 'plain_text':
      return escapeMrkdwn(element.text, LIMITS.messageText);
    case 'image':
      return element.alt_text;
    default:
      return element satisfies never;
  }
}
