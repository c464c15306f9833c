import type { ServiceClient } from '../../client/service-client.ts';
import type { IncidentSummary } from '../../contract/resources.ts';
import { tellsAcknowledgement } from '../domain/incident.ts';
import { byOpening, isNewestFirst } from '../domain/opening-order.ts';
import type { IncidentStore } from '../store/incidents.ts';
import { LIST_PAGE_SIZE, type ListPage } from '../views/incident-list.ts';

type Lister = Pick<ServiceClient, 'listIncidents' | 'incidents'>;

/** Of a service that orders otherwise, the newest of this many open incidents are found. */
const MAX_SORTED = 2_000;

/** One page of the open incidents, with what we know of those whose acknowledgement the list leaves out. */
export async function readListPage(
  { service, store }: { service: Lister; store: { incidents: Pick<IncidentStore, 'findAll'> } },
  offset: number,
): Promise<ListPage> {
  const page = await readPage(service, offset);
  const silent = page.incidents.filter((incident) => !tellsAcknowledgement(incident)).map(({ id }) => id);
  if (silent.length === 0) {
    return page;
  }
  const known = await store.incidents.findAll(silent);
  return {
    ...page,
    incidents: page.incidents.map((incident) => ({ ...known.get(incident.id)?.incident, ...incident })),
  };
}

/** Newest first, also from a service with another order or without pages. */
async function readPage(service: Lister, offset: number): Promise<ListPage> {
  const page = await service.listIncidents({ status: 'open', limit: LIST_PAGE_SIZE, offset });
  const open = page.incidents.filter((incident) => incident.status === 'open');
  const keepsToLimit = page.incidents.length <= LIST_PAGE_SIZE && open.length === page.incidents.length;
  if (keepsToLimit && isNewestFirst(open)) {
    const hasMore = page.hasMore && open.length > 0;
    // At the end the total is known, also of a service whose own counts more than what is open.
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
