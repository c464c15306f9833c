type Json = Record<string, unknown>;

const WHO_MAY = 'Needs an ingest or read-write API key. An ingest key may be the query parameter `token` too.';

const RETRY_AFTER = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };

const ANY_JSON = { 'application/json': { schema: { type: 'object' } } };

/** What other standards define is named here, and described there. */
export function describeIngest(deps: {
  readonly publicUrl: string;
  /** A reference to its schema. */
  readonly genericEvent: Json;
  readonly describeErrors: (statuses: readonly number[]) => Json;
}): Record<string, Json> {
  const { publicUrl, genericEvent, describeErrors } = deps;
  const describe = (operationId: string, summary: string, content: Json): Json => ({
    post: {
      operationId,
      summary,
      description: WHO_MAY,
      requestBody: { required: true, content },
      responses: {
        200: { description: 'Durable', content: ANY_JSON },
        ...describeErrors([400, 401, 403, 413, 415, 422, 429, 500, 503]),
      },
    },
  });
  const events = { oneOf: [genericEvent, { type: 'array', items: genericEvent }] };
  return {
    ...describeOtlp(),
    '/alertmanager': describe('sendAlerts', "Send alerts by Alertmanager's webhook, version 4", ANY_JSON),
    '/cloudevents': describe('sendCloudEvents', 'Send CloudEvents 1.0, structured, batched or binary', {
      'application/cloudevents+json': { schema: { type: 'object' } },
      'application/cloudevents-batch+json': { schema: { type: 'array', items: { type: 'object' } } },
      '*/*': {},
    }),
    '/generic': describe('sendEvents', 'Send one event, or a list of them', { 'application/json': { schema: events } }),
    '/v2/enqueue': describeEnqueue(publicUrl, describeErrors),
  };
}

function describeOtlp(): Record<string, Json> {
  const otlp = { ...ANY_JSON, 'application/x-protobuf': { schema: { type: 'string', format: 'binary' } } };
  const refused = { description: 'Refused: google.rpc.Status in the encoding of the request', content: otlp };
  const refusedForNow = { ...refused, headers: RETRY_AFTER };
  const kinds = ['traces', 'metrics', 'logs'].map((kind): [string, Json] => [
    `/${kind}`,
    {
      post: {
        operationId: `send${kind[0]?.toUpperCase()}${kind.slice(1)}`,
        summary: `Send ${kind} by OTLP/HTTP (https://opentelemetry.io/docs/specs/otlp/)`,
        description: `${WHO_MAY} The body may be compressed by gzip.`,
        requestBody: { required: true, content: otlp },
        responses: {
          200: { description: 'Durable, or refused in part', content: otlp },
          429: refusedForNow,
          503: refusedForNow,
          '4XX': refused,
          '5XX': refused,
        },
      },
    },
  ]);
  return Object.fromEntries(kinds);
}

/** At the root of the server, where its senders look for it. */
function describeEnqueue(publicUrl: string, describeErrors: (statuses: readonly number[]) => Json): Json {
  const refused = { description: "Refused, in PagerDuty's words", content: ANY_JSON };
  return {
    post: {
      operationId: 'enqueueEvent',
      summary: "Send an event as to PagerDuty's Events API v2; at the root, not below `/v1`",
      description: 'The `routing_key` of the event is an ingest or read-write API key.',
      servers: [{ url: publicUrl === '' ? '/' : publicUrl }],
      security: [],
      requestBody: { required: true, content: ANY_JSON },
      responses: {
        202: { description: 'Durable', content: ANY_JSON },
        429: { ...refused, headers: RETRY_AFTER },
        '4XX': refused,
        ...describeErrors([500, 503]),
      },
    },
  };
}
