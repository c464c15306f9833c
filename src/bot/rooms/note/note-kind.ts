import { NotOfferedError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import type { Incident } from '../../../contract/resources.ts';
import type { NamedAction } from '../../actions/action.ts';
import { type IncidentAccess, onceAfter } from '../../actions/incident-access.ts';
import type { Kind } from '../../actions/kind.ts';
import type { NoticeStore } from '../../messages/notices.ts';
import { isSameText } from '../../slack/same-text.ts';
import { threadNote } from './note-modal.ts';

/**
 * Adds a note to the timeline of an incident. A service that keeps no notes gets none: the note becomes a reply in the
 * thread of each card, as soon as there is one. An earlier attempt is recognized in the timeline, so that no note is added twice.
 */
export function createNoteKind(deps: {
  service: Pick<ServiceClient, 'addNote'>;
  store: { readonly notices: NoticeStore };
  incidents: IncidentAccess;
  onChanged: () => void;
  now: () => Date;
}): Kind<'note'> {
  const { service, store, incidents, now } = deps;
  return {
    read: ({ incidentId }) => incidents.read(incidentId),

    judge(action, { incident }) {
      const isOurs = incident !== null && action.attempts > 0 && hasNote(incident, action);
      return isOurs ? { kind: 'done', action, incident } : null;
    },

    isVoidedBy: ({ slackUserId, note }, newer) =>
      newer.kind === 'note' && newer.slackUserId === slackUserId && isSameText(newer.note, note),
    voidedIn: () => null,

    async write(action, before) {
      const { incident } = before;
      const { id, incidentId, userName: user, userId: user_id, note: text } = action;
      if (incident === null) {
        return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
      }
      const sentAt = now();
      try {
        const answer = await service.addNote(incidentId, { user, user_id, text, ...onceAfter(action, before) });
        const known = answer === null ? null : await incidents.observe(answer, sentAt);
        return { kind: 'done', action, incident: known?.incident ?? incident };
      } catch (error) {
        if (!(error instanceof NotOfferedError)) {
          throw error;
        }
      }
      const threads = await store.notices.postInThreads(id, incident.id, threadNote(user, text));
      deps.onChanged();
      return threads === 0
        ? { kind: 'refused', action, reason: { kind: 'no-thread' } }
        : { kind: 'done', action, incident, isInThread: true };
    },

    recognize: () => null, // the next attempt searches the timeline, see `judge`
  };
}

function hasNote({ timeline = [] }: Incident, { userName, note }: NamedAction<'note'>): boolean {
  return timeline.some(({ event, by, text }) => event === 'note' && by === userName && isSameText(text ?? '', note));
}
