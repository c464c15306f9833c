import type { Logger } from 'pino';
import type { Once } from '../../client/additions.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident, TimelineEntry } from '../../contract/resources.ts';
import type { IncidentStore } from '../incident/incidents.ts';
import { URGENCY } from '../incident/urgency.ts';
import type { StoredIncident } from '../incident/write-incident.ts';
import type { IncidentId } from '../slack/identifiers.ts';
import type { IncidentActionKind, NamedAction, Newer } from './action.ts';
import type { IncidentState } from './kind.ts';
import { isUnreadable } from './service-failure.ts';

/** Reads incidents at the service, and stores what it shows. */
export interface IncidentAccess {
  /** @throws ServiceClientError */
  read(incidentId: IncidentId): Promise<IncidentState>;
  /** The incident; null: it could not be read. */
  readAgain(incidentId: IncidentId): Promise<Incident | null>;
  /** Stores what the service showed. @param asOf when it was asked */
  observe(incident: Incident, asOf: Date): Promise<StoredIncident | null>;
}

export function createIncidentAccess(deps: {
  service: Pick<ServiceClient, 'getTaggedIncident'>;
  store: { readonly incidents: Pick<IncidentStore, 'find' | 'observe'> };
  onChanged: () => void;
  logger: Logger;
  now: () => Date;
}): IncidentAccess {
  const { service, store, onChanged, logger, now } = deps;

  const observe: IncidentAccess['observe'] = async (incident, asOf) => {
    const { known, hasChanged } = await store.incidents.observe(incident, { urgency: URGENCY.person, asOf });
    if (hasChanged) {
      onChanged();
    }
    return known;
  };

  const read: IncidentAccess['read'] = async (incidentId) => {
    const readAt = now();
    try {
      const { incident, etag } = await service.getTaggedIncident(incidentId);
      const stored = await observe(incident, readAt);
      return { incident: { ...incident, ...stored?.incident }, stored, etag, readAt };
    } catch (error) {
      if (isUnreadable(error)) {
        const stored = await store.incidents.find(incidentId);
        return { incident: stored?.incident ?? null, stored, etag: null, readAt };
      }
      throw error;
    }
  };

  return {
    read,
    observe,
    async readAgain(incidentId) {
      try {
        return (await read(incidentId)).incident;
      } catch (err) {
        logger.warn({ err, incidentId }, 'the state could not be read back');
        return null;
      }
    },
  };
}

/**
 * What each write of an action has, so that it changes nothing if it reaches the service late: after a repetition of it, or
 * after the incident was changed.
 */
export function onceAfter({ id }: NamedAction, before: IncidentState): Required<Once> {
  return { idempotencyKey: id, ifMatch: before.etag };
}

/**
 * Finds the newest of the given changes in the timeline that happened after the action was stored; null: none did.
 * `action-effect.ts` asks this only about retried actions, because the service's clock may differ from ours.
 *
 * @param changes the kinds of action that make the change, by event
 */
export function changedSince(
  { keptAt }: NamedAction,
  { incident }: IncidentState,
  changes: Readonly<Partial<Record<TimelineEntry['event'], IncidentActionKind>>>,
): Newer | null {
  const moment = incident?.timeline?.findLast(({ event, at }) => changes[event] !== undefined && new Date(at) > keptAt);
  const kind = moment && changes[moment.event];
  return moment === undefined || kind === undefined ? null : { kind, at: new Date(moment.at), by: moment.by ?? null };
}
