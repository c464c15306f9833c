import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident } from '../../contract/resources.ts';
import { type IncidentAction, type Outcome, UNDO_MS } from '../domain/action.ts';
import { effectAt, isDoneAlready, type KnownIncident } from '../domain/incident.ts';
import type { ActionStore, SettledAction } from '../store/actions.ts';
import { isOvertaken, isWorthReadingBack } from './service-failure.ts';

export type NamedAction = IncidentAction & { readonly userName: string };

/** An incident and its entity tag at the service; null: it has none. */
export interface Tagged {
  readonly incident: Incident;
  readonly etag: string | null;
}

/** The timeline of the service shows it. */
const REASON = 'Undone in Slack';
/** New signals change the entity tag too, so the state is read again. */
const MOST_TRIES = 5;

export function isUndo({ kind }: IncidentAction): boolean {
  return kind === 'unacknowledge' || kind === 'reopen';
}

/**
 * Takes an acknowledgement or a closing back, as long as the incident still shows exactly that one and not more than ten
 * minutes have passed. Both are checked when the undo is sent, so a late click and a pending undo change nothing. With a
 * service that has entity tags, nothing can happen between the check and the write.
 */
export function createUndo(deps: {
  service: Pick<ServiceClient, 'unacknowledgeIncident' | 'reopenIncident'>;
  store: { readonly actions: Pick<ActionStore, 'findSettled'> };
  read: (incidentId: string) => Promise<Tagged | null>;
  /** Like `read`, but null if it fails. */
  readAgain: (incidentId: string) => Promise<Incident | null>;
  observe: (incident: Incident, asOf: Date) => Promise<KnownIncident | null>;
  now: () => Date;
}): (action: NamedAction) => Promise<Outcome> {
  const { service, store, read, readAgain, observe, now } = deps;

  function write({ kind, incidentId, userName: user }: NamedAction, ifMatch: string | null): Promise<Incident | null> {
    const request = { user, reason: REASON, ifMatch };
    return kind === 'reopen'
      ? service.reopenIncident(incidentId, request)
      : service.unacknowledgeIncident(incidentId, request);
  }

  async function attempt(action: NamedAction, triesLeft: number): Promise<Outcome> {
    const target = await store.actions.findSettled(action.undoes ?? '', action.slackUserId);
    const tagged = await read(action.incidentId);
    if (target === null || tagged === null) {
      return { kind: 'refused', action, reason: { kind: 'unknown-incident' } };
    }
    const { incident: before, etag } = tagged;
    if (isDoneAlready(before, action.kind)) {
      const isOurs = action.attempts > 0; // only an earlier attempt can have done it
      return isOurs ? { kind: 'done', action, incident: before } : { kind: 'already', action, incident: before };
    }
    if (target.ageMs > UNDO_MS) {
      return { kind: 'refused', action, reason: { kind: 'undo-expired', incident: before } };
    }
    if (!isStillThere(target, before)) {
      return { kind: 'refused', action, reason: { kind: 'undo-overtaken', incident: before } };
    }
    const sentAt = now();
    try {
      const answer = await write(action, etag);
      const shown = answer === null ? await readAgain(action.incidentId) : answer;
      const known = answer === null ? null : await observe(answer, sentAt);
      return { kind: 'done', action, incident: known?.incident ?? shown ?? before };
    } catch (error) {
      if (isOvertaken(error) && triesLeft > 0) {
        return attempt(action, triesLeft - 1);
      }
      const after = isWorthReadingBack(error) ? await readAgain(action.incidentId) : null;
      if (after === null) {
        throw error;
      }
      if (isDoneAlready(after, action.kind)) {
        return { kind: 'done', action, incident: after };
      }
      if (!isStillThere(target, after)) {
        return { kind: 'refused', action, reason: { kind: 'undo-overtaken', incident: after } };
      }
      throw error;
    }
  }

  return (action) => attempt(action, MOST_TRIES - 1);
}

/** Whether the incident shows the very effect of the action, not that of a later one. */
function isStillThere({ action, effectAt: at }: SettledAction, incident: Incident): boolean {
  const shown = effectAt(incident, action.kind);
  return at !== null && shown !== null && Date.parse(shown) === at.getTime();
}
