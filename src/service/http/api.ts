import { type Context, Hono } from 'hono';
import type { Logger } from 'pino';
import type { Route } from '../../contract/route.ts';
import { type RouteName, routes } from '../../contract/routes.ts';
import type { ServiceMetrics } from '../metrics.ts';
import type { ApiKeyStore } from '../store/keys/api-key-store.ts';
import type { Stores } from '../store/stores.ts';
import { type ApiEnv, limitBody, refuseOtherMethods } from './api-env.ts';
import { authenticate, demandScope } from './auth.ts';
import { compressAnswers } from './compress-answers.ts';
import { isKnownToClient } from './conditional.ts';
import { observeDeadline } from './deadline.ts';
import { handleOnce, type OnceDeps } from './idempotency.ts';
import type { IngestRouteDeps } from './ingest-gates.ts';
import { createKeyGate } from './key-gate.ts';
import { observeIngest, observeRequests } from './observe-requests.ts';
import { createOpenApi } from './openapi.ts';
import { problemResponse, RequestError } from './problem.ts';
import { answerAt, publicPathOf } from './public-path.ts';
import { createRateLimits } from './rate-limit.ts';
import type { AnyHandler, Handlers, RouteDeps } from './route-handlers.ts';
import { type EventRouteDeps, openEvents } from './routes/events.ts';
import { createIncidentHandlers } from './routes/incidents.ts';
import { bindIngest } from './routes/ingest.ts';
import { createIntegrationEventHandlers } from './routes/integration-events.ts';
import {
  createDeliveryHandlers,
  createIntegrationHandlers,
  createIntegrationStateHandlers,
} from './routes/integrations.ts';
import { createMuteHandlers } from './routes/mutes.ts';
import { createPageHandlers } from './routes/pages.ts';
import { createPeopleHandlers } from './routes/people.ts';
import { createPolicyHandlers } from './routes/policies.ts';
import { bindFeed } from './routes/schedule-feed.ts';
import { createScheduleHandlers } from './routes/schedules.ts';
import { createSignInLinkHandlers } from './routes/sign-in-links.ts';
import { createSignalHandlers } from './routes/signals.ts';
import { createWayHandlers } from './routes/ways.ts';
import { readPathParameter } from './storable-text.ts';
import { parseBody, parseQuery } from './validate.ts';

const MAX_JSON_BYTES = 256 * 1024;

export interface ApiDeps extends RouteDeps, EventRouteDeps, OnceDeps, Omit<IngestRouteDeps, 'keys'> {
  readonly keys: ApiKeyStore;
  /** Requests per key; null: no limit. */
  readonly rateLimitPerMinute: number | null;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics;
}

/** Everything below `/v1`: the routes of the contract, the event stream and the ingest routes; also `/v2/enqueue`. */
export function createApi(deps: ApiDeps): Hono<ApiEnv> {
  const { logger } = deps;
  const api = new Hono<ApiEnv>();

  api.use(observeRequests<ApiEnv>(deps));
  api.use(answerAt(publicPathOf(deps.publicUrl)));
  let description: ReturnType<typeof createOpenApi> | null = null; // takes a while to make, and few ask for it
  api.get('/v1/openapi.json', compressAnswers(), (c) => {
    description ??= createOpenApi(deps.publicUrl);
    return c.json(description);
  });
  refuseOtherMethods(api, '/v1/openapi.json', ['GET']);
  bindFeed(api, deps);
  const limits = createRateLimits<ApiEnv>(deps.rateLimitPerMinute, deps.now);
  const keys = createKeyGate(deps.keys, deps.now);
  bindIngest(api, { ...deps, keys }, { observe: observeIngest(deps.metrics), limit: limits.ingest });
  api.use(async (c, next) => {
    c.set('key', await authenticate(c.req.raw.headers, keys(c.env?.address), deps.now()));
    await next();
  });
  api.use(compressAnswers());
  api.use(observeDeadline(deps.now));
  api.use(limits.requests);
  bindRoutes(api, deps);
  bindEvents(api, deps);
  api.notFound((c) => {
    const error = new RequestError('not-found', 'there is nothing at this address');
    return problemResponse(error, c.get('requestId'), logger);
  });
  api.onError((error, c) => problemResponse(error, c.get('requestId'), logger.child({ traceId: c.get('traceId') })));
  return api;
}

