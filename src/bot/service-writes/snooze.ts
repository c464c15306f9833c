import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident } from '../../contract/resources.ts';
import type { Outcome } from '../domain/action.ts';
import { isDoneAlready, isSnoozed } from '../domain/incident.ts';
import { isWorthReadingBack } from './service-failure.ts';
import type { NamedAction } from './undo.ts';

/**
 * Mutes one incident until a time, or ends that, at the service, so that all its users agree. A service without mutes refuses.
 *
 * @throws ServiceClientError
 */
export function createSnooze(deps: {
  service: Pick<ServiceClient, 'createMute' | 'deleteMute'>;
  read: (incidentId: string) => Promise<Incident | null>;
  /** Like `read`, but null if it fails. */
  readAgain: (incidentId: string) => Promise<Incident | null>;
  now: () => Date;
}): (action: NamedAction) => Promise<Outcome> {
  const { service, read, readAgain, now } = deps;

  async function end(action: NamedAction, before: Incident): Promise<Outcome> {
    const { mute } = before;
    if (!isSnoozed(before) || mute === null || mute === undefined) {
      // Only an earlier attempt can have ended it.
      return { kind: action.attempts > 0 ? 'done' : 'already', action, incident: before };
    }
    try {
      await service.deleteMute(mute.id, { user: action.userName });
    } catch (error) {
      const after = isWorthReadingBack(error) ? await readAgain(before.id) : null;
      if (after === null || !isDoneAlready(after, action.kind)) {
        throw error;
      }
      return { kind: 'done', action, incident: after };
    }
    return { kind: 'done', action, incident: (await readAgain(before.id)) ?? { ...before, mute: null } };
  }

  return async (action) => {
    const { incidentId, until = null, note: reason, userName: user } = action;
    const before = await read(incidentId);
    if (before === null) {
      return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
    }
    if (action.kind === 'unsnooze') {
      return end(action, before);
    }
    if (before.status === 'closed') {
      return { kind: 'already', action, incident: before };
    }
    if (until === null || until <= now()) {
      return { kind: 'refused', action, reason: { kind: 'rejected', detail: 'the time of the snooze has passed' } };
    }
    // Only an earlier attempt can have set this very time.
    if (action.attempts === 0 || Date.parse(before.mute?.until ?? '') !== until.getTime()) {
      await service.createMute({
        target: 'incident',
        value: before.id,
        until,
        user,
        ...(reason !== null && { reason }),
      });
    }
    return { kind: 'done', action, incident: (await readAgain(incidentId)) ?? before };
  };
}
