import type { ServiceClient } from '../../client/service-client.ts';
import type { IncidentSummary } from '../../contract/resources.ts';
import { tellsAcknowledgement } from '../domain/incident.ts';
import { byOpening, isNewestFirst } from '../domain/opening-order.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { IncidentStore } from '../store/incidents.ts';
import { LIST_PAGE_SIZE, type ListPage } from '../views/incident-list.ts';

type Lister = Pick<ServiceClient, 'listIncidents' | 'incidents'>;

/** How many open incidents are sorted here if the service does not list the newest first. */
const MAX_SORTED = 2_000;

/** Reads one page of the open incidents and adds what is stored and the list leaves out: acknowledgements and possible roots. */
export async function readListPage(
  { service, store }: { service: Lister; store: { incidents: Pick<IncidentStore, 'findAll'> } },
  offset: number,
): Promise<ListPage> {
  const page = await readPage(service, offset);
  const incomplete = page.incidents.filter(
    (incident) => !tellsAcknowledgement(incident) || incident.activity !== undefined,
  );
  if (incomplete.length === 0) {
    return page;
  }
  const known = await store.incidents.findAll(incomplete.map(({ id }) => id));
  return { ...page, incidents: page.incidents.map((incident) => complete(incident, known.get(incident.id))) };
}

function complete(listed: Snapshot, stored: Snapshot | undefined): Snapshot {
  if (!tellsAcknowledgement(listed)) {
    return { ...stored, ...listed };
  }
  const isSameRoot = listed.root_service === stored?.root_service;
  return { ...listed, possible_roots: isSameRoot ? stored.possible_roots : undefined };
}

/** Newest first, even if the service uses another order or has no pages. */
async function readPage(service: Lister, offset: number): Promise<ListPage> {
  const page = await service.listIncidents({ status: 'open', limit: LIST_PAGE_SIZE, offset });
  const open = page.incidents.filter((incident) => incident.status === 'open');
  const keepsToLimit = page.incidents.length <= LIST_PAGE_SIZE && open.length === page.incidents.length;
  if (keepsToLimit && isNewestFirst(open)) {
    const hasMore = page.hasMore && open.length > 0;
    // On the last page the total is known, even if the service's own total includes closed incidents.
    return { incidents: open, offset, total: hasMore ? page.total : offset + open.length, hasMore };
  }
  const all: IncidentSummary[] = [];
  for await (const incident of service.incidents({ status: 'open' })) {
    if (incident.status === 'open') {
      all.push(incident);
    }
    if (all.length >= MAX_SORTED) {
      break;
    }
  }
  all.sort((one, other) => byOpening(other, one));
  const incidents = all.slice(offset, offset + LIST_PAGE_SIZE);
  return { incidents, offset, total: all.length, hasMore: offset + incidents.length < all.length };
}
