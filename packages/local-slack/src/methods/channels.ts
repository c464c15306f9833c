import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Channel, isDirect } from '../workspace/model.ts';
import { presentChannel } from '../workspace/present.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import { type Arguments, getChannel, isMember, type Method, type MethodDeps, needScope } from './method.ts';

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
      });
      return { channel: presentChannel(channel, deps.workspace) };
    },
  },

  'conversations.rename': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getManaged(args, deps);
      refuseArchived(channel);
      const name = readName(args, deps);
      const renamed = deps.workspace.changeChannel(channel.id, (before) => ({ ...before, name }));
      return { channel: presentChannel(renamed, deps.workspace) };
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

  'conversations.unarchive': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getManaged(args, deps);
      if (!channel.isArchived) {
        throw new SlackError('not_archived');
      }
      deps.workspace.changeChannel(channel.id, (before) => ({ ...before, isArchived: false }));
      return {};
    },
  },

  'conversations.setTopic': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const { channel, text: topic } = readDescription(args, deps, 'topic');
      const changed = deps.workspace.changeChannel(channel.id, (before) => ({ ...before, topic }));
      return { channel: presentChannel(changed, deps.workspace) };
    },
  },

  'conversations.setPurpose': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const { channel, text: purpose } = readDescription(args, deps, 'purpose');
      deps.workspace.changeChannel(channel.id, (before) => ({ ...before, purpose }));
      return { purpose };
    },
  },

  'conversations.kick': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getManaged(args, deps);
      const user = args.needed('user');
      if (user === BOT_USER_ID) {
        throw new SlackError('cant_kick_self');
      }
      if (deps.workspace.findPerson(user)?.id !== user) {
        throw new SlackError('user_not_found');
      }
      if (channel.name === 'general') {
        throw new SlackError('cant_kick_from_general');
      }
      if (!isMember(channel, user)) {
        throw new SlackError('not_in_channel');
      }
      deps.workspace.changeChannel(channel.id, (before) => ({
        ...before,
        members: before.members.filter((member) => member !== user),
      }));
      return {};
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

  'conversations.leave': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      needScope(deps, managingScope(channel));
      if (isDirect(channel)) {
        throw new SlackError('method_not_supported_for_channel_type');
      }
      if (!isMember(channel)) {
        return { not_in_channel: true };
      }
      if (channel.name === 'general') {
        throw new SlackError('cant_leave_general');
      }
      deps.workspace.changeChannel(channel.id, (before) => ({
        ...before,
        members: before.members.filter((member) => member !== BOT_USER_ID),
      }));
      return {};
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

/** The topic or purpose. An empty text clears it. */
function readDescription(args: Arguments, deps: MethodDeps, name: string): { channel: Channel; text: string } {
  const channel = getManaged(args, deps, ({ kind }) => TOPIC_SCOPE[kind]);
  refuseArchived(channel);
  const text = args.text(name) ?? '';
  if (text.length > LIMITS.channelTopic) {
    throw new SlackError('too_long');
  }
  return { channel, text };
}

function refuseArchived(channel: Channel): void {
  if (channel.isArchived) {
    throw new SlackError('is_archived');
  }
}

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
