import type { Context, Hono } from 'hono';
import { readPathParameter } from '../../http/storable-text.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import type { FormFault } from './forms.tsx';
import { renderIncidentPage } from './incident-page.tsx';
import { incidentText } from './incident-text.ts';
import { type ReadIncidentDeps, readIncident } from './read-incident.tsx';

export interface IncidentDeps extends ReadIncidentDeps {
  readonly findPosition: () => Promise<bigint>;
  readonly publicUrl: string;
}

export function bindIncident(dashboard: Hono<DashboardEnv>, deps: IncidentDeps): void {
  dashboard.get('/incidents/:reference', (c) => showIncident(c, deps));

  dashboard.get('/incidents/:reference/text', async (c) => {
    const view = await readIncident(referenceOf(c), {}, c.get('session'), deps);
    return c.body(incidentText(view, deps.publicUrl), 200, { 'content-type': 'text/plain; charset=utf-8' });
  });
}

/** @param fault of the form that led here */
export async function showIncident(
  c: Context<DashboardEnv>,
  deps: IncidentDeps,
  fault: FormFault | null = null,
  status: 200 | 409 | 422 = 200,
): Promise<Response> {
  const position = await deps.findPosition(); // before the incident is read, so that no change is missed
  const parameters = c.req.query();
  const view = await readIncident(referenceOf(c), parameters, c.get('session'), deps);
  return c.html(renderIncidentPage({ view, position, parameters, fault }), status);
}

export function referenceOf(c: Context<DashboardEnv>): string {
  return readPathParameter(c.req.param('reference') ?? '');
}
