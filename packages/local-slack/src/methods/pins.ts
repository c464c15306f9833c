import { pinMessage } from '../workspace/pins.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import type { Method } from './method.ts';
import { getItem, refuseArchived } from './posting.ts';

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
};
