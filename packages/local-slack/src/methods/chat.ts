import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Channel, Message } from '../workspace/model.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import { getChannel, isMember, type Method, type MethodDeps } from './method.ts';
import {
  findTarget,
  permalinkOf,
  presentIn,
  readContent,
  readMetadata,
  readThread,
  refuseArchived,
  refuseOutsider,
} from './posting.ts';

export const chatMethods: Readonly<Record<string, Method>> = {
  'chat.postMessage': {
    token: 'bot',
    scope: 'chat:write',
    run(args, deps) {
      const channel = findTarget(deps, args.needed('channel'));
      deps.limiter.take(channel.id);
      refuseArchived(channel);
      refuseOutsider(deps, channel);
      const { content, attachments } = readContent(args);
      const metadata = readMetadata(args);
      const threadTs = readThread(args, deps, channel);
      const message = deps.workspace.post({
        channel: channel.id,
        user: BOT_USER_ID,
        content,
        attachments,
        metadata: metadata ?? null,
        threadTs,
        isBroadcast: threadTs !== null && args.flag('reply_broadcast'),
      });
      return { channel: channel.id, ts: message.ts, message: presentIn(deps, message, { withMetadata: true }) };
    },
  },

  'chat.update': {
    token: 'bot',
    scope: 'chat:write',
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      const message = getOwnMessage(deps, channel, args.needed('ts'), 'cant_update_message');
      if (channel.isArchived) {
        throw new SlackError('is_inactive');
      }
      const { content, attachments } = readContent(args);
      if ((args.text('text') ?? '').length > LIMITS.updateText) {
        throw new SlackError('msg_too_long');
      }
      const isTextGiven = content.text !== '';
      const areBlocksGiven = args.json('blocks', 'invalid_blocks_format') !== undefined;
      const metadata = readMetadata(args);

      // Text without blocks removes the blocks. Blocks without text keep the text. Only a change of text shows "(edited)".
      const updated = deps.workspace.changeMessage(channel.id, message.ts, (before) => ({
        ...before,
        text: isTextGiven ? content.text : before.text,
        blocks: areBlocksGiven || isTextGiven ? deps.workspace.nameBlocks(content.blocks) : before.blocks,
        attachments: args.json('attachments', 'invalid_attachments') === undefined ? before.attachments : attachments,
        metadata: metadata ?? before.metadata,
        isEdited: before.isEdited || content.blocks.length === 0,
      }));
      return {
        channel: channel.id,
        ts: updated.ts,
        text: updated.text,
        message: presentIn(deps, updated, { withMetadata: true }),
      };
    },
  },

  'chat.delete': {
    token: 'bot',
    scope: 'chat:write',
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      const message = getOwnMessage(deps, channel, args.needed('ts'), 'cant_delete_message');
      deps.workspace.deleteMessage(channel.id, message.ts);
      return { channel: channel.id, ts: message.ts };
    },
  },

  'chat.getPermalink': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      const message = deps.workspace.findMessage(channel.id, args.needed('message_ts'));
      if (message === null) {
        throw new SlackError('message_not_found');
      }
      return { channel: channel.id, permalink: permalinkOf(deps, message) };
    },
  },

  'chat.postEphemeral': {
    token: 'bot',
    scope: 'chat:write',
    run(args, deps) {
      const channel = findTarget(deps, args.needed('channel'));
      refuseArchived(channel);
      refuseOutsider(deps, channel);
      const viewer = args.needed('user');
      if (!isMember(channel, viewer)) {
        throw new SlackError('user_not_in_channel');
      }
      const { content } = readContent(args);
      const threadTs = readThread(args, deps, channel);
      const message = deps.workspace.postEphemeral({ channel: channel.id, viewer, from: 'app', content, threadTs });
      return { message_ts: message.ts };
    },
  },
};

function getOwnMessage(deps: MethodDeps, channel: Channel, ts: string, notOwn: string): Message {
  const message = deps.workspace.findMessage(channel.id, ts);
  if (message === null) {
    throw new SlackError('message_not_found');
  }
  if (!message.isFromApp) {
    throw new SlackError(notOwn);
  }
  return message;
}
