import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Channel, isDirect, type Message } from '../workspace/model.ts';
import { presentChannel } from '../workspace/present.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import {
  type Arguments,
  getChannel,
  isMember,
  type Method,
  type MethodDeps,
  needScope,
  page,
  readIds,
} from './method.ts';
import { presentIn } from './posting.ts';

const SCOPE_PREFIX = { public: 'channels', private: 'groups', im: 'im', mpim: 'mpim' } as const;

const KIND_BY_TYPE: Readonly<Record<string, Channel['kind']>> = {
  public_channel: 'public',
  private_channel: 'private',
  im: 'im',
  mpim: 'mpim',
};

export const conversationMethods: Readonly<Record<string, Method>> = {
  'conversations.list': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channels = readableChannels(args, deps);
      const limit = args.count('limit', 100, Number.MAX_SAFE_INTEGER);
      if (limit > LIMITS.channelListPage) {
        throw new SlackError('invalid_limit');
      }
      const { items, nextCursor } = page(channels, args.text('cursor'), limit);
      return {
        channels: items.map((each) => presentChannel(each, deps.workspace)),
        response_metadata: { next_cursor: nextCursor },
      };
    },
  },

  'conversations.info': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      needScope(deps, `${SCOPE_PREFIX[channel.kind]}:read`);
      return { channel: presentChannel(channel, deps.workspace) };
    },
  },

  'conversations.members': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      needScope(deps, `${SCOPE_PREFIX[channel.kind]}:read`);
      const limit = args.count('limit', 100, LIMITS.listPage);
      const { items, nextCursor } = page(channel.members, args.text('cursor'), limit);
      return { members: items, response_metadata: { next_cursor: nextCursor } };
    },
  },

  'conversations.join': {
    token: 'bot',
    scope: 'channels:join',
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      if (channel.kind !== 'public') {
        throw new SlackError('method_not_supported_for_channel_type');
      }
      if (channel.isArchived) {
        throw new SlackError('is_archived');
      }
      if (isMember(channel)) {
        return { channel: presentChannel(channel, deps.workspace), warning: 'already_in_channel' };
      }
      const joined = deps.workspace.changeChannel(channel.id, (before) => ({
        ...before,
        members: [...before.members, BOT_USER_ID],
      }));
      return { channel: presentChannel(joined, deps.workspace) };
    },
  },

  'conversations.open': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const known = args.text('channel');
      const { channel, isNew } =
        known === null ? openWith(args, deps) : { channel: getDirect(deps, known), isNew: false };
      return {
        channel: args.flag('return_im') ? presentChannel(channel, deps.workspace) : { id: channel.id },
        ...(!isNew && { no_op: true, already_open: true }),
      };
    },
  },

  'conversations.history': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getReadable(deps, args);
      const all = deps.workspace.messages(channel.id);
      const topLevel = all.filter((message) => message.threadTs === null || message.isBroadcast);
      const newestFirst = within(topLevel, args).toReversed();
      const { items, nextCursor } = page(
        newestFirst,
        args.text('cursor'),
        args.count('limit', 100, LIMITS.historyPage),
      );
      return {
        messages: items.map((message) =>
          presentIn(deps, message, {
            withMetadata: args.flag('include_all_metadata'),
            replies: repliesOf(all, message.ts),
          }),
        ),
        has_more: nextCursor !== '',
        pin_count: all.filter(({ pin }) => pin !== null).length,
        response_metadata: { next_cursor: nextCursor },
      };
    },
  },

  'conversations.replies': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getReadable(deps, args);
      const all = deps.workspace.messages(channel.id);
      const named = all.find((message) => message.ts === args.needed('ts'));
      const threadTs = named?.threadTs ?? args.needed('ts');
      const parent = all.find((message) => message.ts === threadTs);
      const replies = repliesOf(all, threadTs);
      if (parent === undefined && replies.length === 0) {
        throw new SlackError('thread_not_found');
      }
      const thread = [parent ?? { ts: threadTs }, ...within(replies, args)];
      const { items, nextCursor } = page(thread, args.text('cursor'), args.count('limit', 1_000, LIMITS.listPage));
      return {
        messages: items.map((message) =>
          'text' in message
            ? presentIn(deps, message, {
                withMetadata: args.flag('include_all_metadata'),
                ...(message === parent ? { replies } : { parentUser: parent?.user ?? 'USLACKBOT' }),
              })
            : tombstone(threadTs, replies.length),
        ),
        has_more: nextCursor !== '',
        response_metadata: { next_cursor: nextCursor },
      };
    },
  },
};

