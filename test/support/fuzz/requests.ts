import fc from 'fast-check';
import { alertNotification } from '../alert-notification.ts';
import { hostileHeader, hostileSegment, hostileText, matching, mutated } from './hostile.ts';
import type { Description, Operation } from './operations.ts';

export const KEY_KINDS = ['none', 'wrong', 'malformed', 'revoked', 'ingest', 'read-only', 'read-write'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export interface FuzzRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly key: KeyKind;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/** Stands for the key of the request in bodies that contain it. */
export const ROUTING_KEY = 'ROUTING_KEY';

const span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: '00f067aa0ba902b7',
  name: 'GET /',
  kind: 3,
  startTimeUnixNano: '1769846400000000000',
  endTimeUnixNano: '1769846401000000000',
  attributes: [{ key: 'peer.service', value: { stringValue: 'stock' } }],
  status: { code: 2, message: 'connection refused' },
};
const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'payments' } }] };
const point = { timeUnixNano: '1769846400000000000', asDouble: 1.5, attributes: [] };

/** Bodies in the formats of others, which the OpenAPI document only names. */
const FOREIGN_BODIES: Readonly<Record<string, unknown>> = {
  sendTraces: { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] },
  sendLogs: {
    resourceLogs: [
      {
        resource,
        scopeLogs: [{ logRecords: [{ timeUnixNano: '1', severityNumber: 17, body: { stringValue: 'it failed' } }] }],
      },
    ],
  },
  sendMetrics: {
    resourceMetrics: [
      { resource, scopeMetrics: [{ metrics: [{ name: 'http.errors', unit: '1', gauge: { dataPoints: [point] } }] }] },
    ],
  },
  sendAlerts: alertNotification(new Date('2026-01-31T08:00:00Z')),
  sendGrafanaAlerts: { ...alertNotification(new Date('2026-01-31T08:00:00Z')), version: '1' },
  sendCloudEvents: { specversion: '1.0', id: '1', source: '/a', type: 'b', service: 'backup', data: { a: 1 } },
  enqueueEvent: {
    routing_key: ROUTING_KEY,
    event_action: 'trigger',
    dedup_key: 'db-1',
    payload: { summary: 'it failed', source: 'db-1', severity: 'error', timestamp: '2026-01-31T08:00:00Z' },
  },
};

const STANDARD_TYPES: Readonly<Record<string, string>> = { sendCloudEvents: 'application/cloudevents+json' };

/** @param ids of existing resources */
export function requestsTo(
  operation: Operation,
  description: Description,
  ids: readonly string[],
): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      key: fc.oneof(fc.constant<KeyKind>('read-write'), fc.constantFrom(...KEY_KINDS)),
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(operation.method) },
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
      ),
      path: pathsOf(operation, ids),
      query: queriesOf(operation, description),
      headers: headersOf(operation),
      body: bodiesOf(operation, description),
    })
    .map(({ key, method, path, query, headers, body }) => ({
      key,
      method,
      target: query === '' ? path : `${path}?${query}`,
      headers,
      body: method === 'GET' || method === 'HEAD' ? null : body,
    }));
}

function pathsOf({ path }: Operation, ids: readonly string[]): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{\w+\}/g)].map(([name]) => name);
  const segment = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...ids) }, hostileSegment);
  const sound = fc
    .array(segment, { minLength: names.length, maxLength: names.length })
    .map((segments) => names.reduce((filled, name, index) => filled.replace(name, () => segments[index] ?? ''), path));
  const extended = fc.tuple(sound, hostileSegment).map(([base, more]) => `${base}/${more}`);
  return fc.oneof({ weight: 9, arbitrary: sound }, extended);
}

function queriesOf({ parameters }: Operation, description: Description): fc.Arbitrary<string> {
  const known = parameters.filter((each) => each.in === 'query');
  const knownPairs = known.map(({ name, schema }) =>
    fc
      .oneof(matching(schema, description).map(String), hostileText)
      .map((value) => `${name}=${encodeURIComponent(value.toWellFormed())}`),
  );
  const rawPairs = known.map(({ name }) => hostileSegment.map((value) => `${name}=${value}`));
  const unknownPair = fc.tuple(hostileSegment, hostileSegment).map(([name, value]) => `${name}=${value}`);
  const pair = known.length === 0 ? unknownPair : fc.oneof(...knownPairs, ...knownPairs, ...rawPairs, unknownPair);
  const pairs = fc.array(pair, { minLength: 1, maxLength: 3 }).map((all) => all.join('&'));
  return fc.oneof({ weight: known.length === 0 ? 8 : 1, arbitrary: fc.constant('') }, pairs);
}

const OTHER_HEADERS = [
  'accept',
  'authorization',
  'ce-specversion',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'traceparent',
  'x-api-key',
  'x-request-id',
];

function headersOf({ id }: Operation): fc.Arbitrary<Record<string, string>> {
  const standard = { 'content-type': STANDARD_TYPES[id] ?? 'application/json' };
  const other = fc.oneof(
    fc.tuple(fc.constantFrom(...OTHER_HEADERS), hostileHeader),
    fc
      .constantFrom(
        ['content-type', 'application/x-protobuf'],
        ['content-type', 'application/json; charset=iso-8859-1'],
        ['content-type', 'text/plain'],
        ['content-encoding', 'gzip'],
        ['content-encoding', 'br'],
        ['idempotency-key', 'the same'],
      )
      .map(([name = '', value = '']): [string, string] => [name, value]),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(standard) },
    fc.array(other, { maxLength: 3 }).map((pairs) => ({ ...standard, ...Object.fromEntries(pairs) })),
  );
}

function bodiesOf({ id, body }: Operation, description: Description): fc.Arbitrary<FuzzRequest['body']> {
  if (body === null) {
    return fc.constantFrom(null, null, '{}');
  }
  const foreign = FOREIGN_BODIES[id];
  const schema = body['application/json']?.schema ?? {};
  const sound = foreign === undefined ? matching(schema, description) : fc.constant(foreign);
  const json = mutated(sound).map((value) => JSON.stringify(value) ?? '');
  return fc.oneof(
    { weight: 10, arbitrary: json },
    json.map((text) => text.slice(0, text.length / 2)),
    json.map((text) => text.replace(/"(\w+)":/, '"__proto__":{"a":1},"$1":1e999,"$1":')),
    fc.constantFrom('', 'null', '[]', '[[[[', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, '"\ufeff"', '\ufeff{}'),
    fc.uint8Array({ maxLength: 200 }),
  );
}
