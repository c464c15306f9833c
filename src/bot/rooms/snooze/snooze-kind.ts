import type { ServiceClient } from '../../../client/service-client.ts';
import type { Action } from '../../actions/action.ts';
import { changedSince, type IncidentAccess } from '../../actions/incident-access.ts';
import type { Kind } from '../../actions/kind.ts';
import { isSnoozed } from '../../incident/incident.ts';
import { SNOOZE_ACTIONS } from './actions.ts';

export interface SnoozeDeps {
  readonly service: Pick<ServiceClient, 'createMute' | 'deleteMute'>;
  readonly incidents: IncidentAccess;
  readonly now: () => Date;
}

/** Timeline events of snoozes. A newer snooze, or its end, makes an older one void. */
const CHANGES = { muted: 'snooze', unmuted: 'unsnooze' } as const;
const isLater = (_action: Action, { kind }: Action) => kind === 'snooze' || kind === 'unsnooze';

/** Mutes one incident until a time at the service, so that all its users agree. A service without mutes refuses. */
export function createSnoozeKind({ service, incidents, now }: SnoozeDeps): Kind<'snooze'> {
  return {
    read: ({ incidentId }) => incidents.read(incidentId),

    judge(action, { incident }) {
      if (incident === null) {
        return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
      }
      if (SNOOZE_ACTIONS[action.kind].isThere(incident)) {
        return { kind: 'already', action, incident };
      }
      if (action.until <= now()) {
        return { kind: 'refused', action, reason: { kind: 'rejected', detail: 'the time of the snooze has passed' } };
      }
      // After a failed attempt, a mute with exactly this end counts as set by that attempt.
      const isOurs = action.attempts > 0 && Date.parse(incident.mute?.until ?? '') === action.until.getTime();
      return isOurs ? { kind: 'done', action, incident } : null;
    },

    isVoidedBy: isLater,
    voidedIn: (action, before) => changedSince(action, before, CHANGES),

    async write(action, { incident }) {
      const { id: idempotencyKey, incidentId: value, until, userName: user, userId: user_id, reason } = action;
      const request = { target: 'incident', value, until, user, user_id, ...(reason !== null && { reason }) } as const;
      await service.createMute({ ...request, idempotencyKey });
      const shown = (await incidents.readAgain(value)) ?? incident;
      return shown === null
        ? { kind: 'refused', action, reason: { kind: 'unknown-incident' } }
        : { kind: 'done', action, incident: shown };
    },

    recognize: () => null, // the next attempt compares the end of the mute, see `judge`
  };
}

/** Ends the snooze of an incident. */
export function createUnsnoozeKind({ service, incidents }: SnoozeDeps): Kind<'unsnooze'> {
  return {
    read: ({ incidentId }) => incidents.read(incidentId),

    judge(action, { incident }) {
      if (incident === null) {
        return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
      }
      if (isSnoozed(incident)) {
        return null;
      }
      // Only an earlier attempt can have ended it.
      return { kind: action.attempts > 0 ? 'done' : 'already', action, incident };
    },

    isVoidedBy: isLater,
    voidedIn: (action, before) => changedSince(action, before, CHANGES),

    async write(action, { incident }) {
      if (incident === null || !incident.mute) {
        return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
      }
      await service.deleteMute(incident.mute.id, { user: action.userName, user_id: action.userId });
      const shown = (await incidents.readAgain(incident.id)) ?? { ...incident, mute: null };
      return { kind: 'done', action, incident: shown };
    },

    recognize: (action, { after: { incident } }) =>
      incident !== null && SNOOZE_ACTIONS[action.kind].isThere(incident) ? { kind: 'done', action, incident } : null,
  };
}
