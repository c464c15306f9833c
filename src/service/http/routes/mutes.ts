import { addDays } from 'date-fns/addDays';
import { NotFoundError } from '../../core/errors.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';
import { invalidBody } from '../validate.ts';

/** The longest that a mute may last. */
export const MAX_MUTE_DAYS = 30;

type MuteHandlers = Pick<Handlers, 'listMutes' | 'createMute' | 'deleteMute'>;

export function createMuteHandlers({ mutes, now }: Pick<RouteDeps, 'mutes' | 'now'>): MuteHandlers {
  return {
    async listMutes() {
      return { body: { mutes: await mutes.list(now()) } };
    },

    async createMute({ body: { target, value, until, reason = null, user } }) {
      const at = now();
      if (until <= at || until > addDays(at, MAX_MUTE_DAYS)) {
        throw invalidBody([
          { pointer: '/until', detail: `must be in the future, at most ${MAX_MUTE_DAYS} days ahead` },
        ]);
      }
      const mute = await mutes.create({ target, value, until, reason, user }, at);
      if (mute === null) {
        throw invalidBody([{ pointer: '/value', detail: `there is no such ${target}` }]);
      }
      return { body: mute, headers: { location: `/v1/mutes/${mute.id}` } };
    },

    async deleteMute({ id, query }) {
      if (!(await mutes.delete(id, query.user, now()))) {
        throw new NotFoundError('mute', id);
      }
      return { body: null };
    },
  };
}
