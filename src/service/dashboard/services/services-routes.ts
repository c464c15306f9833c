import type { Context, Hono } from 'hono';
import { MAIN_SYSTEM } from '../../../contract/system.ts';
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

  async function readAll(system: string) {
    const [observed, open] = await Promise.all([services.readObserved(system), services.countOpenByService(system)]);
    return listServiceFacts(observed, open, now());
  }

  /** In the first system that knows it. */
  async function find(name: string | null, systems: readonly string[]) {
    for (const system of systems) {
      const service = (await readAll(system)).find((each) => each.name === name);
      if (service !== undefined) {
        return { service, system };
      }
    }
    return null;
  }

  /** @returns null: all of them */
  const systemIn = (c: Context<DashboardEnv>, systems: readonly string[]) =>
    systems.find((each) => each === c.req.query('system')) ?? null;

  dashboard.get('/services', async (c) => {
    const text = (c.req.query('q') ?? '').trim();
    const systems = await services.listSystems();
    const system = systemIn(c, systems) ?? MAIN_SYSTEM;
    const all = await readAll(system);
    const matching = all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
    return c.html(
      renderServicesPage({
        services: matching,
        text,
        system,
        systems,
        session: c.get('session'),
        publicUrl,
        now: now(),
      }),
    );
  });

  dashboard.get('/services/:name', async (c) => {
    const name = readPathParameter(c.req.param('name'));
    const systems = await services.listSystems();
    const wanted = systemIn(c, systems);
    const found = await find(name, wanted === null ? systems : [wanted]);
    if (found === null) {
      throw new PageError(404, 'Service not known', 'No call and no incident of this service is known.');
    }
    const page = await incidents.list(
      { status: 'open', service: name, ...(systems.length > 1 && { system: found.system }) },
      { limit: INCIDENTS_SHOWN, offset: 0 },
      'severity',
    );
    return c.html(renderServicePage({ ...found, incidents: page.items, session: c.get('session'), now: now() }));
  });
}
