import { NotOfferedError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident } from '../../contract/resources.ts';
import type { Outcome } from '../domain/action.ts';
import type { KnownIncident } from '../domain/incident.ts';
import { isSameText } from '../domain/same-text.ts';
import type { NoticeStore } from '../store/notices.ts';
import { threadNote } from '../views/note-modal.ts';
import type { NamedAction } from './undo.ts';

/**
 * Adds a note to the timeline of an incident. A service that keeps no notes gets none: the note becomes a reply in the
 * thread of each card, as soon as there is one. An earlier attempt is recognized in the timeline, so that no note is added twice.
 */
export function createNotes(deps: {
  service: Pick<ServiceClient, 'addNote'>;
  store: { readonly notices: NoticeStore };
  read: (incidentId: string) => Promise<Incident | null>;
  observe: (incident: Incident, asOf: Date) => Promise<KnownIncident | null>;
  onChanged: () => void;
  now: () => Date;
}): (action: NamedAction) => Promise<Outcome> {
  const { service, store, read, observe, now } = deps;
  return async (action) => {
    const { incidentId, userName: user, note } = action;
    const text = note ?? '';
    const incident = await read(incidentId);
    if (incident === null) {
      return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
    }
    if (action.attempts > 0 && hasNote(incident, action)) {
      return { kind: 'done', action, incident };
    }
    const sentAt = now();
    try {
      const answer = await service.addNote(incidentId, { user, text });
      const known = answer === null ? null : await observe(answer, sentAt);
      return { kind: 'done', action, incident: known?.incident ?? incident };
    } catch (error) {
      if (!(error instanceof NotOfferedError)) {
        throw error;
      }
      const { threads, pending } = await store.notices.postInThreads(action.id, incident.id, threadNote(user, text));
      deps.onChanged();
      if (threads === 0 && pending > 0) {
        return { kind: 'kept', action, reason: 'no-card-yet' };
      }
      return threads === 0
        ? { kind: 'refused', action, reason: { kind: 'no-thread' } }
        : { kind: 'done', action, incident, isInThread: true };
    }
  };
}

function hasNote({ timeline = [] }: Incident, { userName, note }: NamedAction): boolean {
  return timeline.some(
    ({ event, by, text }) => event === 'note' && by === userName && isSameText(text ?? '', note ?? ''),
  );
}
