import type { Once } from '../../../client/additions.ts';
import type { Incident } from '../../../contract/resources.ts';
import type { NamedAction, Outcome } from '../../actions/action.ts';
import { type IncidentAccess, onceAfter } from '../../actions/incident-access.ts';
import type { IncidentState, KindOf } from '../../actions/kind.ts';
import { isRefusal } from '../../actions/service-failure.ts';
import { type Confirmation, confirmedIncident } from '../../incident/incident.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { PlaceId } from '../../slack/identifiers.ts';
import { isSameText } from '../../slack/same-text.ts';
import { ACT_ACTIONS } from './actions.ts';

export type Confirmable = 'acknowledge' | 'resolve';

export interface ConfirmedWriteDeps {
  readonly store: { readonly incidents: Pick<IncidentStore, 'confirm'> };
  readonly incidents: IncidentAccess;
  /** @param placeId where somebody waits for it */
  readonly onChanged: (placeId: PlaceId | null) => void;
  readonly now: () => Date;
}

/** How one kind of write is sent, and how its effect shows in the incident. */
interface Shown {
  confirmation(action: NamedAction<Confirmable>, at: Date): Confirmation;
  /** Who acknowledged, or the resolution note; null: the service does not show it. */
  shownBy(incident: Incident): string | null;
  sentBy(action: NamedAction<Confirmable>): string;
  /** The expected incident after the write, used if the service does not let the bot read it. */
  after(incident: Incident): Incident;
  /** Whether the incident is past the requested state, such as closed before it was acknowledged. */
  isTooLate(incident: Incident): boolean;
  /** @returns the incident after the write; null: the service did not return it */
  send(action: NamedAction<Confirmable>, once: Once): Promise<Incident | null>;
}

/**
 * The shared parts of kinds whose successful writes the bot records itself, because some services do not show them. Of
 * several writes of one kind, only the first counts.
 */
export function confirmedWrite(
  own: Shown,
  { store, incidents, onChanged, now }: ConfirmedWriteDeps,
): Pick<KindOf<Confirmable, IncidentState>, 'read' | 'judge' | 'write' | 'recognize'> {
  function showsAnother(incident: Incident, action: NamedAction<Confirmable>): boolean {
    const shown = own.shownBy(incident);
    return shown !== null && !isSameText(shown, own.sentBy(action));
  }

  /** Stores a successful write, for services that do not show it, and reads the new state unless `answer` shows it. */
  async function confirm(
    action: NamedAction<Confirmable>,
    { incident: before, stored, readAt }: IncidentState,
    sentAt: Date,
    answer: Incident | null,
  ): Promise<Outcome> {
    const confirmed = own.confirmation(action, now());
    const shown = answer ?? before ?? unreadIncident(action.incidentId, now());
    const write = { confirmation: confirmed, answer, readAt, sentAt };
    const { known, hasChanged, isFirst } = await store.incidents.confirm(shown.id, write, stored);
    if (hasChanged) {
      onChanged(action.channelId);
    }
    const isShown = answer !== null && known !== null && ACT_ACTIONS[action.kind].isThere(answer);
    let incident = isShown ? known.incident : await incidents.readAgain(shown.id);
    if (incident === null) {
      const written = own.after(shown);
      await incidents.observe(written, now());
      incident = confirmedIncident(written, [confirmed]);
    }
    // The service may show our write with a different spelling of the user or note.
    const isSomebodyElses = !isFirst && showsAnother(incident, action);
    return { kind: isSomebodyElses || own.isTooLate(incident) ? 'already' : 'done', action, incident };
  }

  return {
    read: ({ incidentId }) => incidents.read(incidentId),

    judge(action, { incident }, isSuperseded) {
      if (incident === null || !ACT_ACTIONS[action.kind].isThere(incident)) {
        return null;
      }
      // Only an earlier attempt can have written it, and only one of several clicks counts.
      const isOurs =
        action.attempts > 0 && isSameText(own.shownBy(incident) ?? '', own.sentBy(action)) && !isSuperseded;
      return { kind: isOurs ? 'done' : 'already', action, incident };
    },

    async write(action, before) {
      const sentAt = now();
      return confirm(action, before, sentAt, await own.send(action, onceAfter(action, before)));
    },

    async recognize(action, { before, after: { incident, readAt }, error }) {
      if (incident === null || !ACT_ACTIONS[action.kind].isThere(incident)) {
        return null;
      }
      return isRefusal(error) || own.isTooLate(incident) || showsAnother(incident, action)
        ? { kind: 'already', action, incident }
        : confirm(action, before, readAt, incident);
    },
  };
}

/** A placeholder for a service that accepts writes but does not let the bot read the incident. */
function unreadIncident(id: string, at: Date): Incident {
  return { id, status: 'open', signal_count: 0, root_service: 'unknown', opened_at: at.toISOString() };
}
