import type { ServiceClient } from '../../client/service-client.ts';
import { PAGE_LIMITS } from '../../contract/requests.ts';
import type { IncidentSummary } from '../../contract/resources.ts';
import { tellsAcknowledgement } from '../domain/incident.ts';
import { ALL, isWhole, type ListQuery, matchesFilter } from '../domain/incident-filter.ts';
import { byOpening, isNewestFirst } from '../domain/opening-order.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { IncidentStore } from '../store/incidents.ts';
import { LIST_PAGE_SIZE, type ListPage } from '../views/incident-list.ts';

type Lister = Pick<ServiceClient, 'listIncidents' | 'incidents'>;

/** How many open incidents are sorted here if the service does not list the newest first. */
const MAX_SORTED = 2_000;

/** Reads one page of the open incidents that `query` asks for, and adds what is stored and the list leaves out: acknowledgements and possible roots. */
export async function readListPage(
  { service, store }: { service: Lister; store: { incidents: Pick<IncidentStore, 'findAll'> } },
  offset: number,
  query: ListQuery = ALL,
): Promise<ListPage> {
  if (isWhole(query)) {
    const page = await readPage(service, offset);
    return { ...page, incidents: await completeAll(store, page.incidents) };
  }
  const matching = (await completeAll(store, await readOpen(service))).filter((each) => matchesFilter(each, query));
  return { ...pageOf(matching, offset), query };
}

/** Adds what the list of the service leaves out. */
export async function completeAll(
  store: { incidents: Pick<IncidentStore, 'findAll'> },
  incidents: readonly Snapshot[],
): Promise<Snapshot[]> {
  const incomplete = incidents.filter((incident) => !tellsAcknowledgement(incident) || incident.activity !== undefined);
  const known = incomplete.length === 0 ? new Map() : await store.incidents.findAll(incomplete.map(({ id }) => id));
  return incidents.map((incident) =>
    incomplete.includes(incident) ? complete(incident, known.get(incident.id)) : incident,
  );
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
  return pageOf(await readOpen(service), offset);
}

/** All open incidents, newest first. */
async function readOpen(service: Lister): Promise<IncidentSummary[]> {
  const all: IncidentSummary[] = [];
  for await (const incident of service.incidents({ status: 'open' })) {
    if (incident.status === 'open') {
      all.push(incident);
    }
    if (all.length >= MAX_SORTED) {
      break;
    }
  }
  return all.sort((one, other) => byOpening(other, one));
}

/** Closed incidents that match, last closed first, with the notes that are stored here. */
export async function readClosedPage(
  { service, store }: { service: Lister; store: { incidents: Pick<IncidentStore, 'findAll'> } },
  { offset, query, since }: { offset: number; query: ListQuery; since: Date },
): Promise<ListPage> {
  const closed: IncidentSummary[] = [];
  for await (const incident of service.incidents({ status: 'closed', pageSize: PAGE_LIMITS.maxLimit })) {
    closed.push(incident);
    if (closed.length >= MAX_SORTED) {
      break;
    }
  }
  const known = await store.incidents.findAll(closed.map(({ id }) => id));
  const matching = closed
    .map((incident): Snapshot => ({ ...known.get(incident.id), ...incident }))
    .filter((incident) => closedAt(incident) >= since.getTime() && matchesFilter(incident, query))
    .sort((one, other) => closedAt(other) - closedAt(one));
  return { ...pageOf(matching, offset), query };
}

function closedAt({ status, closed_at: at }: Snapshot): number {
  return status === 'closed' && at ? Date.parse(at) : Number.NaN;
}

function pageOf(all: readonly Snapshot[], offset: number): ListPage {
  const incidents = all.slice(offset, offset + LIST_PAGE_SIZE);
  return { incidents, offset, total: all.length, hasMore: offset + incidents.length < all.length };
}
