import type { ServiceClient } from '../../client/service-client.ts';
import type { Mute } from '../../contract/resources.ts';
import type { MuteAction, MuteSubject, Outcome } from '../domain/action.ts';
import { isWorthReadingBack } from './service-failure.ts';

export type NamedMute = MuteAction & { readonly userName: string };

type Muted = Extract<MuteSubject, { value: string }>;

/**
 * Mutes a service or an integration, or ends that. The list of mutes tells whether an earlier attempt succeeded. A retry
 * does not shorten a mute that somebody has set for the same target.
 *
 * @throws ServiceClientError
 */
export function createMutes(deps: {
  service: Pick<ServiceClient, 'listMutes' | 'createMute' | 'deleteMute'>;
  now: () => Date;
}): (action: NamedMute) => Promise<Outcome> {
  const { service, now } = deps;

  async function listAgain(error: unknown): Promise<Mute[]> {
    if (!isWorthReadingBack(error)) {
      throw error;
    }
    return service.listMutes().catch(() => {
      throw error;
    });
  }

  async function start(action: NamedMute, { target, value }: Muted): Promise<Outcome> {
    const { until = null, userName: user, note: reason } = action;
    if (until === null || until <= now()) {
      return { kind: 'refused', action, reason: { kind: 'rejected', detail: 'the time of the mute has passed' } };
    }
    const isSame = (mute: Mute) => mute.target === target && mute.value === value;
    const isOurs = (mute: Mute) =>
      isSame(mute) && mute.created_by === user && Date.parse(mute.until) === until.getTime();
    const before = action.attempts === 0 ? undefined : (await service.listMutes()).find(isSame);
    if (before !== undefined && new Date(before.until) >= until) {
      return { kind: isOurs(before) ? 'done' : 'already', action, incident: null };
    }
    try {
      await service.createMute({ target, value, until, user, ...(reason !== null && { reason }) });
    } catch (error) {
      const mutes = await listAgain(error);
      if (!mutes.some(isOurs)) {
        throw error;
      }
    }
    return { kind: 'done', action, incident: null };
  }

  async function end(action: NamedMute, id: string): Promise<Outcome> {
    const isThere = (mutes: readonly Mute[]) => mutes.some((mute) => mute.id === id);
    if (!isThere(await service.listMutes())) {
      // Only an earlier attempt can have ended it.
      return { kind: action.attempts > 0 ? 'done' : 'already', action, incident: null };
    }
    try {
      await service.deleteMute(id, { user: action.userName });
    } catch (error) {
      if (isThere(await listAgain(error))) {
        throw error;
      }
    }
    return { kind: 'done', action, incident: null };
  }

  return (action) => ('id' in action.mute ? end(action, action.mute.id) : start(action, action.mute));
}
