import { LRUCache } from 'lru-cache';
import { ServiceClientError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import type { Incident, Signal } from '../../../contract/resources.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { IncidentId } from '../../slack/identifiers.ts';
import type { OpenViewStore } from '../open-views/open-views.ts';

export interface IncidentSignals {
  readonly incident: Incident;
  readonly signals: readonly Signal[];
}

/** Reads an incident with all its signals. @throws ServiceClientError */
export type ReadSignals = (
  incidentId: IncidentId,
  options?: { readonly isFresh?: boolean },
) => Promise<IncidentSignals>;

/** What this room needs beside what all listeners share. */
export type SignalsDeps = ListenerDeps<{ readonly openViews: OpenViewStore }> & { readonly readSignals: ReadSignals };

/** While somebody filters and pages, the signals are read once. */
const KEPT_MS = 15_000;
const MAX_KEPT = 5;

export function createReadSignals(service: Pick<ServiceClient, 'getIncident' | 'listIncidentSignals'>): ReadSignals {
  const kept = new LRUCache<string, IncidentSignals>({ max: MAX_KEPT, ttl: KEPT_MS });
  return async (incidentId, { isFresh = false } = {}) => {
    const known = isFresh ? undefined : kept.get(incidentId);
    if (known !== undefined) {
      return known;
    }
    const incident = await service.getIncident(incidentId);
    const read = { incident, signals: await allSignals(service, incidentId, incident) };
    kept.set(incidentId, read);
    return read;
  };
}

/** The single incident has the full list, but a service may shorten it. */
async function allSignals(
  service: Pick<ServiceClient, 'listIncidentSignals'>,
  incidentId: IncidentId,
  { signals, signal_count: count }: Incident,
): Promise<readonly Signal[]> {
  if (signals !== undefined && signals.length >= count) {
    return signals;
  }
  try {
    return await service.listIncidentSignals(incidentId);
  } catch (error) {
    if (signals === undefined || !(error instanceof ServiceClientError)) {
      throw error;
    }
    return signals;
  }
}
