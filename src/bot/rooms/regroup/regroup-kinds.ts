import type { ServiceClient } from '../../../client/service-client.ts';
import type { Incident } from '../../../contract/resources.ts';
import type { ActionKind, NamedAction, Outcome } from '../../actions/action.ts';
import { changedSince, type IncidentAccess, onceAfter } from '../../actions/incident-access.ts';
import type { IncidentState, Kind, KindOf } from '../../actions/kind.ts';
import { REGROUP_ACTIONS } from './actions.ts';

export interface RegroupDeps {
  readonly service: Pick<ServiceClient, 'mergeIncident' | 'splitIncident'>;
  readonly incidents: IncidentAccess;
  readonly now: () => Date;
}

type RegroupKind = 'merge' | 'split';

/** Makes an open incident part of another. */
export function createMergeKind(deps: RegroupDeps): Kind<'merge'> {
  return {
    ...regrouping(deps, () => null, ['merge', 'split', 'resolve', 'reopen']),
    voidedIn: (action, before) => changedSince(action, before, { split: 'split', reopened: 'reopen' }),
    write: (action, before) =>
      send(deps, action, before, (request) =>
        deps.service.mergeIncident(action.incidentId, { ...request, into: action.into }),
      ),
  };
}

/** Makes a merged incident one of its own again. */
export function createSplitKind(deps: RegroupDeps): Kind<'split'> {
  const refusal = ({ merged_into: into }: Incident) => (into == null ? 'it is not part of another incident' : null);
  return {
    ...regrouping(deps, refusal, ['merge', 'split']),
    voidedIn: (action, before) => changedSince(action, before, { merged: 'merge' }),
    write: (action, before) =>
      send(deps, action, before, (request) => deps.service.splitIncident(action.incidentId, request)),
  };
}

/**
 * @param refusal why it cannot be done; null: it can
 * @param newer kinds of a later action that leave nothing of this one
 */
function regrouping(
  { incidents }: RegroupDeps,
  refusal: (incident: Incident) => string | null,
  newer: readonly ActionKind[],
): Omit<KindOf<RegroupKind, IncidentState>, 'voidedIn' | 'write'> {
  return {
    read: ({ incidentId }) => incidents.read(incidentId),

    judge(action, { incident }) {
      if (incident === null) {
        return unknownIncident(action);
      }
      if (REGROUP_ACTIONS[action.kind].isThere(incident)) {
        // Only an earlier attempt can have done it.
        return { kind: action.attempts > 0 ? 'done' : 'already', action, incident };
      }
      const detail = refusal(incident);
      return detail === null ? null : { kind: 'refused', action, reason: { kind: 'rejected', detail } };
    },

    isVoidedBy: (_action, { kind }) => newer.includes(kind),

    recognize: (action, { after: { incident } }) =>
      incident !== null && REGROUP_ACTIONS[action.kind].isThere(incident) ? { kind: 'done', action, incident } : null,
  };
}

type Request = Parameters<ServiceClient['splitIncident']>[1];

async function send(
  { incidents, now }: RegroupDeps,
  action: NamedAction<RegroupKind>,
  before: IncidentState,
  request: (asked: Request) => Promise<Incident | null>,
): Promise<Outcome> {
  const sentAt = now();
  const answer = await request({ user: action.userName, user_id: action.userId, ...onceAfter(action, before) });
  const known = answer === null ? null : await incidents.observe(answer, sentAt);
  const shown = known?.incident ?? answer ?? (await incidents.readAgain(action.incidentId)) ?? before.incident;
  return shown === null ? unknownIncident(action) : { kind: 'done', action, incident: shown };
}

function unknownIncident(action: NamedAction<RegroupKind>): Outcome {
  return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
}
