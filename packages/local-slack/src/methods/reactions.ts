import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Message } from '../workspace/model.ts';
import { addReaction, checkEmojiName, removeReaction } from '../workspace/reactions.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import { type Arguments, isMember, type Method, type MethodDeps, page } from './method.ts';
import { getItem, permalinkOf, presentIn, refuseArchived } from './posting.ts';

export const reactionMethods: Readonly<Record<string, Method>> = {
  'reactions.add': {
    token: 'bot',
    scope: 'reactions:write',
    run(args, deps) {
      const name = readName(args);
      const { channel, message } = getItem(args, deps);
      refuseArchived(channel);
      deps.workspace.changeMessage(channel.id, message.ts, (before) => addReaction(before, name, BOT_USER_ID));
      return {};
    },
  },

  'reactions.remove': {
    token: 'bot',
    scope: 'reactions:write',
    run(args, deps) {
      const name = readName(args);
      const { channel, message } = getItem(args, deps);
      deps.workspace.changeMessage(channel.id, message.ts, (before) => removeReaction(before, name, BOT_USER_ID));
      return {};
    },
  },

  'reactions.get': {
    token: 'bot',
    scope: 'reactions:read',
    run(args, deps) {
      const { channel, message } = getItem(args, deps);
      return { type: 'message', channel: channel.id, message: present(deps, message) };
    },
  },

  'reactions.list': {
    token: 'bot',
    scope: 'reactions:read',
    run(args, deps) {
      const user = args.text('user') ?? BOT_USER_ID;
      if (deps.workspace.findPerson(user)?.id !== user) {
        throw new SlackError('user_not_found');
      }
      const reacted = deps.workspace
        .channels()
        .filter((channel) => channel.kind === 'public' || isMember(channel))
        .flatMap((channel) => deps.workspace.messages(channel.id))
        .filter((message) => message.reactions.some(({ users }) => users.includes(user)));
      const { items, nextCursor } = page(
        reacted.toReversed(),
        args.text('cursor'),
        args.count('limit', 100, LIMITS.listPage),
      );
      return {
        items: items.map((message) => ({ type: 'message', channel: message.channel, message: present(deps, message) })),
        response_metadata: { next_cursor: nextCursor },
      };
    },
  },
};

function readName(args: Arguments): string {
  const name = args.needed('name');
  checkEmojiName(name);
  return name;
}

function present(deps: MethodDeps, message: Message): Record<string, unknown> {
  return { ...presentIn(deps, message), permalink: permalinkOf(deps, message) };
}
