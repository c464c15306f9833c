import { SlackError } from '../errors.ts';
import type { UserGroup } from '../workspace/model.ts';
import { BOT_USER_ID, TEAM } from '../workspace/seed.ts';
import { type Arguments, type Method, type MethodDeps, readIds, secondsNow } from './method.ts';

export const userGroupMethods: Readonly<Record<string, Method>> = {
  'usergroups.list': {
    token: 'bot',
    scope: 'usergroups:read',
    run(args, deps) {
      const groups = deps.workspace.userGroups
        .all()
        .filter((group) => group.disabledAt === null || args.flag('include_disabled'));
      return { usergroups: groups.map((group) => present(group, args)) };
    },
  },

  'usergroups.create': {
    token: 'bot',
    scope: 'usergroups:write',
    run(args, deps) {
      const name = args.text('name');
      if (name === null) {
        throw new SlackError('missing_subteam_name');
      }
      const now = secondsNow(deps);
      const id = deps.workspace.nextId('S');
      const handle = args.text('handle') ?? name.toLowerCase().replace(/[^\p{L}\p{N}_.-]+/gu, '-');
      const group: UserGroup = {
        id,
        name: readName(deps, name, id),
        handle: readHandle(deps, handle, id),
        description: args.text('description') ?? '',
        channels: readChannels(args, deps) ?? [],
        users: [],
        createdAt: now,
        updatedAt: now,
        disabledAt: null,
      };
      return { usergroup: present(deps.workspace.userGroups.put(group), args) };
    },
  },

  'usergroups.update': {
    token: 'bot',
    scope: 'usergroups:write',
    run(args, deps) {
      const before = getGroup(args, deps);
      const name = args.text('name');
      const handle = args.text('handle');
      return change(args, deps, {
        ...before,
        name: name === null ? before.name : readName(deps, name, before.id),
        handle: handle === null ? before.handle : readHandle(deps, handle, before.id),
        description: args.text('description') ?? before.description,
        channels: readChannels(args, deps) ?? before.channels,
      });
    },
  },

  'usergroups.enable': {
    token: 'bot',
    scope: 'usergroups:write',
    run: (args, deps) => change(args, deps, { ...getGroup(args, deps), disabledAt: null }),
  },

  'usergroups.disable': {
    token: 'bot',
    scope: 'usergroups:write',
    run: (args, deps) => change(args, deps, { ...getGroup(args, deps), disabledAt: secondsNow(deps) }),
  },

  'usergroups.users.list': {
    token: 'bot',
    scope: 'usergroups:read',
    run(args, deps) {
      const group = getGroup(args, deps);
      if (group.disabledAt !== null && !args.flag('include_disabled')) {
        throw new SlackError('no_such_subteam');
      }
      return { users: group.users };
    },
  },

  'usergroups.users.update': {
    token: 'bot',
    scope: 'usergroups:write',
    run(args, deps) {
      const before = getGroup(args, deps);
      const users = readIds(args, 'users');
      if (users === null) {
        throw new SlackError('no_users_provided');
      }
      if (users.some((id) => deps.workspace.findPerson(id)?.id !== id)) {
        throw new SlackError('invalid_users');
      }
      return change(args, deps, { ...before, users: [...new Set(users)] });
    },
  },
};

function getGroup(args: Arguments, deps: MethodDeps): UserGroup {
  const group = deps.workspace.userGroups.find(args.needed('usergroup'));
  if (group === null) {
    throw new SlackError('no_such_subteam');
  }
  return group;
}

function change(args: Arguments, deps: MethodDeps, group: UserGroup): Record<string, unknown> {
  return { usergroup: present(deps.workspace.userGroups.put({ ...group, updatedAt: secondsNow(deps) }), args) };
}

function readName(deps: MethodDeps, name: string, id: string): string {
  if (deps.workspace.userGroups.all().some((group) => group.name === name && group.id !== id)) {
    throw new SlackError('name_already_exists');
  }
  return name;
}

/** Unique among people, channels and user groups. */
function readHandle(deps: MethodDeps, handle: string, id: string): string {
  const name = handle.replace(/^@/, '');
  if (!/^[\p{Ll}\p{Lo}\p{N}_.-]+$/u.test(name)) {
    throw new SlackError('bad_handle');
  }
  const { workspace } = deps;
  const isTaken =
    workspace.findPerson(name) !== null ||
    workspace.findChannelByName(name) !== null ||
    workspace.userGroups.all().some((group) => group.handle === name && group.id !== id);
  if (isTaken) {
    throw new SlackError('handle_already_exists');
  }
  return name;
}

function readChannels(args: Arguments, deps: MethodDeps): readonly string[] | null {
  const channels = readIds(args, 'channels');
  if (channels?.some((id) => deps.workspace.findChannel(id) === null)) {
    throw new SlackError('invalid_channel_provided');
  }
  return channels;
}

function present(group: UserGroup, args: Arguments): Record<string, unknown> {
  return {
    id: group.id,
    team_id: TEAM.id,
    is_usergroup: true,
    is_subteam: true,
    name: group.name,
    description: group.description,
    handle: group.handle,
    is_external: false,
    date_create: group.createdAt,
    date_update: group.updatedAt,
    date_delete: group.disabledAt ?? 0,
    auto_type: null,
    created_by: BOT_USER_ID,
    updated_by: BOT_USER_ID,
    deleted_by: group.disabledAt === null ? null : BOT_USER_ID,
    prefs: { channels: group.channels, groups: [] },
    ...(args.flag('include_users') && { users: group.users }),
    ...(args.flag('include_count') && { user_count: group.users.length }),
  };
}
