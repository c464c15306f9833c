import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { BOT_USER_ID } from '../seed.ts';
import { getChannel, isMember, type Method, secondsNow } from './method.ts';
import { getItem, permalinkOf, presentIn, refuseArchived } from './posting.ts';

export const pinMethods: Readonly<Record<string, Method>> = {
  'pins.add': {
    token: 'bot',
    scope: 'pins:write',
    run(args, deps) {
      const { channel, message } = getItem(args, deps);
      refuseArchived(channel);
      if (message.pin !== null) {
        throw new SlackError('already_pinned');
      }
      const pins = deps.workspace.messages(channel.id).filter(({ pin }) => pin !== null);
      if (pins.length >= LIMITS.pins) {
        throw new SlackError('too_many_pins');
      }
      const pin = { by: BOT_USER_ID, pinnedAt: secondsNow(deps) };
      deps.workspace.changeMessage(channel.id, message.ts, (before) => ({ ...before, pin }));
      return {};
    },
  },

  'pins.remove': {
    token: 'bot',
    scope: 'pins:write',
    run(args, deps) {
      const { channel, message } = getItem(args, deps);
      if (message.pin === null) {
        throw new SlackError('no_pin');
      }
      deps.workspace.changeMessage(channel.id, message.ts, (before) => ({ ...before, pin: null }));
      return {};
    },
  },

  'pins.list': {
    token: 'bot',
    scope: 'pins:read',
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      if (!isMember(channel)) {
        throw new SlackError('not_in_channel');
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
