import type { ServiceClient } from '../../../client/service-client.ts';
import { PAGE_LIMITS } from '../../../contract/requests.ts';
import type { IncidentSummary } from '../../../contract/resources.ts';
import { reportsAcknowledgement } from '../../incident/incident.ts';
import { ALL, isWhole, type ListQuery, matchesQuery } from '../../incident/incident-filter.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { byUrgency } from '../../incident/severity.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { LIST_PAGE_SIZE, type ListPage } from './incident-list.ts';

type Lister = Pick<ServiceClient, 'listIncidents' | 'incidents'>;
/** A page without its time of reading, which the caller adds. */
type Page = Omit<ListPage, 'asOf'>;

/** How many incidents are sorted here. If there are more, the total is not known. */
const MAX_SORTED = 2_000;

/** Reads one page of the open incidents that `query` asks for, and adds what is stored and the list leaves out: acknowledgements, possible roots and how likely they are. */
export async function readListPage(
  { service, store }: { service: Lister; store: { incidents: Pick<IncidentStore, 'findAll'> } },
  offset: number,
  now: Date,
  query: ListQuery = ALL,
): Promise<Page> {
  if (isWhole(query)) {
    const page = await readPage(service, offset, now);
    return { ...page, incidents: await completeAll(store, page.incidents) };
  }
  const matching = (await completeAll(store, await readOpen(service, now))).filter((each) => matchesQuery(each, query));
  return { ...pageOf(matching, offset), query };
}

/** Reads the same page from stored data, for use while the service does not respond. */
export async function readStoredPage(
  { store }: { store: { incidents: Pick<IncidentStore, 'listOpen'> } },
  offset: number,
  now: Date,
  query: ListQuery,
): Promise<Page> {
  const stored = (await store.incidents.listOpen(null)).sort(byUrgency(now));
  const matching = stored.filter((each) => matchesQuery(each, query));
  return { ...pageOf(matching, offset), ...(isWhole(query) ? {} : { query }) };
}

/** Adds what the list of the service leaves out. */
export async function completeAll(
  store: { incidents: Pick<IncidentStore, 'findAll'> },
  incidents: readonly Snapshot[],
): Promise<Snapshot[]> {
  const incomplete = incidents.filter(
    (incident) => !reportsAcknowledgement(incident) || incident.activity !== undefined,
  );
  const known = incomplete.length === 0 ? new Map() : await store.incidents.findAll(incomplete.map(({ id }) => id));
  return incidents.map((incident) =>
    incomplete.includes(incident) ? complete(incident, known.get(incident.id)) : incident,
  );
}

function complete(listed: Snapshot, stored: Snapshot | undefined): Snapshot {
  if (!reportsAcknowledgement(listed)) {
    return { ...stored, ...listed };
  }
  if (listed.root_service !== stored?.root_service) {
    return listed;
  }
  const { possible_roots, root_confidence } = stored;
  return { ...listed, possible_roots, root_confidence };
}

/** The worst first. One page is enough if it has all; otherwise all pages are read, because services list by age. */
async function readPage(service: Lister, offset: number, now: Date): Promise<Page> {
  const page = await service.listIncidents({ status: 'open', limit: LIST_PAGE_SIZE, offset: 0 });
  const open = page.incidents.filter((incident) => incident.status === 'open');
  const isAll = !page.hasMore && page.incidents.length <= LIST_PAGE_SIZE && open.length === page.incidents.length;
  return pageOf(isAll ? open.toSorted(byUrgency(now)) : await readOpen(service, now), offset);
}

/** All open incidents, the worst first; at most `MAX_SORTED`. */
async function readOpen(service: Lister, now: Date): Promise<IncidentSummary[]> {
  const all: IncidentSummary[] = [];
  for await (const incident of service.incidents({ status: 'open', pageSize: PAGE_LIMITS.maxLimit })) {
    if (incident.status === 'open') {
      all.push(incident);
    }
    if (all.length >= MAX_SORTED) {
      break;
    }
  }
  return all.sort(byUrgency(now));
}

/** Closed incidents that match, last closed first, with the notes that are stored here. */
export async function readClosedPage(
  { service, store }: { service: Lister; store: { incidents: Pick<IncidentStore, 'findAll'> } },
  { offset, query, since }: { offset: number; query: ListQuery; since: Date },
): Promise<Page> {
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
    .filter((incident) => closedAt(incident) >= since.getTime() && matchesQuery(incident, query))
    .sort((one, other) => closedAt(other) - closedAt(one));
  return { ...pageOf(matching, offset), query };
}

function closedAt({ status, closed_at: at }: Snapshot): number {
  return status === 'closed' && at ? Date.parse(at) : Number.NaN;
}

function pageOf(all: readonly Snapshot[], offset: number): Page {
  const incidents = all.slice(offset, offset + LIST_PAGE_SIZE);
  const total = all.length < MAX_SORTED ? all.length : null;
  return { incidents, offset, total, hasMore: offset + incidents.length < all.length };
}
