import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { type Actor, isSameActor, nameOf } from '../../../contract/actor.ts';
import { IncidentClosedError } from '../../core/errors.ts';
import { acknowledge } from '../../core/incident-changes.ts';
import { actorOfPerson } from '../../core/session.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { ServiceStore } from '../../store/service-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { liveUrl } from '../live/live-url.ts';
import { PageError } from '../page-error.ts';
import { watchedIn } from '../parts/watched.tsx';
import { SERVICES_TO_CHOOSE } from '../query-fields.ts';
import { demandRole } from '../session/guard.ts';
import { renderIncidentsPage } from './incidents-page.tsx';
import { filterOf, incidentsUrl, orderOf, readIncidentsQuery } from './incidents-query.ts';

const PAGE_SIZE = 50;

const Numbers = z
  .array(z.string().regex(/^\d{1,15}$/))
  .min(1)
  .max(PAGE_SIZE);
const SelectedForm = z.object({
  number: z.preprocess((value) => (Array.isArray(value) ? value : [value]), Numbers),
  return_to: z.string().max(2_000).catch(''),
});

export function bindIncidents(
  dashboard: Hono<DashboardEnv>,
  deps: {
    readonly incidents: IncidentStore;
    readonly services: ServiceStore;
    readonly findPosition: () => Promise<bigint>;
    readonly now: () => Date;
    readonly publicUrl: string;
  },
): void {
  const { incidents, findPosition, now, publicUrl } = deps;

  dashboard.get('/', (c) => c.redirect('/dashboard/incidents'));

  dashboard.get('/incidents', async (c) => {
    return showIncidents(c, c.req.query(), null);
  });

  dashboard.post('/incidents/acknowledge', async (c) => {
    demandRole(c, 'responder');
    const form = SelectedForm.safeParse(await c.req.parseBody({ all: true }));
    if (!form.success) {
      throw new PageError(422, 'Nothing was changed', `Select between 1 and ${PAGE_SIZE} incidents of the list.`);
    }
    const actor = actorOfPerson(c.get('session').person);
    const refused: string[] = [];
    for (const number of form.data.number) {
      refused.push(...(await acknowledgeOne(incidents, number, actor, now())));
    }
    const address = URL.parse(form.data.return_to, publicUrl);
    const parameters = Object.fromEntries(address?.searchParams ?? []);
    return refused.length === 0
      ? c.redirect(incidentsUrl(readIncidentsQuery(parameters)), 303)
      : showIncidents(c, parameters, refused.join(' '));
  });

  async function showIncidents(
    c: Context<DashboardEnv>,
    parameters: Readonly<Record<string, string>>,
    notice: string | null,
  ): Promise<Response> {
    const query = readIncidentsQuery(parameters);
    const { after } = query;
    // Before the list is read, so that no change is missed.
    const [position, lastNumber] = await Promise.all([findPosition(), incidents.findLastNumber()]);
    const [page, services, labels] = await Promise.all([
      incidents.list(filterOf(query), { limit: PAGE_SIZE, offset: 0, after }, orderOf(query)),
      incidents.listServices(SERVICES_TO_CHOOSE),
      incidents.listLabels(SERVICES_TO_CHOOSE),
    ]);
    return c.html(
      renderIncidentsPage({
        query,
        page,
        services,
        labels,
        liveUrl: liveUrl('incidents', position, { ...parameters, last: String(lastNumber) }),
        session: c.get('session'),
        now: now(),
        publicUrl,
        watched: page.items.length === 0 ? watchedIn(await deps.services.readObserved(), now()) : null,
        isNew: lastNumber === 0,
        notice,
      }),
    );
  }
}

/** @returns what to tell the person, if it was not theirs to acknowledge any more */
async function acknowledgeOne(
  incidents: IncidentStore,
  number: string,
  actor: Actor,
  now: Date,
): Promise<readonly string[]> {
  try {
    const { acknowledgement } = await incidents.update(number, (incident) => acknowledge(incident, actor, now));
    return acknowledgement === null || isSameActor(acknowledgement, actor)
      ? []
      : [`${nameOf(acknowledgement)} had acknowledged #${number} already.`];
  } catch (error) {
    if (error instanceof IncidentClosedError) {
      return [`#${number} is closed already.`];
    }
    throw error;
  }
}
