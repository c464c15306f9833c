import type { ServiceClient } from '../../client/service-client.ts';
import { changedSince, type IncidentAccess } from '../actions/incident-access.ts';
import type { IncidentState, Kind, KindOf } from '../actions/kind.ts';
import { type Action, type NamedAction, UNDO_MS } from '../domain/action.ts';
import { isSet, setsTheSame } from '../domain/incident.ts';
import type { ActionStore } from '../store/actions.ts';

export interface SteerDeps {
  readonly service: Pick<ServiceClient, 'updateIncident'>;
  readonly store: { readonly actions: Pick<ActionStore, 'findSettled'> };
  readonly incidents: IncidentAccess;
  readonly now: () => Date;
}

type SteerKind = 'steer' | 'unsteer';

/** Sets the title, severity, root service or the people of an incident by hand. */
export function createSteerKind(deps: SteerDeps): Kind<'steer'> {
  return {
    ...update(deps),

    judge(action, { incident }) {
      if (incident === null) {
        return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
      }
      // After a failed attempt, equal values count as set by that attempt.
      return isSet(incident, action.set) ? { kind: action.attempts > 0 ? 'done' : 'already', action, incident } : null;
    },
  };
}

/** Takes a change back, as long as the incident still shows exactly that one, for ten minutes. */
export function createUnsteerKind(deps: SteerDeps): Kind<'unsteer'> {
  return {
    ...update(deps),

    async judge(action, { incident }) {
      const target = await deps.store.actions.findSettled(action.undoes, action.slackUserId);
      if (target === null || incident === null) {
        return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
      }
      if (isSet(incident, action.set)) {
        return { kind: action.attempts > 0 ? 'done' : 'already', action, incident };
      }
      if (target.ageMs > UNDO_MS) {
        return { kind: 'refused', action, reason: { kind: 'undo-expired', incident } };
      }
      return isSet(incident, action.before)
        ? null
        : { kind: 'refused', action, reason: { kind: 'undo-overtaken', incident } };
    },
  };
}

/** The parts that both kinds share. A newer change of the same field makes an older one void. */
function update({
  service,
  incidents,
  now,
}: SteerDeps): Pick<KindOf<SteerKind, IncidentState>, 'read' | 'isVoidedBy' | 'voidedIn' | 'write' | 'recognize'> {
  return {
    read: ({ incidentId }) => incidents.read(incidentId),
    isVoidedBy: (action, newer) => isSteering(newer) && setsTheSame(action.set, newer.set),
    // Checked even if the fields have their old values: somebody may have reverted an earlier attempt.
    voidedIn: (action, before) => changedSince(action, before, { changed: 'steer' }),

    async write(action, { incident, etag: ifMatch }) {
      const sentAt = now();
      const { userName: user, userId: user_id } = action;
      const answer = await service.updateIncident(action.incidentId, { ...action.set, user, user_id, ifMatch });
      const known = answer === null ? null : await incidents.observe(answer, sentAt);
      const shown = known?.incident ?? answer ?? (await incidents.readAgain(action.incidentId)) ?? incident;
      return shown === null
        ? { kind: 'refused', action, reason: { kind: 'unknown-incident' } }
        : { kind: 'done', action, incident: shown };
    },

    recognize: (action: NamedAction<SteerKind>, { after: { incident } }) =>
      incident !== null && isSet(incident, action.set) ? { kind: 'done', action, incident } : null,
  };
}

function isSteering(action: Action): action is Action<SteerKind> {
  return action.kind === 'steer' || action.kind === 'unsteer';
}
