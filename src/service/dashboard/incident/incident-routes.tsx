import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { IncidentClosedError } from '../../core/errors.ts';
import { acknowledge, resolve } from '../../core/incident.ts';
import { readPathParameter, StorableText } from '../../http/storable-text.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { demandRole } from '../session/guard.ts';
import { renderIncidentPage } from './incident-page.tsx';
import { incidentText } from './incident-text.ts';
import { incidentUrl } from './incident-view.ts';
import { type ReadIncidentDeps, readIncident } from './read-incident.tsx';

const NoteForm = z.object({ note: StorableText.trim().min(1).max(3_000) });

interface IncidentDeps extends ReadIncidentDeps {
  readonly findPosition: () => Promise<bigint>;
  readonly publicUrl: string;
}

export function bindIncident(dashboard: Hono<DashboardEnv>, deps: IncidentDeps): void {
  const { incidents, now, publicUrl } = deps;

  dashboard.get('/incidents/:reference', (c) => showIncident(c, deps));

  dashboard.get('/incidents/:reference/text', async (c) => {
    const view = await readIncident(referenceOf(c), {}, c.get('session'), deps);
    return c.body(incidentText(view, publicUrl), 200, { 'content-type': 'text/plain; charset=utf-8' });
  });

  dashboard.post('/incidents/:reference/acknowledge', async (c) => {
    demandRole(c, 'responder');
    const user = c.get('session').person.name;
    return answer(c, deps, '', () =>
      incidents.update(referenceOf(c), (incident) => acknowledge(incident, user, now())),
    );
  });

  dashboard.post('/incidents/:reference/resolve', async (c) => {
    demandRole(c, 'responder');
    const user = c.get('session').person.name;
    const form = NoteForm.safeParse(await c.req.parseBody());
    if (!form.success) {
      const fault = { text: 'Write what fixed it, in at most 3,000 characters.', typed: '' };
      return showIncident(c, deps, fault, 422);
    }
    const { note } = form.data;
    return answer(c, deps, note, () =>
      incidents.update(referenceOf(c), (incident) => resolve(incident, note, user, now())),
    );
  });
}

/** Leads back to the page, or says why the change was refused, with what was typed. */
async function answer(
  c: Context<DashboardEnv>,
  deps: IncidentDeps,
  typed: string,
  change: () => Promise<{ readonly number: number }>,
): Promise<Response> {
  try {
    return c.redirect(incidentUrl(await change()), 303);
  } catch (error) {
    if (error instanceof IncidentClosedError) {
      return showIncident(c, deps, { text: 'Nothing was changed: somebody has closed the incident.', typed }, 409);
    }
    throw error;
  }
}

async function showIncident(
  c: Context<DashboardEnv>,
  deps: IncidentDeps,
  fault: { readonly text: string; readonly typed: string } | null = null,
  status: 200 | 409 | 422 = 200,
): Promise<Response> {
  const position = await deps.findPosition(); // before the incident is read, so that no change is missed
  const parameters = c.req.query();
  const view = await readIncident(referenceOf(c), parameters, c.get('session'), deps);
  return c.html(renderIncidentPage({ view, position, parameters, fault }), status);
}

function referenceOf(c: Context<DashboardEnv>): string {
  return readPathParameter(c.req.param('reference') ?? '');
}
