import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from 'pino';
import { type Route, type RouteName, routes } from '../../contract/routes.ts';
import { AlertmanagerNotification, readAlerts } from '../ingest/alertmanager.ts';
import type { createOtlpHandler, IngestBatch } from '../ingest/otlp-http.ts';
import type { ServiceMetrics } from '../metrics.ts';
import type { ApiKeyStore } from '../store/api-key-store.ts';
import type { IdempotencyStore } from '../store/idempotency-store.ts';
import { authenticate, demandScope, isAuthentic } from './auth.ts';
import { isKnownToSender } from './conditional.ts';
import { answerOnce } from './idempotency.ts';
import { type ObservedEnv, observeIngest, observeRequests } from './observe-requests.ts';
import { createOpenApi } from './openapi.ts';
import { answerProblem, RequestError } from './problem.ts';
import { createRateLimits, type RateLimitEnv } from './rate-limit.ts';
import type { AnyHandler, Handlers, RouteDeps } from './route-handlers.ts';
import { answerEvents, type EventRouteDeps } from './routes/events.ts';
import { createIncidentHandlers } from './routes/incidents.ts';
import { createIntegrationHandlers } from './routes/integrations.ts';
import { createSignalHandlers } from './routes/signals.ts';
import { parseBody, parseQuery } from './validate.ts';

const MAX_JSON_BYTES = 256 * 1024;
/** A group of thousands of alerts comes in one piece. */
const MAX_NOTIFICATION_BYTES = 16 * 1024 * 1024;

const OTLP_KINDS = ['traces', 'metrics', 'logs'] as const;

interface ApiEnv {
  Variables: ObservedEnv['Variables'] & RateLimitEnv['Variables'];
}

export interface ApiDeps extends RouteDeps, EventRouteDeps {
  readonly keys: ApiKeyStore;
  readonly answers: IdempotencyStore;
  readonly receiveOtlp: ReturnType<typeof createOtlpHandler>;
  /** Resolves once the batch is durable. */
  readonly accept: (batch: IngestBatch) => Promise<void>;
  /** Requests of one key; null: no limit. */
  readonly rateLimitPerMinute: number | null;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics;
}

/** Everything below `/v1`: the contract's routes, the stream of events, OTLP/HTTP at its default paths, and Alertmanager's webhook. */
export function createApi(deps: ApiDeps): Hono<ApiEnv> {
  const { logger } = deps;
  const api = new Hono<ApiEnv>();

  api.use(observeRequests<ApiEnv>(deps));
  const description = createOpenApi(deps.publicUrl);
  api.get('/v1/openapi.json', (c) => c.json(description));
  refuseOtherMethods(api, '/v1/openapi.json', ['GET']);
  api.use(async (c, next) => {
    c.set('key', await authenticate(c.req.raw.headers, deps.keys, deps.now()));
    await next();
  });
  const limits = createRateLimits<ApiEnv>(deps.rateLimitPerMinute, deps.now);
  const gates: IngestGates = [observeIngest(deps.metrics), limits.ingest];
  bindOtlp(api, gates, deps.receiveOtlp);
  bindAlertmanager(api, gates, deps.accept);
  api.use(limits.requests);
  const handlers = {
    ...createIncidentHandlers(deps),
    ...createSignalHandlers(deps),
    ...createIntegrationHandlers(deps),
  };
  bindRoutes(api, handlers, deps);
  bindEvents(api, deps);
  api.notFound((c) => {
    const error = new RequestError('not-found', 'there is nothing at this address');
    return answerProblem(error, c.get('requestId'), logger);
  });
  api.onError((error, c) => answerProblem(error, c.get('requestId'), logger.child({ traceId: c.get('traceId') })));
  return api;
}

