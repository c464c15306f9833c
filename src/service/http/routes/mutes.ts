import { NotFoundError } from '../../core/errors.ts';
import { MUTE_LABELS_HELP } from '../../core/mute-labels.ts';
import { faultOfMuteTime } from '../../core/mute-time.ts';
import { actorOf } from '../actor-of.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';
import { invalidBody } from '../validate.ts';

type MuteHandlers = Pick<Handlers, 'listMutes' | 'createMute' | 'deleteMute'>;

const POINTERS = { startsAt: '/starts_at', until: '/until', repeat: '/repeat', timeZone: '/time_zone' } as const;

export function createMuteHandlers({ mutes, now }: Pick<RouteDeps, 'mutes' | 'now'>): MuteHandlers {
  return {
    async listMutes() {
      return { body: { mutes: await mutes.list(now()) } };
    },

    async createMute({ body, callerName }) {
      const {
        user: _user,
        user_id: _userId,
        starts_at: startsAt = null,
        repeat = null,
        time_zone: timeZone,
        ...given
      } = body;
      const at = now();
      const { target, reason = null } = given;
      const mute = { ...given, reason, startsAt, repeat, timeZone, actor: actorOf(body, callerName) };
      const fault = faultOfMuteTime(mute, at);
      if (fault !== null) {
        throw invalidBody([{ pointer: POINTERS[fault.field], detail: fault.detail }]);
      }
      const created = await mutes.create(mute, at);
      if (created === null) {
        const detail = target === 'labels' ? MUTE_LABELS_HELP : `there is no such ${target}`;
        throw invalidBody([{ pointer: '/value', detail }]);
      }
      return { body: created, headers: { location: `/v1/mutes/${created.id}` } };
    },

    async deleteMute({ id, query, callerName }) {
      if (!(await mutes.delete(id, actorOf(query, callerName), now()))) {
        throw new NotFoundError('mute', id);
      }
      return { body: null };
    },
  };
}
