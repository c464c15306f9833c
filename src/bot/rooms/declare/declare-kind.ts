import type { ServiceClient } from '../../../client/service-client.ts';
import type { IncidentAccess } from '../../actions/incident-access.ts';
import type { Kind } from '../../actions/kind.ts';

/** Opens an incident by hand. The id of the action is the idempotency key, so a repeated attempt opens no second one. */
export function createDeclareKind({
  service,
  incidents,
  now,
}: {
  service: Pick<ServiceClient, 'declareIncident'>;
  incidents: IncidentAccess;
  now: () => Date;
}): Kind<'declare'> {
  return {
    read: () => Promise.resolve({ incident: null, stored: null, etag: null, readAt: now() }),
    judge: () => null,
    isVoidedBy: ({ slackUserId, service: name, title }, newer) =>
      newer.kind === 'declare' && newer.slackUserId === slackUserId && newer.service === name && newer.title === title,
    voidedIn: () => null,

    async write(action) {
      const { id, title, service: name, severity, note, userName: user, userId: user_id } = action;
      const sentAt = now();
      const request = { title, service: name, severity, user, user_id, ...(note !== null && { note }) };
      const incident = await service.declareIncident(request, id);
      if (action.attempts > 0) {
        // It may be the stored response to an earlier attempt.
        return { kind: 'done', action, incident: (await incidents.readAgain(incident.id)) ?? incident };
      }
      const known = await incidents.observe(incident, sentAt);
      return { kind: 'done', action, incident: known?.incident ?? incident };
    },

    recognize: () => null, // a retry with the same idempotency key gets the response of this attempt
  };
}
