import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { CreateIntegrationRequest, INGEST_PATHS, UpdateIntegrationRequest } from '../../../contract/integrations.ts';
import { MAIN_SYSTEM } from '../../../contract/system.ts';
import { isWorking } from '../../core/api-key.ts';
import { DomainError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration.ts';
import { stateOfIntegration } from '../../core/integration-state.ts';
import { actorOf } from '../../core/session.ts';
import { RequestError } from '../../http/problem.ts';
import { checkAddress } from '../../http/routes/integrations.ts';
import { readPathParameter, StorableText } from '../../http/storable-text.ts';
import { withPreset } from '../../http/with-preset.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { demandRole } from '../session/guard.ts';
import { renderDeletePage, renderIntegrationPage } from './integration-page.tsx';
import type { IntegrationsDeps } from './integrations-deps.ts';
import { type Given, integrationUrl, readIntegrationsQuery, renderIntegrationsPage } from './integrations-page.tsx';
import type { MappingState } from './mapping-form.tsx';
import { bindMapping, currentMapping } from './mapping-routes.ts';
import { renderSecretPage } from './secret-page.tsx';

const PATH = '/settings/integrations';
const SHOWN = 200;
const DELIVERIES_SHOWN = 50;
const WAIT_SECONDS = '3';

export function bindIntegrations(dashboard: Hono<DashboardEnv>, deps: IntegrationsDeps): void {
  const { integrations, deliveries, keys, logger, now, publicUrl } = deps;

  /** @throws {PageError} */
  const read = async (c: Context<DashboardEnv>): Promise<Integration> => {
    const integration = await integrations.find(readPathParameter(c.req.param('id')));
    if (integration === null) {
      throw new PageError(404, 'Integration not found', 'It may have been deleted.');
    }
    return integration;
  };

  const showList = async (c: Context<DashboardEnv>, fault: string | null, given: Given = {}) => {
    const paged = readIntegrationsQuery(c.req.query());
    const { items, end } = await integrations.list({ limit: SHOWN, offset: 0, after: paged.after });
    return renderIntegrationsPage({
      session: c.get('session'),
      integrations: items,
      paged,
      end,
      systems: await deps.services.listSystems(),
      troubles: (await deps.readiness()).flatMap(({ name, detail }) =>
        detail === undefined ? [] : [`${name}: ${detail}`],
      ),
      fault,
      given,
      now: now(),
    });
  };

  dashboard.get(PATH, async (c) => c.html(await showList(c, null, { type: c.req.query('type') })));

  dashboard.post(PATH, async (c) => {
    demandRole(c, 'admin');
    const session = c.get('session');
    const given = await c.req.parseBody();
    const request = CreateIntegrationRequest.safeParse(toRequest(given));
    const fault = request.success
      ? describeAddressFault(request.data, deps.allowPrivateAddresses)
      : (describeSystemFault(request.error) ??
        'An integration needs a name, a webhook also an http or https address, PagerDuty an integration key, and a heartbeat a service and how often it comes.');
    if (!request.success || fault !== null) {
      return c.html(await showList(c, fault, given), 422);
    }
    const { integration, secret, ingestKey } = await integrations.create(
      withPreset(request.data),
      now(),
      actorOf(session),
    );
    logger.info({ integrationId: integration.id, sessionId: session.id }, 'integration created');
    const shown = ingestKey ?? secret;
    return shown === null
      ? c.redirect(integrationUrl(integration.id), 303) // it existed already
      : c.html(renderSecretPage({ session, integration, secret: shown, publicUrl, now: now() }));
  });

  const mappingOf = async (integration: Integration) =>
    integration.type === 'json' ? currentMapping(deps, integration) : null;

  const show = async (
    c: Context<DashboardEnv>,
    integration: Integration,
    mapping: MappingState | null,
    systemFault: string | null = null,
  ) => {
    const log = await deliveries.list(integration.id, { limit: DELIVERIES_SHOWN, offset: 0 });
    const page = renderIntegrationPage({
      session: c.get('session'),
      integration,
      keys: (await keys.list()).filter((key) => key.integrationId === integration.id && isWorking(key, now())),
      deliveries: log?.items ?? [],
      refused: (await deps.refusedPayloads.list(integration.id)).filter(({ fault }) => fault !== null),
      asked: await deps.askedStates.list(integration.id),
      mapping,
      systems: await deps.services.listSystems(),
      systemFault,
      isWaiting: isWaiting(c, integration),
      publicUrl,
      now: now(),
    });
    return page;
  };

  dashboard.get(`${PATH}/:id`, async (c) => {
    const integration = await read(c);
    const mapping = await mappingOf(integration);
    const headers = isWaiting(c, integration) ? { refresh: WAIT_SECONDS } : {};
    return c.html(await show(c, integration, mapping), 200, headers);
  });

  dashboard.post(`${PATH}/:id/system`, async (c) => {
    demandRole(c, 'admin');
    const integration = await read(c);
    const { system } = await c.req.parseBody();
    const request = UpdateIntegrationRequest.safeParse({ system: systemOf(system) });
    if (!request.success) {
      return c.html(await show(c, integration, await mappingOf(integration), describeSystemFault(request.error)), 422);
    }
    await integrations.setSystem(integration.id, request.data.system, now(), actorOf(c.get('session')));
    logger.info({ integrationId: integration.id, system: request.data.system }, 'integration moved to a system');
    return c.redirect(integrationUrl(integration.id), 303);
  });

  bindMapping(dashboard, `${PATH}/:id`, deps, { read, show });

  dashboard.get(`${PATH}/:id/delete`, async (c) => {
    demandRole(c, 'admin');
    return c.html(renderDeletePage({ session: c.get('session'), integration: await read(c) }));
  });

  dashboard.post(`${PATH}/:id/delete`, async (c) => {
    demandRole(c, 'admin');
    const { id } = await read(c);
    await integrations.delete(id, now(), actorOf(c.get('session')));
    logger.info({ integrationId: id, sessionId: c.get('session').id }, 'integration deleted');
    return c.redirect('/dashboard/settings/integrations', 303);
  });

  bindWebhookActions(dashboard, deps, read);
}

function isWaiting(c: Context<DashboardEnv>, integration: Integration): boolean {
  return c.req.query('wait') === '1' && stateOfIntegration(integration) === 'waiting';
}

function bindWebhookActions(
  dashboard: Hono<DashboardEnv>,
  { webhookControl, testWebhook, now, publicUrl, logger }: IntegrationsDeps,
  read: (c: Context<DashboardEnv>) => Promise<Integration>,
): void {
  const act = (path: string, run: (c: Context<DashboardEnv>, id: string) => Promise<unknown>) => {
    dashboard.post(`${PATH}/:id/${path}`, async (c) => {
      demandRole(c, 'admin');
      const { id } = await read(c);
      await run(c, id).catch(refuse);
      return c.redirect(integrationUrl(id), 303);
    });
  };
  act('test', (_c, id) => testWebhook(id));
  act('enable', (c, id) => webhookControl.enable(id, now(), actorOf(c.get('session'))));
  act('deliveries/:delivery/resend', (c, id) =>
    webhookControl.resendDelivery(id, readPathParameter(c.req.param('delivery'))),
  );

  dashboard.post(`${PATH}/:id/rotate-secret`, async (c) => {
    demandRole(c, 'admin');
    const session = c.get('session');
    const { id } = await read(c);
    const rotation = await webhookControl.rotateSecret(id, now(), actorOf(session)).catch(refuse);
    logger.info({ integrationId: id, sessionId: session.id }, 'signing secret rotated');
    return c.html(renderSecretPage({ session, ...rotation, publicUrl, now: now() }));
  });
}

/** @throws {PageError} what the API would answer, as a page */
function refuse(error: unknown): never {
  throw error instanceof DomainError ? new PageError(422, 'Not done', `${error.message}.`) : error;
}

function toRequest({ type, name, url, routing_key, system, ...fields }: Readonly<Record<string, unknown>>): unknown {
  const given = StorableText.safeParse(name);
  return {
    type,
    name: given.data,
    ...(typeof type === 'string' && type in INGEST_PATHS && { system: systemOf(system) }),
    config: { ...configOf(type, url, routing_key), ...monitorConfigOf(type, fields) },
  };
}

/** An empty field names the default one. */
function systemOf(given: unknown): unknown {
  return given === '' ? MAIN_SYSTEM : given;
}

/** null: its name is right. */
function describeSystemFault({ issues }: z.ZodError): string | null {
  const issue = issues.find(({ path }) => path[0] === 'system');
  return issue === undefined ? null : `A system is named by at most 40 characters: ${issue.message}.`;
}

/** What watches for silence. Empty fields are left out. */
function monitorConfigOf(type: unknown, fields: Readonly<Record<string, unknown>>): object {
  const numberIn = (name: string) =>
    typeof fields[name] === 'string' && fields[name] !== '' ? { [name]: Number(fields[name]) } : {};
  return type === 'heartbeat'
    ? {
        service: StorableText.safeParse(fields.service).data,
        ...numberIn('interval_seconds'),
        ...numberIn('grace_seconds'),
      }
    : {
        ...numberIn('silence_minutes'),
        ...(fields.secret === '' ? {} : { secret: fields.secret }),
        ...(type === 'json' && fields.preset !== '' ? { preset: fields.preset } : {}),
      };
}

/** PagerDuty's address is the usual one unless another is given. */
function configOf(type: unknown, url: unknown, routingKey: unknown): object {
  if (type === 'webhook') {
    return { url };
  }
  return type === 'pagerduty' ? { routing_key: routingKey, ...(url === '' ? {} : { url }) } : {};
}

/** null: there is none. */
function describeAddressFault(request: CreateIntegrationRequest, allowPrivateAddresses: boolean): string | null {
  try {
    checkAddress(request, allowPrivateAddresses);
    return null;
  } catch (error) {
    if (error instanceof RequestError) {
      return `This address cannot be used: ${error.errors?.[0]?.detail ?? error.message}.`;
    }
    throw error;
  }
}
