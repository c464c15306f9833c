import type { ServiceClient } from '../../../client/service-client.ts';
import { PAGE_LIMITS } from '../../../contract/requests.ts';
import type { IncidentStatus, IncidentSummary } from '../../../contract/resources.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { Snapshot } from '../../incident/snapshot.ts';

/** More are not read for one answer. */
const MOST_READ = 10_000;

export interface ReadIncidents {
  readonly incidents: readonly Snapshot[];
  /** There may be more. */
  readonly isCut: boolean;
}

/** Reads the incidents that `isWanted` accepts, with what is stored here and the service's list leaves out. */
export async function readIncidents(
  {
    service,
    store,
  }: { service: Pick<ServiceClient, 'incidents'>; store: { incidents: Pick<IncidentStore, 'findAll'> } },
  isWanted: (incident: IncidentSummary) => boolean,
  status?: IncidentStatus,
): Promise<ReadIncidents> {
  const wanted: IncidentSummary[] = [];
  let read = 0;
  const request = { pageSize: PAGE_LIMITS.maxLimit, ...(status === undefined ? {} : { status }) };
  for await (const incident of service.incidents(request)) {
    read += 1;
    if (isWanted(incident)) {
      wanted.push(incident);
    }
    if (read >= MOST_READ) {
      break;
    }
  }
  const known = await store.incidents.findAll(wanted.map(({ id }) => id));
  const incidents = wanted.map((incident): Snapshot => ({ ...known.get(incident.id), ...incident }));
  return { incidents, isCut: read >= MOST_READ };
}
