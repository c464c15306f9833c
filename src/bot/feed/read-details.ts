import { ServiceClientError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';

/** Control characters and halves of characters: no path can carry such an id back. */
const UNUSABLE_ID = /[\p{Cc}\p{Cs}]/u;

export function isUsable(incident: IncidentSummary): boolean {
  return !UNUSABLE_ID.test(incident.id);
}

/** With the note and who closed it, where the service tells; the list item where it does not answer for this one. */
export async function readDetails(service: ServiceClient, incident: IncidentSummary): Promise<Incident> {
  try {
    return { ...incident, ...(await service.getIncident(incident.id)) };
  } catch (error) {
    if (error instanceof ServiceClientError) {
      return incident;
    }
    throw error;
  }
}
