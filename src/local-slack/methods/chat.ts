import { invalidArguments, SlackError } from '../errors.ts';
import type { Channel, Message, MessageMetadata } from '../model.ts';
import { presentMessage } from '../present.ts';
import { BOT_USER_ID } from '../seed.ts';
import { isFields } from '../validation/check.ts';
import { parseContent } from '../validation/message.ts';
import { type Arguments, getChannel, isMember, type Method, type MethodDeps } from './method.ts';

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
      });
      return { channel: channel.id, ts: message.ts, message: presentMessage(message, { withMetadata: true }) };
    },
  },

  'chat.update': {
    token: 'bot',
    scope: 'chat:write',
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      const message = getOwnMessage(deps, channel, args.needed('ts'), 'cant_update_message');
      refuseArchived(channel);
      const isTextGiven = args.text('text') !== null;
      const areBlocksGiven = args.json('blocks', 'invalid_blocks_format') !== undefined;
      const { content, attachments } = readContent(args);
      const metadata = readMetadata(args);

      // Text alone takes the blocks away; blocks alone keep the text; only a text edit shows "(edited)".
      const updated = deps.workspace.changeMessage(channel.id, message.ts, (before) => ({
        ...before,
        text: isTextGiven ? content.text : before.text,
        blocks: areBlocksGiven || isTextGiven ? deps.workspace.nameBlocks(content.blocks) : before.blocks,
        attachments: args.json('attachments', 'invalid_attachments') === undefined ? before.attachments : attachments,
        metadata: metadata === undefined ? before.metadata : metadata,
        isEdited: before.isEdited || content.blocks.length === 0,
      }));
      return {
        channel: channel.id,
        ts: updated.ts,
        text: updated.text,
        message: presentMessage(updated, { withMetadata: true }),
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
      const thread = message.threadTs === null ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`;
      const name = `p${message.ts.replace('.', '')}`;
      return { channel: channel.id, permalink: `${deps.workspaceUrl()}archives/${channel.id}/${name}${thread}` };
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
      const message = deps.workspace.whisper({ channel: channel.id, viewer, from: 'app', content, threadTs });
      return { message_ts: message.ts };
    },
  },
};

/** By id; by name too, as Slack still takes it here; a person's id means the direct message with them. */
function findTarget(deps: MethodDeps, reference: string): Channel {
  if (deps.workspace.findPerson(reference)?.id === reference) {
    return deps.workspace.openDirectMessage(reference);
  }
  const named = deps.workspace.findChannelByName(reference.replace(/^#/, ''));
  return getChannel(deps, named?.id ?? reference);
}

function refuseArchived(channel: Channel): void {
  if (channel.isArchived) {
    throw new SlackError('is_archived');
  }
}

/** The bot posts where it is a member; with chat:write.public in every public channel. */
function refuseOutsider(deps: MethodDeps, channel: Channel): void {
  if (isMember(channel)) {
    return;
  }
  if (channel.kind !== 'public' || !deps.manifest.oauth_config.scopes.bot.includes('chat:write.public')) {
    throw new SlackError('not_in_channel');
  }
}

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

function readContent(args: Arguments): ReturnType<typeof parseContent> {
  return parseContent({
    text: args.text('text') ?? '',
    blocks: args.json('blocks', 'invalid_blocks_format'),
    attachments: args.json('attachments', 'invalid_attachments'),
  });
}

function readThread(args: Arguments, deps: MethodDeps, channel: Channel): string | null {
  const threadTs = args.text('thread_ts');
  if (threadTs === null) {
    return null;
  }
  const parent = deps.workspace.findMessage(channel.id, threadTs);
  if (parent === null) {
    throw new SlackError('thread_not_found');
  }
  return parent.threadTs ?? parent.ts;
}

/** Undefined when not sent. The values of a payload are flat, or objects of one level. */
function readMetadata(args: Arguments): MessageMetadata | undefined {
  const metadata = args.json('metadata', 'invalid_metadata_format');
  if (metadata === undefined) {
    return undefined;
  }
  const payload = isFields(metadata) ? metadata.event_payload : undefined;
  if (!isFields(metadata) || typeof metadata.event_type !== 'string' || !isFields(payload)) {
    throw new SlackError('invalid_metadata_format');
  }
  const tooDeep = Object.values(payload)
    .filter(isFields)
    .some((value) => Object.values(value).some(isFields));
  if (tooDeep) {
    throw invalidArguments('event_payload may hold objects of one level only [json-pointer:/metadata/event_payload]');
  }
  return { event_type: metadata.event_type, event_payload: payload };
}
