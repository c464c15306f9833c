import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Channel, isDirect } from '../workspace/model.ts';
import { presentChannel } from '../workspace/present.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import { type Arguments, getChannel, isMember, type Method, type MethodDeps, needScope } from './method.ts';
import { refuseArchived } from './posting.ts';

/** Methods that create and change channels. */
export const channelMethods: Readonly<Record<string, Method>> = {
  'conversations.create': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const isPrivate = args.flag('is_private');
      needScope(deps, isPrivate ? 'groups:write' : 'channels:manage');
      const channel = deps.workspace.addChannel({
        name: readName(args, deps),
        kind: isPrivate ? 'private' : 'public',
        members: [BOT_USER_ID],
        creator: BOT_USER_ID,
      });
      return { channel: presentChannel(channel, deps.workspace) };
    },
  },

  'conversations.archive': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getManaged(args, deps);
      if (channel.isArchived) {
        throw new SlackError('already_archived');
      }
      if (channel.name === 'general') {
        throw new SlackError('cant_archive_general');
      }
      deps.workspace.changeChannel(channel.id, (before) => ({ ...before, isArchived: true }));
      return {};
    },
  },

  'conversations.setTopic': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getManaged(args, deps, ({ kind }) => TOPIC_SCOPE[kind]);
      refuseArchived(channel);
      const topic = args.text('topic') ?? ''; // an empty one clears it
      if (topic.length > LIMITS.channelTopic) {
        throw new SlackError('too_long');
      }
      const changed = deps.workspace.changeChannel(channel.id, (before) => ({ ...before, topic }));
      return { channel: presentChannel(changed, deps.workspace) };
    },
  },

  'conversations.invite': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getManaged(args, deps, ({ kind }) => INVITE_SCOPE[kind]);
      refuseArchived(channel);
      const users = args
        .needed('users')
        .split(',')
        .map((user) => user.trim());
      const errors = users.flatMap((user) => {
        const error = inviteError(channel, user, deps);
        return error === null ? [] : [{ ok: false, error, user }];
      });
      const [first] = errors;
      if (first !== undefined) {
        throw new SlackError(first.error, { errors });
      }
      const invited = deps.workspace.changeChannel(channel.id, (before) => ({
        ...before,
        members: [...before.members, ...new Set(users)],
      }));
      return { channel: presentChannel(invited, deps.workspace) };
    },
  },
};

function managingScope(channel: Channel): string {
  return { public: 'channels:manage', private: 'groups:write', im: 'im:write', mpim: 'mpim:write' }[channel.kind];
}

/** A channel that the app is a member of and may manage. `otherScope` is accepted instead of the managing scope. */
function getManaged(args: Arguments, deps: MethodDeps, otherScope?: (channel: Channel) => string): Channel {
  const channel = getChannel(deps, args.needed('channel'));
  const other = otherScope?.(channel);
  if (other === undefined || !deps.manifest.oauth_config.scopes.bot.includes(other)) {
    needScope(deps, managingScope(channel));
  }
  if (isDirect(channel)) {
    throw new SlackError('method_not_supported_for_channel_type');
  }
  if (!isMember(channel)) {
    throw new SlackError('not_in_channel');
  }
  return channel;
}

const INVITE_SCOPE = {
  public: 'channels:write.invites',
  private: 'groups:write.invites',
  im: 'im:write',
  mpim: 'mpim:write',
} as const;
const TOPIC_SCOPE = {
  public: 'channels:write.topic',
  private: 'groups:write.topic',
  im: 'im:write.topic',
  mpim: 'mpim:write.topic',
} as const;

function readName(args: Arguments, deps: MethodDeps): string {
  const name = args.text('name');
  if (name === null) {
    throw new SlackError('invalid_name_required');
  }
  if (name.length > LIMITS.channelName) {
    throw new SlackError('invalid_name_maxlength');
  }
  if (!/^[\p{Ll}\p{Lo}\p{N}_-]+$/u.test(name)) {
    throw new SlackError('invalid_name_specials');
  }
  if (deps.workspace.findChannelByName(name) !== null) {
    throw new SlackError('name_taken');
  }
  return name;
}

function inviteError(channel: Channel, user: string, deps: MethodDeps): string | null {
  if (user === BOT_USER_ID) {
    return 'cant_invite_self';
  }
  if (deps.workspace.findPerson(user)?.id !== user) {
    return 'user_not_found';
  }
  return isMember(channel, user) ? 'already_in_channel' : null;
}
