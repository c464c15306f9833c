import { INGEST_PATHS } from '../../contract/integrations.ts';
import { TELEMETRY_KINDS } from '../ingest/formats/otlp/otlp-response.ts';
import { INGEST_FORMATS } from './ingest-formats.ts';
import { PRESET_INGEST } from './preset-formats.ts';

type Json = Record<string, unknown>;

const SCOPE = 'Needs an ingest or read-write API key. An ingest key may also be the query parameter `token`.';

const RETRY_AFTER = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };

const DESCRIBED = { ...INGEST_FORMATS, ...PRESET_INGEST };

const ANY_JSON = { 'application/json': { schema: { type: 'object' } } };

/** Formats of other standards are only named, because they are documented there. */
export function describeIngest(deps: {
  readonly publicUrl: string;
  readonly describeErrors: (statuses: readonly number[]) => Json;
}): Record<string, Json> {
  const { publicUrl, describeErrors } = deps;
  const formats = Object.entries(DESCRIBED).map(([type, { operationId, summary, content }]): [string, Json] => [
    INGEST_PATHS[type as keyof typeof DESCRIBED].replace(/^\/v1/, ''), // what Object.entries gives
    {
      post: {
        operationId,
        summary,
        description: SCOPE,
        requestBody: { required: true, content },
        responses: {
          200: { description: 'Durable', content: ANY_JSON },
          ...describeErrors([400, 401, 403, 413, 415, 422, 429, 500, 503]),
        },
      },
    },
  ]);
  return {
    ...describeOtlp(),
    ...Object.fromEntries(formats),
    [INGEST_PATHS.heartbeat.replace(/^\/v1/, '')]: describeHeartbeat(describeErrors),
    [INGEST_PATHS.pagerduty_events]: describeEnqueue(publicUrl, describeErrors),
  };
}

function describeOtlp(): Record<string, Json> {
  const otlp = { ...ANY_JSON, 'application/x-protobuf': { schema: { type: 'string', format: 'binary' } } };
  const refused = { description: 'Refused: google.rpc.Status in the encoding of the request', content: otlp };
  const refusedForNow = { ...refused, headers: RETRY_AFTER };
  const kinds = TELEMETRY_KINDS.map((kind): [string, Json] => [
    `/${kind}`,
    {
      post: {
        operationId: `send${kind[0]?.toUpperCase()}${kind.slice(1)}`,
        summary: `Send ${kind} by OTLP/HTTP (https://opentelemetry.io/docs/specs/otlp/)`,
        description: `${SCOPE} The body may be compressed with gzip.`,
        requestBody: { required: true, content: otlp },
        responses: {
          200: { description: 'Durable, possibly with rejected items', content: otlp },
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

/** Its other methods and addresses are those of other products, and documented there. */
function describeHeartbeat(describeErrors: (statuses: readonly number[]) => Json): Json {
  const describe = (operationId: string) => ({
    operationId,
    summary: 'Say that the job of a heartbeat runs; the body is ignored',
    description: `${SCOPE} The key must be that of an integration of type heartbeat.`,
    responses: {
      200: { description: 'Durable', content: ANY_JSON },
      ...describeErrors([401, 403, 404, 413, 429, 500, 503]),
    },
  });
  return { get: describe('sendHeartbeatByGet'), post: describe('sendHeartbeat') };
}

/** At the root of the server, as in PagerDuty's API. */
function describeEnqueue(publicUrl: string, describeErrors: (statuses: readonly number[]) => Json): Json {
  const refused = { description: "Refused, in PagerDuty's format", content: ANY_JSON };
  return {
    post: {
      operationId: 'enqueueEvent',
      summary: "Send an event of PagerDuty's Events API v2; at the root, not below `/v1`",
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
