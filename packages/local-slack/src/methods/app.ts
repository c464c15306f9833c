import { SlackError } from '../errors.ts';
import { APP_ID, BOT_ID, BOT_USER_ID, TEAM } from '../workspace/seed.ts';
import type { Method } from './method.ts';

/** Methods about the app and its workspace. */
export const appMethods: Readonly<Record<string, Method>> = {
  'auth.test': {
    token: 'bot',
    scope: null,
    run: (_args, deps) => ({
      url: deps.workspaceUrl(),
      team: TEAM.name,
      user: deps.workspace.findPerson(BOT_USER_ID)?.name,
      team_id: TEAM.id,
      user_id: BOT_USER_ID,
      bot_id: BOT_ID,
      is_enterprise_install: false,
    }),
  },

  'auth.revoke': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const isTest = args.flag('test');
      if (!isTest) {
        deps.revokeToken();
      }
      return { revoked: !isTest };
    },
  },

  'apps.connections.open': {
    token: 'app',
    scope: null,
    run(_args, deps) {
      const url = deps.openSocket();
      if (url === null) {
        throw new SlackError('socket_mode_not_enabled'); // not documented for this method, but reported by apps
      }
      return { url };
    },
  },

  'bots.info': {
    token: 'bot',
    scope: 'users:read',
    run(args, deps) {
      if (args.needed('bot') !== BOT_ID) {
        throw new SlackError('bot_not_found');
      }
      const name = deps.manifest.display_information.name;
      return { bot: { id: BOT_ID, deleted: false, name, app_id: APP_ID, user_id: BOT_USER_ID, icons: {} } };
    },
  },
};
