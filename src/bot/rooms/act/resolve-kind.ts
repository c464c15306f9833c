import type { ServiceClient } from '../../../client/service-client.ts';
import type { NamedAction } from '../../actions/action.ts';
import { changedSince } from '../../actions/incident-access.ts';
import type { Kind } from '../../actions/kind.ts';
import { isFailing } from '../../incident/incident.ts';
import { findStillFiring } from '../../incident/still-firing.ts';
import { type ConfirmedWriteDeps, confirmedWrite } from './confirmed-write.ts';

/** Newer actions of these kinds make a resolution void. */
const LATER: ReadonlySet<string> = new Set(['resolve', 'reopen']);

export function createResolveKind(
  deps: ConfirmedWriteDeps & { readonly service: Pick<ServiceClient, 'resolveIncident'> },
): Kind<'resolve'> {
  const written = confirmedWrite(
    {
      confirmation: ({ userName: user, note }: NamedAction<'resolve'>, at) => ({
        kind: 'resolve',
        user,
        at: at.toISOString(),
        note,
      }),
      shownBy: (incident) => incident.resolution_note ?? null,
      sentBy: ({ note }: NamedAction<'resolve'>) => note,
      after: (incident) => ({ ...incident, status: 'closed' }),
      isTooLate: () => false,
      send({ incidentId, userName: user, userId, note: resolutionNote, isNoProblem }: NamedAction<'resolve'>, once) {
        return deps.service.resolveIncident(incidentId, { resolutionNote, user, userId, isNoProblem, ...once });
      },
    },
    deps,
  );
  return {
    ...written,
    async judge(action, before, isSuperseded) {
      const { incident } = before;
      const judged = await written.judge(action, before, isSuperseded);
      if (judged !== null || incident === null || !action.asksFirst) {
        return judged;
      }
      const stillFiring = findStillFiring(incident, deps.now());
      return stillFiring !== null || isFailing(incident) ? { kind: 'asked', action, incident, stillFiring } : null;
    },
    isVoidedBy: (_action, { kind }) => LATER.has(kind),
    voidedIn: (action, before) => changedSince(action, before, { reopened: 'reopen' }),
  };
}
