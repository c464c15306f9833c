import type { ServiceClient } from '../../../client/service-client.ts';
import type { Mute } from '../../../contract/mute.ts';
import { nextTime } from '../../../incident/repetition.ts';
import type { Action, NamedAction } from '../../actions/action.ts';
import type { ActionStore } from '../../actions/action-store.ts';
import type { Kind } from '../../actions/kind.ts';

export interface MuteDeps {
  readonly service: Pick<ServiceClient, 'listMutes' | 'createMute' | 'deleteMute'>;
  readonly store: { readonly actions: Pick<ActionStore, 'plan'> };
  readonly now: () => Date;
}

/** Upper bound for the time between two checks of a planned mute. */
const LONGEST_WAIT_MS = 60_000;

/** A newer mute or unmute of the same target makes an older one void. */
const isLater = (_action: Action, { kind }: Action) => kind === 'mute' || kind === 'unmute';

/**
 * Mutes a service or an integration, at once or later. One that comes back plans its next time before it begins, so that
 * a process that dies leaves the plan. The list of mutes shows whether an earlier attempt succeeded. A retry does not
 * shorten a mute that somebody has set for the same target.
 */
export function createMuteKind({ service, store, now }: MuteDeps): Kind<'mute'> {
  async function planNext(action: NamedAction<'mute'>): Promise<void> {
    const { id, startsAt, userName, userId: _userId, attempts: _attempts, keptAt: _keptAt, ...request } = action;
    const next = startsAt === null ? null : nextTime({ ...request, startsAt }, now());
    if (next !== null) {
      await store.actions.plan({ ...request, ...next, source: `after ${id}` }, userName);
    }
  }

  return {
    read: () => service.listMutes(),

    async judge(action, mutes) {
      const waitMs = (action.startsAt?.getTime() ?? 0) - now().getTime();
      if (waitMs > 0) {
        return { kind: 'kept', action, reason: 'planned', waitMs: Math.min(waitMs, LONGEST_WAIT_MS) };
      }
      if (action.until <= now()) {
        await planNext(action);
        return { kind: 'refused', action, reason: { kind: 'rejected', detail: 'the time of the mute has passed' } };
      }
      const before = action.attempts === 0 ? undefined : mutes.find((mute) => isSame(mute, action));
      return before === undefined || new Date(before.until) < action.until
        ? null
        : { kind: isOurs(before, action) ? 'done' : 'already', action, incident: null };
    },

    isVoidedBy: (action, newer) => action.startsAt === null && isLater(action, newer),
    voidedIn: () => null,

    async write(action) {
      const { id: idempotencyKey, target, value, until, userName: user, userId: user_id, reason } = action;
      await planNext(action);
      const { id: muteId } = await service.createMute({
        target,
        value,
        until,
        user,
        user_id,
        ...(reason !== null && { reason }),
        idempotencyKey,
      });
      return { kind: 'done', action, incident: null, muteId };
    },

    recognize: (action, { after }) =>
      after.some((mute) => isOurs(mute, action)) ? { kind: 'done', action, incident: null } : null,
  };
}

/** Ends a mute of a service or an integration. */
export function createUnmuteKind({ service }: MuteDeps): Kind<'unmute'> {
  const isThere = (mutes: readonly Mute[], { muteId }: Action<'unmute'>) => mutes.some(({ id }) => id === muteId);
  return {
    read: () => service.listMutes(),

    judge(action, mutes) {
      // Only an earlier attempt can have ended it.
      return isThere(mutes, action) ? null : { kind: action.attempts > 0 ? 'done' : 'already', action, incident: null };
    },

    isVoidedBy: isLater,
    voidedIn: () => null,

    async write(action) {
      await service.deleteMute(action.muteId, { user: action.userName, user_id: action.userId });
      return { kind: 'done', action, incident: null };
    },

    recognize: (action, { after }) => (isThere(after, action) ? null : { kind: 'done', action, incident: null }),
  };
}

/** A mute that is planned at the service has not begun. */
function isSame(mute: Mute, { target, value }: Action<'mute'>): boolean {
  return mute.target === target && mute.value === value && (mute.starts_at ?? null) === null;
}

function isOurs(mute: Mute, action: NamedAction<'mute'>): boolean {
  return (
    isSame(mute, action) && mute.created_by === action.userName && Date.parse(mute.until) === action.until.getTime()
  );
}
