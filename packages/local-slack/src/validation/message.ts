import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Content } from '../workspace/model.ts';
import { blockTextLength, messageBlocks } from './blocks.ts';
import { isFields, violationsOf } from './check.ts';
import { refuseViolations } from './refuse.ts';

/** Validates the content of a message by the rules of chat.postMessage. @throws SlackError */
export function parseContent(raw: { text: string; blocks: unknown; attachments?: unknown }): {
  content: Content;
  attachments: readonly Readonly<Record<string, unknown>>[];
} {
  const attachments = raw.attachments ?? [];
  if (!Array.isArray(attachments) || !attachments.every(isFields)) {
    throw new SlackError('invalid_attachments');
  }
  if (attachments.length > LIMITS.attachments) {
    throw new SlackError('too_many_attachments');
  }
  const blocks = raw.blocks ?? [];
  if (!Array.isArray(blocks)) {
    throw new SlackError('invalid_blocks_format');
  }
  if (raw.text === '' && blocks.length === 0 && attachments.length === 0) {
    throw new SlackError('no_text');
  }
  refuseViolations('invalid_blocks', violationsOf(messageBlocks, blocks, '/blocks'));
  const fields = blocks.filter(isFields);
  if (blockTextLength(blocks) > LIMITS.messageBlockText) {
    throw new SlackError('msg_blocks_too_long');
  }
  refuseViolations(
    'invalid_attachments',
    attachments.flatMap((each, index) =>
      violationsOf(messageBlocks, each.blocks ?? [], `/attachments/${index}/blocks`),
    ),
  );
  return { content: { text: raw.text.slice(0, LIMITS.messageText), blocks: fields }, attachments };
}
