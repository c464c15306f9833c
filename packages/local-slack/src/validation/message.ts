import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Content } from '../workspace/workspace.ts';
import { blockTextLength, messageBlocks } from './blocks.ts';
import { faultsOf, isFields } from './check.ts';
import { refuseFaults } from './refuse.ts';

/** What a message says, by the rules of chat.postMessage. @throws SlackError as Slack answers */
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
  refuseFaults('invalid_blocks', faultsOf(messageBlocks, blocks, '/blocks'));
  const fields = blocks.filter(isFields);
  if (fields.filter((block) => block.type === 'table').length > LIMITS.tablesPerMessage) {
    refuseFaults('invalid_blocks', [{ pointer: '/blocks', message: 'only_one_table_allowed' }]);
  }
  if (fields.filter((block) => block.type === 'data_visualization').length > LIMITS.chartsPerMessage) {
    refuseFaults('invalid_blocks', [
      { pointer: '/blocks', message: `no more than ${LIMITS.chartsPerMessage} data_visualization blocks allowed` },
    ]);
  }
  if (blockTextLength(blocks) > LIMITS.messageBlockText) {
    throw new SlackError('msg_blocks_too_long');
  }
  refuseFaults(
    'invalid_attachments',
    attachments.flatMap((each, index) => faultsOf(messageBlocks, each.blocks ?? [], `/attachments/${index}/blocks`)),
  );
  return { content: { text: raw.text.slice(0, LIMITS.messageText), blocks: fields }, attachments };
}
