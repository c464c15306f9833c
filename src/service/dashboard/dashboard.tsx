import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from 'pino';
import { z } from 'zod';
import { PAGE_LIMITS } from '../../contract/requests.ts';
import { IncidentStatus } from '../../contract/resources.ts';
import { observeRequests } from '../http/observe-requests.ts';
import type { ServiceMetrics } from '../metrics.ts';
import type { ApiKeyStore } from '../store/api-key-store.ts';
import type { IncidentStore } from '../store/incident-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { SignInLinkStore } from '../store/sign-in-link-store.ts';
import type { SignalStore } from '../store/signal-store.ts';
import type { DashboardEnv } from './dashboard-env.ts';
import { renderIncidentPage } from './incident-page.tsx';
import { renderIncidentsPage } from './incidents-page.tsx';
import { createSessionCookie } from './session/cookie.ts';
import { refuseForeignForms } from './session/csrf.tsx';
import { requireSession } from './session/guard.ts';
import { bindApiKeys } from './settings/api-keys-routes.ts';
import { showFaults } from './show-faults.tsx';
import { createAttemptLimit } from './sign-in/attempt-limit.ts';
import type { OpenIdSettings } from './sign-in/openid.ts';
import { bindSignIn, bindSignOut } from './sign-in/sign-in-routes.ts';
import { styleSheet } from './style.ts';

const PAGE_SIZE = 50;
const MAX_SIGNALS_SHOWN = 200;
const MAX_FORM_BYTES = 16 * 1024;

const IncidentsQuery = z.object({
  status: IncidentStatus.catch('open'),
  offset: z.coerce.number().int().min(0).max(PAGE_LIMITS.maxOffset).catch(0),
});

export interface DashboardDeps {
  readonly incidents: IncidentStore;
  readonly signals: SignalStore;
  readonly keys: ApiKeyStore;
  readonly sessions: SessionStore;
  readonly links: SignInLinkStore;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics;
  readonly now: () => Date;
  readonly publicUrl: string;
  /** null: nobody signs in by OpenID Connect. */
  readonly openId: OpenIdSettings | null;
}

/** Everything below `/dashboard`. Only the style sheet and the pages of sign-in need no session. */
export function createDashboard(deps: DashboardDeps): Hono<DashboardEnv> {
  const { now, publicUrl } = deps;
  const dashboard = new Hono<DashboardEnv>().basePath('/dashboard');
  const signInDeps = { ...deps, cookie: createSessionCookie(publicUrl), attempts: createAttemptLimit(now) };
  dashboard.use(observeRequests<DashboardEnv>(deps));
  showFaults(dashboard, deps.logger);
  dashboard.get('/style.css', (c) =>
    c.body(styleSheet, 200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=300' }),
  );
  dashboard.use(refuseForeignForms(publicUrl));
  dashboard.use(bodyLimit({ maxSize: MAX_FORM_BYTES }));
  bindSignIn(dashboard, signInDeps);
  dashboard.use(requireSession(signInDeps));
  bindSignOut(dashboard, signInDeps);
  bindIncidents(dashboard, deps);
  bindApiKeys(dashboard, deps);
  return dashboard;
}

function bindIncidents(dashboard: Hono<DashboardEnv>, { incidents, signals, now, publicUrl }: DashboardDeps): void {
  dashboard.get('/', (c) => c.redirect('/dashboard/incidents'));

  dashboard.get('/incidents', async (c) => {
    const session = c.get('session');
    const { status, offset } = IncidentsQuery.parse(c.req.query());
    const page = await incidents.list({ status }, { limit: PAGE_SIZE, offset });
    return c.html(renderIncidentsPage({ session, status, page, offset, pageSize: PAGE_SIZE, now: now(), publicUrl }));
  });

  dashboard.get('/incidents/:reference', async (c) => {
    const incident = await incidents.get(c.req.param('reference'));
    const page = await signals.list({ incidentId: incident.id }, { limit: MAX_SIGNALS_SHOWN, offset: 0 });
    const session = c.get('session');
    return c.html(renderIncidentPage({ session, incident, signals: page.items, kept: page.total, now: now() }));
  });
}
