import { type Context, Hono } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import { z } from 'zod';
import { PAGE_LIMITS } from '../../contract/requests.ts';
import { IncidentStatus } from '../../contract/resources.ts';
import { SCOPES } from '../../contract/routes.ts';
import { type ApiKey, hasScope } from '../core/api-key.ts';
import { NotFoundError } from '../core/errors.ts';
import { type ObservedEnv, observeRequests } from '../http/observe-requests.ts';
import { readPathParameter, StorableText } from '../http/storable-text.ts';
import type { ServiceMetrics } from '../metrics.ts';
import type { ApiKeyStore } from '../store/api-key-store.ts';
import type { IncidentStore } from '../store/incident-store.ts';
import type { SignalStore } from '../store/signal-store.ts';
import { renderApiKeysPage, renderNewApiKeyPage } from './api-keys-page.tsx';
import { renderIncidentPage } from './incident-page.tsx';
import { renderIncidentsPage } from './incidents-page.tsx';
import { renderPage } from './layout.tsx';
import { styleSheet } from './style.ts';

const PAGE_SIZE = 50;
const MAX_SIGNALS_SHOWN = 200;
const KEY_EVENTS_SHOWN = 50;
const MAX_FORM_BYTES = 16 * 1024;

const IncidentsQuery = z.object({
  status: IncidentStatus.catch('open'),
  offset: z.coerce.number().int().min(0).max(PAGE_LIMITS.maxOffset).catch(0),
});

const CreateKeyForm = z.object({
  name: StorableText.trim().min(1).max(200),
  scope: z.enum(SCOPES),
});

interface DashboardEnv {
  Variables: ObservedEnv['Variables'] & { key: ApiKey };
}

interface DashboardDeps {
  readonly incidents: IncidentStore;
  readonly signals: SignalStore;
  readonly keys: ApiKeyStore;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics;
  readonly now: () => Date;
  readonly publicUrl: string;
}

/** Everything below `/dashboard`. Sign-in is HTTP Basic with any user name and an API key as the password. */
export function createDashboard(deps: DashboardDeps): Hono<DashboardEnv> {
  const { incidents, signals, keys, logger, now, publicUrl } = deps;
  const dashboard = new Hono<DashboardEnv>().basePath('/dashboard');
  dashboard.use(observeRequests<DashboardEnv>(deps));
  guard(dashboard, deps);

  dashboard.get('/', (c) => c.redirect('/dashboard/incidents'));

  dashboard.get('/incidents', async (c) => {
    const { status, offset } = IncidentsQuery.parse(c.req.query());
    const page = await incidents.list({ status }, { limit: PAGE_SIZE, offset });
    return c.html(renderIncidentsPage({ status, page, offset, pageSize: PAGE_SIZE, now: now(), publicUrl }));
  });

  dashboard.get('/incidents/:reference', async (c) => {
    const incident = await incidents.get(c.req.param('reference'));
    const page = await signals.list({ incidentId: incident.id }, { limit: MAX_SIGNALS_SHOWN, offset: 0 });
    return c.html(renderIncidentPage({ incident, signals: page.items, kept: page.total, now: now() }));
  });

  const showKeys = async (c: Context<DashboardEnv>, fault: string | null) =>
    renderApiKeysPage({
      keys: await keys.list(),
      history: await keys.history(KEY_EVENTS_SHOWN),
      mayManage: mayManageKeys(c),
      fault,
      now: now(),
    });

  dashboard.get('/settings/api-keys', async (c) => c.html(await showKeys(c, null)));

  dashboard.post('/settings/api-keys', async (c) => {
    demandKeyManager(c);
    const form = CreateKeyForm.safeParse(await c.req.parseBody());
    if (!form.success) {
      return c.html(await showKeys(c, 'A key needs a name of at most 200 characters and a scope.'), 422);
    }
    const { key, rawKey } = await keys.create(form.data.name, form.data.scope, now(), c.get('key').id);
    logger.info({ keyId: key.id, by: c.get('key').id }, 'API key created');
    return c.html(renderNewApiKeyPage(key, rawKey));
  });

  dashboard.post('/settings/api-keys/:id/revoke', async (c) => {
    demandKeyManager(c);
    const keyId = readPathParameter(c.req.param('id'));
    if (!(await keys.revoke(keyId, now(), c.get('key').id))) {
      throw new HTTPException(404);
    }
    logger.info({ keyId, by: c.get('key').id }, 'API key revoked');
    return c.redirect('/dashboard/settings/api-keys', 303);
  });

  return dashboard;
}

function guard(dashboard: Hono<DashboardEnv>, { keys, logger, now, publicUrl }: DashboardDeps): void {
  const publicOrigin = new URL(publicUrl).origin;
  dashboard.get('/style.css', (c) =>
    c.body(styleSheet, 200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=300' }),
  );
  dashboard.use(csrf({ origin: (origin, c) => origin === publicOrigin || origin === new URL(c.req.url).origin }));
  dashboard.use(
    basicAuth({
      realm: 'Tocsin: any user name, and an API key as the password',
      invalidUserMessage: 'Sign in with any user name, and an API key as the password.',
      async verifyUser(_user, password, c: Context<DashboardEnv>) {
        const key = await keys.authenticate(password, now());
        if (key === null || !hasScope(key, 'read-only')) {
          return false;
        }
        c.set('key', key);
        return true;
      },
    }),
  );
  dashboard.use(bodyLimit({ maxSize: MAX_FORM_BYTES }));
  dashboard.notFound((c) => c.html(NOT_FOUND, 404));
  dashboard.onError((error, c) => {
    if (error instanceof NotFoundError || (error instanceof HTTPException && error.status === 404)) {
      return c.html(NOT_FOUND, 404);
    }
    if (error instanceof HTTPException) {
      return error.getResponse();
    }
    logger.error({ err: error, requestId: c.get('requestId') }, 'dashboard page failed');
    return c.html(
      renderPage('Something went wrong', null, <p>The error is in the log. Try again in a moment.</p>),
      500,
    );
  });
}

const NOT_FOUND = renderPage(
  'Page not found',
  null,
  <p>
    See <a href="/dashboard/incidents">all incidents</a>.
  </p>,
);

function mayManageKeys(c: Context<DashboardEnv>): boolean {
  return hasScope(c.get('key'), 'read-write');
}

function demandKeyManager(c: Context<DashboardEnv>): void {
  if (!mayManageKeys(c)) {
    throw new HTTPException(403, { message: 'Only a read-write key may create and revoke keys.' });
  }
}