function bindRoutes(api: Hono<ApiEnv>, handlers: Handlers, deps: ApiDeps): void {
  const methodsByPath = new Map<string, string[]>();
  for (const [name, route] of Object.entries(routes)) {
    const path = `/v1${route.path.replace('{id}', ':id')}`;
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), route.method]);
    // The types of `Handlers` hold name by name; a loop over the names cannot know that they do.
    const handle = handlers[name as RouteName] as AnyHandler;
    const answer = (c: Context<ApiEnv>) => answerRoute(c, route, handle);
    api.on(route.method, path, limitJson, (c) => {
      demandScope(c.get('key'), route.scope);
      return route.method === 'POST' ? answerOnce(c.req.raw, c.get('key').id, deps, () => answer(c)) : answer(c);
    });
  }
  for (const [path, methods] of methodsByPath) {
    refuseOtherMethods(api, path, methods);
  }
}

const limitJson = limitBody(MAX_JSON_BYTES);
const limitNotification = limitBody(MAX_NOTIFICATION_BYTES);

/** A body that tells its length is refused untouched: the HTTP server skips it then, and its connection lives on. */
function limitBody(maxSize: number): MiddlewareHandler {
  const refuse = () => {
    throw new RequestError('body-too-large', `a body may have at most ${maxSize} bytes`);
  };
  const count = bodyLimit({ maxSize, onError: refuse });
  return async (c, next) => {
    const length = c.req.header('content-length');
    if (length === undefined) {
      return count(c, next);
    }
    return Number(length) > maxSize ? refuse() : next();
  };
}

async function answerRoute(c: Context<ApiEnv>, route: Route, handle: AnyHandler): Promise<Response> {
  const query = parseQuery(route.query, c.req.url);
  const body = route.body === null ? null : await parseBody(route.body, c.req.raw);
  const { headers } = c.req.raw;
  const answer = await handle({ id: c.req.param('id') ?? '', query, body, headers });
  const etag = answer.headers?.etag;
  if (route.condition === 'if-none-match' && etag !== undefined && isKnownToSender(headers, etag)) {
    return c.body(null, 304, { etag });
  }
  const status = answer.status ?? route.status;
  return status === 204 ? c.body(null, status) : c.json(answer.body, status, answer.headers);
}

function bindEvents(api: Hono<ApiEnv>, deps: ApiDeps): void {
  api.get('/v1/events', (c) => {
    demandScope(c.get('key'), 'read-only');
    const { headers } = c.req.raw;
    return answerEvents(c.req.raw, deps, () => isAuthentic(headers, deps.keys, deps.now()));
  });
  refuseOtherMethods(api, '/v1/events', ['GET']);
}

/** What comes before every handler of ingest. */
type IngestGates = readonly [MiddlewareHandler<ApiEnv>, MiddlewareHandler<ApiEnv>];

function bindOtlp(api: Hono<ApiEnv>, gates: IngestGates, receive: ApiDeps['receiveOtlp']): void {
  for (const kind of OTLP_KINDS) {
    api.post(`/v1/${kind}`, ...gates, (c) => {
      demandScope(c.get('key'), 'read-write');
      return receive(c.req.raw, kind, (items) => c.set('items', items));
    });
    refuseOtherMethods(api, `/v1/${kind}`, ['POST']);
  }
}

/** Alertmanager repeats a notification until it is answered with 2xx. */
function bindAlertmanager(api: Hono<ApiEnv>, gates: IngestGates, accept: ApiDeps['accept']): void {
  api.post('/v1/alertmanager', ...gates, limitNotification, async (c) => {
    demandScope(c.get('key'), 'read-write');
    const notification = await parseBody(AlertmanagerNotification, c.req.raw);
    const signals = readAlerts(notification);
    c.set('items', signals.length);
    await accept({ signals, calls: [] });
    return c.json({});
  });
  refuseOtherMethods(api, '/v1/alertmanager', ['POST']);
}

function refuseOtherMethods(api: Hono<ApiEnv>, path: string, methods: readonly string[]): void {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  api.all(path, () => {
    throw new RequestError('method-not-allowed', `this address knows ${allow}`, { headers: { allow } });
  });
}
