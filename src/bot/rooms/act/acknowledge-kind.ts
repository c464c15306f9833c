import type { ServiceClient } from '../../../client/service-client.ts';
import { changedSince } from '../../actions/incident-access.ts';
import type { Kind } from '../../actions/kind.ts';
import { type ConfirmedWriteDeps, confirmedWrite } from './confirmed-write.ts';

/** Newer actions of these kinds make an acknowledgement void. */
const LATER: ReadonlySet<string> = new Set(['acknowledge', 'unacknowledge', 'resolve', 'reopen']);

export function createAcknowledgeKind(
  deps: ConfirmedWriteDeps & { readonly service: Pick<ServiceClient, 'acknowledgeIncident'> },
): Kind<'acknowledge'> {
  return {
    ...confirmedWrite(
      {
        confirmation: ({ userName: user }, at) => ({ kind: 'acknowledge', user, at: at.toISOString() }),
        shownBy: (incident) => incident.acknowledged_by ?? null,
        sentBy: ({ userName }) => userName,
        after: (incident) => incident,
        isTooLate: ({ status }) => status === 'closed',
        send: ({ incidentId, userName: user, userId }, once) =>
          deps.service.acknowledgeIncident(incidentId, { user, userId, ...once }),
      },
      deps,
    ),
    isVoidedBy: (_action, { kind }) => LATER.has(kind),
    voidedIn: (action, before) => changedSince(action, before, { unacknowledged: 'unacknowledge' }),
  };
}
