import type { ServiceClient } from '../../../client/service-client.ts';
import { type Action, type NamedAction, type Outcome, UNDO_MS } from '../../actions/action.ts';
import type { ActionStore } from '../../actions/action-store.ts';
import { changedSince, type IncidentAccess, onceAfter } from '../../actions/incident-access.ts';
import type { IncidentState, Kind, KindOf } from '../../actions/kind.ts';
import type { FindAssigned } from './assigned.ts';
import { isSet, type SetByHand, setsTheSame } from './set-by-hand.ts';

export interface SteerDeps {
  readonly service: Pick<ServiceClient, 'updateIncident'>;
  readonly store: { readonly actions: Pick<ActionStore, 'findSettled'> };
  readonly incidents: IncidentAccess;
  readonly findAssigned: FindAssigned;
  readonly now: () => Date;
}

type SteerKind = 'steer' | 'unsteer';

/** Sets the title, severity, root service or the people of an incident by hand. */
export function createSteerKind(deps: SteerDeps): Kind<'steer'> {
  const { write, recognize, ...shared } = update(deps);

  /** Goes on with the names of the people, or returns why there are none. */
  async function named<Result>(
    action: NamedAction<'steer'>,
    goOn: (action: NamedAction<'steer'>) => Result,
  ): Promise<Awaited<Result> | Outcome> {
    const found = await namesOf(action, deps.findAssigned);
    return 'set' in found ? await goOn({ ...action, set: found.set }) : { ...found, action };
  }

  return {
    ...shared,

    judge: (action, { incident }) =>
      named(action, (whole) => {
        if (incident === null) {
          return { kind: 'refused', action, reason: { kind: 'unknown-incident' } } as const;
        }
        // After a failed attempt, equal values count as set by that attempt.
        const isByUs = action.attempts > 0;
        return isSet(incident, whole.set)
          ? ({ kind: isByUs ? 'done' : 'already', action: whole, incident } as const)
          : null;
      }),

    write: (action, before) => named(action, (whole) => write(whole, before)),

    recognize: (action, doubt) => named(action, (whole) => recognize(whole, doubt)),
  };
}

type Unnamed =
  | { readonly kind: 'kept'; readonly reason: 'slack' }
  | Pick<Extract<Outcome, { kind: 'refused' }>, 'kind' | 'reason'>;

/** What an action sets, with the people as the service knows them; or why they have no name there. */
async function namesOf(
  { set, people }: Pick<NamedAction<'steer'>, 'set' | 'people'>,
  findAssigned: FindAssigned,
): Promise<{ readonly set: SetByHand } | Unnamed> {
  const names: SetByHand = {};
  for (const field of ['lead', 'communications'] as const) {
    const whom = people[field];
    if (whom === undefined) {
      continue;
    }
    const found = await findAssigned(whom);
    if (found.kind === 'unclear') {
      return { kind: 'kept', reason: 'slack' };
    }
    if (found.kind === 'refused') {
      return { kind: 'refused', reason: { kind: 'not-assignable', whom, why: found.why } };
    }
    names[field] = found.name;
  }
  return { set: { ...set, ...names } };
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
      const people = target.action.kind === 'steer' ? target.action.people : {};
      const was = await namesOf({ set: action.before, people }, deps.findAssigned);
      if ('kind' in was) {
        return { ...was, action };
      }
      return isSet(incident, was.set)
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
    isVoidedBy: (action, newer) => isSteering(newer) && setsTheSame(fieldsIn(action), fieldsIn(newer)),
    // Checked even if the fields have their old values: somebody may have reverted an earlier attempt.
    voidedIn: (action, before) => changedSince(action, before, { changed: 'steer' }),

    async write(action, before) {
      const { incident } = before;
      const sentAt = now();
      const { userName: user, userId: user_id } = action;
      const request = { ...action.set, user, user_id, ...onceAfter(action, before) };
      const answer = await service.updateIncident(action.incidentId, request);
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

/** Every field that an action sets, whatever to. */
function fieldsIn(action: Action<SteerKind>): SetByHand {
  return action.kind === 'steer' ? { ...action.set, ...action.people } : action.set;
}
