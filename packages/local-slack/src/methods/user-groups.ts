import { SlackError } from '../errors.ts';
import type { UserGroup } from '../workspace/model.ts';
import { BOT_USER_ID, TEAM } from '../workspace/seed.ts';
import { type Arguments, type Method, type MethodDeps, readIds, secondsNow } from './method.ts';

export const userGroupMethods: Readonly<Record<string, Method>> = {
  'usergroups.list': {
    token: 'bot',
    scope: 'usergroups:read',
    run(args, deps) {
      return { usergroups: deps.workspace.userGroups.all().map((group) => present(group, args)) };
    },
  },

  'usergroups.users.list': {
    token: 'bot',
    scope: 'usergroups:read',
    run: (args, deps) => ({ users: getGroup(args, deps).users }),
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
      const after = { ...before, users: [...new Set(users)], updatedAt: secondsNow(deps) };
      return { usergroup: present(deps.workspace.userGroups.put(after), args) };
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

function present(group: UserGroup, args: Arguments): Record<string, unknown> {
  return {
    id: group.id,
    team_id: TEAM.id,
    is_usergroup: true,
    is_subteam: true,
    name: group.name,
    description: '',
    handle: group.handle,
    is_external: false,
    date_create: group.createdAt,
    date_update: group.updatedAt,
    date_delete: 0,
    auto_type: null,
    created_by: BOT_USER_ID,
    updated_by: BOT_USER_ID,
    deleted_by: null,
    prefs: { channels: [], groups: [] },
    ...(args.flag('include_users') && { users: group.users }),
    ...(args.flag('include_count') && { user_count: group.users.length }),
  };
}
