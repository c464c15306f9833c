import type { Hono } from 'hono';
import type { IncidentStore } from '../../store/incident-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { liveUrl } from '../live/live-url.ts';
import { renderIncidentsPage } from './incidents-page.tsx';
import { filterOf, orderOf, readIncidentsQuery } from './incidents-query.ts';

const PAGE_SIZE = 50;
const SERVICES_TO_CHOOSE = 200;

export function bindIncidents(
  dashboard: Hono<DashboardEnv>,
  deps: {
    readonly incidents: IncidentStore;
    readonly findPosition: () => Promise<bigint>;
    readonly now: () => Date;
    readonly publicUrl: string;
  },
): void {
  const { incidents, findPosition, now, publicUrl } = deps;

  dashboard.get('/', (c) => c.redirect('/dashboard/incidents'));

  dashboard.get('/incidents', async (c) => {
    const query = readIncidentsQuery(c.req.query());
    const { after } = query;
    // Before the list is read, so that no change is missed.
    const [position, lastNumber] = await Promise.all([findPosition(), incidents.findLastNumber()]);
    const [page, services] = await Promise.all([
      incidents.list(filterOf(query), { limit: PAGE_SIZE, offset: 0, after }, orderOf(query)),
      incidents.listServices(SERVICES_TO_CHOOSE),
    ]);
    return c.html(
      renderIncidentsPage({
        query,
        page,
        services,
        liveUrl: liveUrl('incidents', position, { ...c.req.query(), last: String(lastNumber) }),
        session: c.get('session'),
        now: now(),
        publicUrl,
      }),
    );
  });
}
