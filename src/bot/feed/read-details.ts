import type { Logger } from 'pino';
import { ServiceClientError, ServiceResponseError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';

/** Control characters and halves of characters: no path can carry such an id back. */
const UNUSABLE_ID = /[\p{Cc}\p{Cs}]/u;

/** After a third failure in a row the client leaves the service alone for a while, and people would have to wait. */
const MOST_FAILURES = 2;

export function isUsable(incident: IncidentSummary): boolean {
  return !UNUSABLE_ID.test(incident.id);
}

/** `gone`: the service does not know it. `failed`: it did not hand it out. `spared`: it was not asked. */
type Single = { readonly kind: 'read'; readonly incident: Incident } | { readonly kind: 'gone' | 'failed' | 'spared' };

export type SingleReader = (incidentId: string) => Promise<Single>;

/** Reads single incidents, of which one that is broken must not hold up the others, until the service has failed twice. */
export function createSingleReader(service: ServiceClient, logger: Logger): SingleReader {
  let failures = 0;
  return async (incidentId) => {
    if (failures >= MOST_FAILURES) {
      return { kind: 'spared' };
    }
    try {
      return { kind: 'read', incident: await service.getIncident(incidentId) };
    } catch (error) {
      if (error instanceof ServiceResponseError && (error.status === 404 || error.status === 410)) {
        return { kind: 'gone' };
      }
      if (!(error instanceof ServiceClientError)) {
        throw error;
      }
      failures += 1;
      logger.warn({ err: error, incidentId }, 'the service does not hand out an incident');
      return { kind: 'failed' };
    }
  };
}

/** With the note and who closed it, where the service tells; the list item where it does not hand out this one. */
export async function readDetails(readSingle: SingleReader, incident: IncidentSummary): Promise<Incident> {
  const single = await readSingle(incident.id);
  return single.kind === 'read' ? { ...incident, ...single.incident } : incident;
}
