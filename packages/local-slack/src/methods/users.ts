import { invalidArguments, SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { presentChannel, presentPerson } from '../workspace/present.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import { readableChannels } from './conversations.ts';
import { isMember, type Method, type MethodDeps, page, secondsNow } from './method.ts';

export const userMethods: Readonly<Record<string, Method>> = {
  'users.info': {
    token: 'bot',
    scope: 'users:read',
    run(args, deps) {
      const id = args.needed('user');
      const person = deps.workspace.findPerson(id);
      if (person?.id !== id) {
        throw new SlackError('user_not_found');
      }
      return { user: presentPerson(person, { withEmail: maySeeEmail(deps) }) };
    },
  },

  'users.list': {
    token: 'bot',
    scope: 'users:read',
    run(args, deps) {
      const limit = args.count('limit', LIMITS.listPage, LIMITS.listPage);
      const { items, nextCursor } = page(deps.workspace.people(), args.text('cursor'), limit);
      return {
        members: items.map((person) => presentPerson(person, { withEmail: maySeeEmail(deps) })),
        cache_ts: secondsNow(deps),
        response_metadata: { next_cursor: nextCursor },
      };
    },
  },

  'users.conversations': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const userId = args.text('user') ?? BOT_USER_ID;
      if (deps.workspace.findPerson(userId)?.id !== userId) {
        throw invalidArguments('invalid `user`');
      }
      const channels = readableChannels(args, deps).filter((channel) => isMember(channel, userId));
      const { items, nextCursor } = page(channels, args.text('cursor'), args.count('limit', 100, LIMITS.historyPage));
      return {
        channels: items.map((each) => presentChannel(each, deps.workspace)),
        response_metadata: { next_cursor: nextCursor },
      };
    },
  },

  'users.lookupByEmail': {
    token: 'bot',
    scope: 'users:read.email',
    run(args, deps) {
      const email = args.needed('email').toLowerCase();
      const person = deps.workspace.people().find((each) => each.email === email);
      if (person === undefined) {
        throw new SlackError('users_not_found');
      }
      return { user: presentPerson(person, { withEmail: true }) };
    },
  },
};

function maySeeEmail(deps: MethodDeps): boolean {
  return deps.manifest.oauth_config.scopes.bot.includes('users:read.email');
}
