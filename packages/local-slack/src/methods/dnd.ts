import { SlackError } from '../errors.ts';
import { type Method, secondsNow } from './method.ts';

/** Nobody here has a schedule of quiet hours: people pause their notifications. */
export const dndMethods: Readonly<Record<string, Method>> = {
  'dnd.info': {
    token: 'bot',
    scope: 'dnd:read',
    run(args, deps) {
      const id = args.needed('user'); // required for a bot token
      if (deps.workspace.findPerson(id)?.id !== id) {
        throw new SlackError('user_not_found');
      }
      const until = deps.workspace.pauses.find(id)?.until ?? 0;
      const now = secondsNow(deps);
      return {
        dnd_enabled: false,
        next_dnd_start_ts: 1,
        next_dnd_end_ts: 1,
        snooze_enabled: until > now,
        ...(until > now && { snooze_endtime: until, snooze_remaining: until - now }),
      };
    },
  },
};
