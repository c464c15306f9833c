import type { IncidentPage, ServiceClient } from '../../client/service-client.ts';
import type { IncidentSummary } from '../../contract/resources.ts';
import { isNewestFirst } from '../incident/opening-order.ts';

const PAGE_SIZE = 50;
/** Pages that are read if the service's order is unknown. */
const MOST_PAGES = 20;

/** One page of closed incidents, with access to the page before it in time. */
export interface ClosedPage {
  readonly incidents: readonly IncidentSummary[];
  /** null: there are none. */
  readonly older: (() => Promise<ClosedPage>) | null;
}

/** Reads the page with the incidents that opened last, wherever it is in the service's list. */
export async function readNewestClosed(service: Pick<ServiceClient, 'listIncidents'>): Promise<ClosedPage> {
  const read = (offset: number) => service.listIncidents({ status: 'closed', limit: PAGE_SIZE, offset });
  const first = await read(0);
  const size = first.incidents.length;
  if (!first.hasMore || isNewestFirst(first.incidents)) {
    return fromTheStart(first, 0);
  }
  if (first.total !== null && isNewestFirst(first.incidents.toReversed())) {
    return fromTheEnd(first.total - size);
  }
  return { incidents: await readAll(), older: null };

  function fromTheStart(page: IncidentPage, offset: number): ClosedPage {
    const next = offset + page.incidents.length;
    const hasOlder = page.hasMore && page.incidents.length > 0;
    return { incidents: page.incidents, older: hasOlder ? async () => fromTheStart(await read(next), next) : null };
  }

  async function fromTheEnd(offset: number): Promise<ClosedPage> {
    const { incidents } = await read(Math.max(0, offset));
    return { incidents, older: offset > 0 ? () => fromTheEnd(offset - size) : null };
  }

  async function readAll(): Promise<IncidentSummary[]> {
    const incidents = [...first.incidents];
    let { hasMore } = first;
    for (let pages = 1; hasMore && pages < MOST_PAGES; pages += 1) {
      const page = await read(incidents.length);
      incidents.push(...page.incidents);
      hasMore = page.hasMore && page.incidents.length > 0;
    }
    return incidents;
  }
}
