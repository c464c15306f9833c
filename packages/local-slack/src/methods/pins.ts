import { SlackError } from '../errors.ts';
import { pinMessage, unpinMessage } from '../workspace/pins.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import { getChannel, isMember, type Method } from './method.ts';
import { getItem, permalinkOf, presentIn, refuseArchived } from './posting.ts';

export const pinMethods: Readonly<Record<string, Method>> = {
  'pins.add': {
    token: 'bot',
    scope: 'pins:write',
    run(args, deps) {
      const { channel, message } = getItem(args, deps);
      refuseArchived(channel);
      pinMessage(deps.workspace, message, { by: BOT_USER_ID, at: deps.now() });
      return {};
    },
  },

  'pins.remove': {
    token: 'bot',
    scope: 'pins:write',
    run(args, deps) {
      unpinMessage(deps.workspace, getItem(args, deps).message, BOT_USER_ID);
      return {};
    },
  },

  'pins.list': {
    token: 'bot',
    scope: 'pins:read',
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      if (!isMember(channel)) {
        throw new SlackError('no_permission'); // not_in_channel is not documented for this method
      }
      const items = deps.workspace.messages(channel.id).flatMap((message) => {
        const { pin } = message;
        return pin === null ? [] : [{ message, pin }];
      });
      return {
        items: items
          .toSorted((one, other) => other.pin.pinnedAt - one.pin.pinnedAt)
          .map(({ message, pin }) => ({
            type: 'message',
            channel: channel.id,
            created: pin.pinnedAt,
            created_by: pin.by,
            message: { ...presentIn(deps, message), permalink: permalinkOf(deps, message) },
          })),
      };
    },
  },
};