/** What stays of a deleted message while its thread has replies. */
function tombstone(ts: string, replyCount: number) {
  return {
    type: 'message',
    subtype: 'tombstone',
    user: 'USLACKBOT',
    text: 'This message was deleted.',
    hidden: true,
    ts,
    thread_ts: ts,
    reply_count: replyCount,
  };
}

/** Opens a direct message for one person, a group message for several. */
function openWith(args: Arguments, deps: MethodDeps): { channel: Channel; isNew: boolean } {
  const { workspace } = deps;
  const users = [...new Set(readIds(args, 'users') ?? [])];
  needScope(deps, users.length > 1 ? 'mpim:write' : 'im:write');
  if (users.length === 0) {
    throw new SlackError('users_list_not_supplied');
  }
  if (users.length > LIMITS.groupMessageUsers) {
    throw new SlackError('too_many_users');
  }
  if (users.some((id) => id === BOT_USER_ID || workspace.findPerson(id)?.id !== id)) {
    throw new SlackError('user_not_found');
  }
  const before = workspace.channels();
  const channel = workspace.openDirectMessage([...users, BOT_USER_ID]);
  return { channel, isNew: !before.includes(channel) };
}

function getDirect(deps: MethodDeps, id: string): Channel {
  const channel = getChannel(deps, id);
  if (!isDirect(channel)) {
    throw new SlackError('method_not_supported_for_channel_type');
  }
  needScope(deps, `${SCOPE_PREFIX[channel.kind]}:write`);
  return channel;
}

/** The channels of the requested types that are visible to the bot. */
export function readableChannels(args: Arguments, deps: MethodDeps): Channel[] {
  const types = (args.text('types') ?? 'public_channel').split(',').map((type) => type.trim());
  const kinds = types.flatMap((type) => readType(deps, type));
  return deps.workspace
    .channels()
    .filter((channel) => kinds.includes(channel.kind))
    .filter((channel) => channel.kind === 'public' || isMember(channel))
    .filter((channel) => !args.flag('exclude_archived') || !channel.isArchived);
}

function readType(deps: MethodDeps, type: string): Channel['kind'][] {
  const kind = KIND_BY_TYPE[type];
  if (kind === undefined) {
    throw new SlackError('invalid_types');
  }
  needScope(deps, `${SCOPE_PREFIX[kind]}:read`);
  return [kind];
}

function getReadable(deps: MethodDeps, args: Arguments): Channel {
  const channel = getChannel(deps, args.needed('channel'));
  needScope(deps, `${SCOPE_PREFIX[channel.kind]}:history`);
  if (!isMember(channel)) {
    throw new SlackError('not_in_channel');
  }
  return channel;
}

function repliesOf(all: readonly Message[], threadTs: string): Message[] {
  return all.filter((message) => message.threadTs === threadTs);
}

/** The messages between `oldest` and `latest`. `inclusive` includes both ends. */
function within(messages: readonly Message[], args: Arguments): Message[] {
  const oldest = readTs(args.text('oldest'), 'invalid_ts_oldest');
  const latest = readTs(args.text('latest'), 'invalid_ts_latest');
  const isInclusive = args.flag('inclusive');
  return messages.filter((message) => {
    const at = readTs(message.ts, 'invalid_ts_latest') ?? 0n;
    const isAfter = oldest === null || at > oldest || (isInclusive && at === oldest);
    const isBefore = latest === null || at < latest || (isInclusive && at === latest);
    return isAfter && isBefore;
  });
}

/** Returns microseconds. Accepts a number of seconds as well. */
function readTs(ts: string | null, code: string): bigint | null {
  if (ts === null) {
    return null;
  }
  const match = /^(\d+)(?:\.(\d{1,6})\d*)?$/.exec(ts);
  if (match === null) {
    throw new SlackError(code);
  }
  return BigInt(`${match[1]}${(match[2] ?? '').padEnd(6, '0')}`);
}