/** @param stores of a transaction; absent: each store has its own */
function createHandlers(deps: ApiDeps, stores?: Stores): Handlers {
  const within = { ...deps, ...stores };
  return {
    ...createIncidentHandlers(within),
    ...createMuteHandlers(within),
    ...createPeopleHandlers(within),
    ...createScheduleHandlers(within),
    ...createPolicyHandlers(within),
    ...createSignalHandlers(within),
    ...createIntegrationHandlers(within),
    ...createIntegrationStateHandlers(within),
    ...createDeliveryHandlers(within),
    ...createSignInLinkHandlers(within),
    // These hand on to parts with connections of their own, which would wait for the transaction that waits for them.
    ...createPageHandlers(deps),
    ...createWayHandlers(deps),
    ...createIntegrationEventHandlers(deps),
  };
}

function bindRoutes(api: Hono<ApiEnv>, deps: ApiDeps): void {
  const handlers = createHandlers(deps);
  const methodsByPath = new Map<string, string[]>();
  for (const [name, route] of Object.entries(routes)) {
    const path = `/v1${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), route.method]);
    // `Handlers` relates each name to its types; a loop over the names loses that relation.
    const handlerOf = (stores?: Stores) =>
      (stores === undefined ? handlers : createHandlers(deps, stores))[name as RouteName] as AnyHandler;
    api.on(route.method, path, limitJson, async (c) => {
      demandScope(c.get('key'), route.scope);
      return route.method === 'GET'
        ? (await handleRoute(c, route, handlerOf())).response
        : handleOnce(c.req.raw, c.get('key').id, deps, (stores) => handleRoute(c, route, handlerOf(stores)));
    });
  }
  for (const [path, methods] of methodsByPath) {
    refuseOtherMethods(api, path, methods);
  }
}

const limitJson = limitBody(MAX_JSON_BYTES);

async function handleRoute(c: Context<ApiEnv>, route: Route, handle: AnyHandler) {
  const query = parseQuery(route.query, c.req.url);
  const body = route.body === null ? null : await parseBody(route.body, c.req.raw);
  const { headers } = c.req.raw;
  const { id: first, ...inner } = c.req.param();
  const [id, innerId] = [readPathParameter(first), readPathParameter(Object.values(inner)[0])];
  const { id: caller, name: callerName, scope: callerScope } = c.get('key');
  const result = await handle({ id, innerId, query, body, headers, caller, callerName, callerScope, context: c });
  const etag = result.headers?.etag;
  if (route.condition === 'if-none-match' && etag !== undefined && isKnownToClient(headers, etag)) {
    return { response: c.body(null, 304, { etag }) };
  }
  const status = result.status ?? route.status;
  if (status === 204) {
    return { response: c.body(null, status) };
  }
  if (result.csv !== undefined && headers.get('accept')?.includes('text/csv') === true) {
    return { response: c.body(result.csv, status, { ...result.headers, 'content-type': 'text/csv; charset=utf-8' }) };
  }
  const write = (body: object | null) => c.json(body, status, result.headers);
  return result.once === undefined
    ? { response: write(result.body) }
    : { response: write({ ...result.body, ...result.once }), kept: write(result.body) };
}

function bindEvents(api: Hono<ApiEnv>, deps: ApiDeps): void {
  api.get('/v1/events', (c) => {
    demandScope(c.get('key'), 'read-only');
    const { id, scope } = c.get('key');
    return openEvents(c.req.raw, deps, { reader: id, isBot: scope === 'read-write' });
  });
  refuseOtherMethods(api, '/v1/events', ['GET']);
}
