import type { Hono } from 'hono';
import { readPathParameter } from '../../http/storable-text.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { ServiceStore } from '../../store/service-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { listServiceFacts } from './service-facts.ts';
import { renderServicePage } from './service-page.tsx';
import { renderServicesPage } from './services-page.tsx';

const INCIDENTS_SHOWN = 20;

export function bindServices(
  dashboard: Hono<DashboardEnv>,
  deps: {
    readonly incidents: IncidentStore;
    readonly services: ServiceStore;
    readonly now: () => Date;
    readonly publicUrl: string;
  },
): void {
  const { incidents, services, now, publicUrl } = deps;

  async function readAll() {
    const [observed, open] = await Promise.all([services.readObserved(), services.countOpenByService()]);
    return listServiceFacts(observed, open, now());
  }

  dashboard.get('/services', async (c) => {
    const text = (c.req.query('q') ?? '').trim();
    const all = await readAll();
    const matching = all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
    return c.html(renderServicesPage({ services: matching, text, session: c.get('session'), publicUrl, now: now() }));
  });

  dashboard.get('/services/:name', async (c) => {
    const name = readPathParameter(c.req.param('name'));
    const service = (await readAll()).find((each) => each.name === name);
    if (service === undefined) {
      throw new PageError(404, 'Service not known', 'No call and no incident of this service is known.');
    }
    const page = await incidents.list(
      { status: 'open', service: name },
      { limit: INCIDENTS_SHOWN, offset: 0 },
      'severity',
    );
    return c.html(renderServicePage({ service, incidents: page.items, session: c.get('session'), now: now() }));
  });
}
