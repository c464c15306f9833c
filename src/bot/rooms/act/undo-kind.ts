import type { Once } from '../../../client/additions.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import type { Incident } from '../../../contract/resources.ts';
import { type NamedAction, UNDO_MS } from '../../actions/action.ts';
import type { ActionStore, SettledAction } from '../../actions/action-store.ts';
import { type IncidentAccess, onceAfter } from '../../actions/incident-access.ts';
import type { IncidentState, Kind, KindOf } from '../../actions/kind.ts';
import { ACT_ACTIONS } from './actions.ts';

type UndoKind = 'unacknowledge' | 'reopen';

export interface UndoDeps {
  readonly service: Pick<ServiceClient, 'unacknowledgeIncident' | 'reopenIncident'>;
  readonly store: { readonly actions: Pick<ActionStore, 'findSettled'> };
  readonly incidents: IncidentAccess;
  readonly now: () => Date;
}

/** The timeline of the service shows it. */
const REASON = 'Undone in Slack';

type Undo = (request: { user: string; user_id: string; reason: string } & Required<Once>) => Promise<Incident | null>;

export function createUnacknowledgeKind(deps: UndoDeps): Kind<'unacknowledge'> {
  return undoKind(
    deps,
    ({ incidentId }) =>
      (request) =>
        deps.service.unacknowledgeIncident(incidentId, request),
  );
}

export function createReopenKind(deps: UndoDeps): Kind<'reopen'> {
  return undoKind(
    deps,
    ({ incidentId }) =>
      (request) =>
        deps.service.reopenIncident(incidentId, request),
  );
}

/**
 * Takes an acknowledgement or a closing back, as long as the incident still shows exactly that one and not more than ten
 * minutes have passed. Both are checked when the undo is sent, so a late click and a pending undo change nothing. With a
 * service that has entity tags, nothing can happen between the check and the write.
 */
function undoKind(
  { store, incidents, now }: UndoDeps,
  undoOf: (action: NamedAction<UndoKind>) => Undo,
): KindOf<UndoKind, IncidentState> {
  const find = ({ undoes, slackUserId }: NamedAction<UndoKind>) => store.actions.findSettled(undoes, slackUserId);
  return {
    read: ({ incidentId }) => incidents.read(incidentId),

    async judge(action, { incident }) {
      const target = await find(action);
      if (target === null || incident === null) {
        return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
      }
      if (ACT_ACTIONS[action.kind].isThere(incident)) {
        // Only an earlier attempt can have done it.
        return { kind: action.attempts > 0 ? 'done' : 'already', action, incident };
      }
      if (target.ageMs > UNDO_MS) {
        return { kind: 'refused', action, reason: { kind: 'undo-expired', incident } };
      }
      return isStillThere(target, incident)
        ? null
        : { kind: 'refused', action, reason: { kind: 'undo-overtaken', incident } };
    },

    isVoidedBy: () => false, // `judge` detects newer changes by the state of the incident
    voidedIn: () => null,

    async write(action, state) {
      const { incident: before } = state;
      const sentAt = now();
      const answer = await undoOf(action)({
        user: action.userName,
        user_id: action.userId,
        reason: REASON,
        ...onceAfter(action, state),
      });
      const shown = answer ?? (await incidents.readAgain(action.incidentId)) ?? before;
      const known = answer === null ? null : await incidents.observe(answer, sentAt);
      return shown === null
        ? { kind: 'refused', action, reason: { kind: 'unknown-incident' } }
        : { kind: 'done', action, incident: known?.incident ?? shown };
    },

    async recognize(action, { after: { incident } }) {
      if (incident === null) {
        return null;
      }
      if (ACT_ACTIONS[action.kind].isThere(incident)) {
        return { kind: 'done', action, incident };
      }
      const target = await find(action);
      return target !== null && isStillThere(target, incident)
        ? null
        : { kind: 'refused', action, reason: { kind: 'undo-overtaken', incident } };
    },
  };
}

/** Whether the incident still shows the effect of this action, and not that of a later one. Compares the times. */
function isStillThere({ action, effectAt: at }: SettledAction, incident: Incident): boolean {
  const { kind } = action;
  const shown = kind === 'acknowledge' || kind === 'resolve' ? (ACT_ACTIONS[kind].doneAt?.(incident) ?? null) : null;
  return at !== null && shown !== null && Date.parse(shown) === at.getTime();
}
