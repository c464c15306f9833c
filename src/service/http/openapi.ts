import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import {
  IncidentEventType,
  IncidentWebhook,
  IntegrationEventType,
  IntegrationWebhook,
  ServiceEvent,
} from '../../contract/events.ts';
import { Problem } from '../../contract/problem.ts';
import type { Route } from '../../contract/route.ts';
import { routes } from '../../contract/routes.ts';
import { describeIngest } from './openapi-ingest.ts';
import { describeSchemas, refer } from './openapi-schemas.ts';
import { STATUS_BY_CODE } from './problem.ts';

type Json = Record<string, unknown>;

/** Error statuses of every request. */
const COMMON_ERRORS = [400, 401, 403, 429, 500, 503];

const STRING = { type: 'string' };

/** Describes everything below `/v1` in OpenAPI 3.1. @param publicUrl without a slash at the end */
export function createOpenApi(publicUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(routes)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(name, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tocsin incident service',
      version: '1.0.0',
      description: 'Signals in, incidents out. Inside v1 changes only add: ignore fields that you do not know.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${publicUrl}/v1` }],
    security: [{ bearer: [] }, { apiKey: [] }],
    paths: {
      ...paths,
      '/events': { get: describeEvents() },
      ...describeIngest({ publicUrl, describeErrors }),
      '/openapi.json': { get: describeOwnAddress() },
    },
    webhooks: Object.fromEntries([
      ...IncidentEventType.options.map((type) => [type, { post: describeWebhook(type, IncidentWebhook) }]),
      ...IntegrationEventType.options.map((type) => [type, { post: describeWebhook(type, IntegrationWebhook) }]),
    ]),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key: read-only, read-write or ingest.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'For senders without Authorization.' },
      },
      schemas: describeSchemas(),
      headers: {
        RequestId: { description: 'The id from the request, or a new one.', schema: STRING },
        RateLimit: {
          description: 'The remaining quota of this API key, and the time until it is full.',
          schema: STRING,
        },
        RateLimitPolicy: { description: 'The quota of an API key per minute.', schema: STRING },
        RetryAfter: { description: 'Seconds to wait before the next attempt.', schema: STRING },
        ETag: { description: 'For If-None-Match and If-Match.', schema: STRING },
        Location: { description: 'The address of the created resource.', schema: STRING },
      },
    },
  };
}

function describeRoute(name: string, route: Route): Json {
  const { method, path, scope, summary, body, condition } = route;
  return {
    operationId: name,
    summary,
    description: `Needs a ${scope} API key.`,
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: STRING })),
      ...describeQuery(route.query),
      ...(condition === undefined ? [] : [describeHeader(condition === 'if-match' ? 'If-Match' : 'If-None-Match')]),
      ...(method === 'GET' ? [] : [describeHeader('Idempotency-Key')]),
      describeHeader('X-Request-Id'),
    ],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: refer(body) } } } }),
    responses: describeResponses(name, route),
  };
}

function describeHeader(name: string): Json {
  return { name, in: 'header', schema: STRING };
}

function describeQuery(query: z.ZodType): Json[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema: inQuery(name, schema) }));
}

/** Query parameters are text; those with digits only are described as integers. */
function inQuery(name: string, schema: z.core.JSONSchema.JSONSchema | boolean): unknown {
  if (typeof schema === 'object' && schema.pattern === '^\\d+$') {
    return { type: 'integer', minimum: name === 'limit' ? 1 : 0, default: schema.default };
  }
  return schema;
}

function describeResponses(name: string, { method, path, body, status, response, condition }: Route): Json {
  const headers = {
    'x-request-id': { $ref: '#/components/headers/RequestId' },
    ratelimit: { $ref: '#/components/headers/RateLimit' },
    'ratelimit-policy': { $ref: '#/components/headers/RateLimitPolicy' },
    ...(condition === undefined ? {} : { etag: { $ref: '#/components/headers/ETag' } }),
  };
  const content = response === null ? {} : { content: { 'application/json': { schema: refer(response) } } };
  const created = { ...headers, location: { $ref: '#/components/headers/Location' } };
  const success = { description: STATUS_CODES[status] ?? '', headers: status === 201 ? created : headers, ...content };
  return {
    ...(name === 'createIntegration' ? { 200: { description: 'The existing integration', headers, ...content } } : {}),
    [status]: success,
    ...(condition === 'if-none-match' ? { 304: { description: 'Not modified', headers } } : {}),
    ...describeErrors([
      ...COMMON_ERRORS,
      ...(path.includes('{id}') ? [404] : []),
      ...(method === 'GET' ? [] : [409, 422]),
      ...(condition === 'if-match' ? [412] : []),
      ...(body === null ? [] : [413, 415]),
    ]),
  };
}

function describeErrors(statuses: readonly number[]): Json {
  const content = { 'application/problem+json': { schema: refer(Problem) } };
  return Object.fromEntries(
    statuses.map((status) => {
      const retryAfter =
        status === 429 || status === 503 ? { 'retry-after': { $ref: '#/components/headers/RetryAfter' } } : {};
      const headers = { 'x-request-id': { $ref: '#/components/headers/RequestId' }, ...retryAfter };
      return [status, { description: `${STATUS_CODES[status]}: ${codesOf(status).join(', ')}`, headers, content }];
    }),
  );
}

/** Possible values of `code` in problems with this status. */
function codesOf(status: number): string[] {
  return Object.entries(STATUS_BY_CODE)
    .filter(([, known]) => known === status)
    .map(([code]) => code);
}

function describeEvents(): Json {
  return {
    operationId: 'followEvents',
    summary: 'Follow the changes of incidents as server-sent events',
    description: 'Needs a read-only API key. Starts now, or after the last event seen, at most 7 days ago.',
    parameters: [
      { name: 'Last-Event-ID', in: 'header', schema: STRING, description: 'The `id` of the last event seen.' },
      {
        name: 'last_event_id',
        in: 'query',
        schema: STRING,
        description: 'The same, for clients that cannot set headers.',
      },
    ],
    responses: {
      200: {
        description: 'An endless stream; the data of each event is a ServiceEvent as JSON',
        content: { 'text/event-stream': { schema: refer(ServiceEvent) } },
      },
      ...describeErrors([...COMMON_ERRORS, 410]),
    },
  };
}

function describeWebhook(type: IncidentEventType | IntegrationEventType, payload: z.ZodType): Json {
  const header = (name: string, description: string) => ({ ...describeHeader(name), required: true, description });
  return {
    operationId: `receive-${type}`,
    summary: `Sent to webhook integrations at ${type}, signed by https://www.standardwebhooks.com`,
    description:
      'Retried for up to 24 hours until the response is 2xx within 15 s. 410, or failing for 24 hours, disables the integration.',
    security: [],
    parameters: [
      header('webhook-id', 'The `id` of the event, the same at each attempt.'),
      header('webhook-timestamp', 'The time of the attempt in Unix seconds.'),
      header(
        'webhook-signature',
        '`v1,` and HMAC-SHA256 of id.timestamp.body with the secret, in base64. After a rotation, one for each valid secret, separated by a space.',
      ),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: refer(payload) } } },
    responses: {
      '2XX': { description: 'Accepted' },
      410: { description: 'Send no more' },
    },
  };
}

function describeOwnAddress(): Json {
  return {
    operationId: 'readOpenApi',
    summary: 'This description',
    security: [],
    responses: {
      200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
      ...describeErrors([405]),
    },
  };
}
