import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { PUSH_PATHS } from '../../src/contract/push.ts';
import { lokiRequest, snap, writeRequest } from '../support/push-encode.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

/** What shippers push, at the addresses and with the keys that they can set. */
let tocsin: TestService;
let key: string;
let id: string;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
  tocsin = cleanup.use(await startTestService());
  const response = await tocsin.call('POST', '/integrations', { body: { type: 'loki' } });
  const created = Integration.parse(await response.json());
  key = created.ingest_key ?? '';
  id = created.id;
});
afterAll(() => cleanup.disposeAsync());

function push(
  path: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
  method: 'POST' | 'PUT' = 'POST',
) {
  return tocsin.service.fetch(
    new Request(PUBLIC_URL + path, { method, headers, body: Uint8Array.from(Buffer.from(body)) }),
  );
}

const basic = () => ({ authorization: `Basic ${Buffer.from(`tocsin:${key}`).toString('base64')}` });
const JSON_TYPE = { 'content-type': 'application/json' };
const loki = (line: string) =>
  JSON.stringify({ streams: [{ stream: { app: 'shop' }, values: [[String(BigInt(Date.now()) * 1_000_000n), line]] }] });

it.each([
  [
    'Loki by JSON',
    () => push(PUSH_PATHS.loki, loki('ERROR loki one'), { ...JSON_TYPE, ...basic() }),
    204,
    'ERROR loki one',
  ],
  [
    'Loki by JSON in gzip',
    () =>
      push(PUSH_PATHS.loki, gzipSync(loki('ERROR loki two')), { ...JSON_TYPE, ...basic(), 'content-encoding': 'gzip' }),
    204,
    'ERROR loki two',
  ],
  [
    'Loki by protobuf',
    () =>
      push(PUSH_PATHS.loki, lokiRequest('{app="shop"}', ['ERROR loki three'], new Date()), {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'snappy',
        authorization: `Bearer ${key}`,
      }),
    204,
    'ERROR loki three',
  ],
  [
    'Elasticsearch',
    () => push(`${PUSH_PATHS.elasticsearch}/_bulk`, '{"create":{}}\n{"message":"ERROR bulk"}\n', basic()),
    200,
    'ERROR bulk',
  ],
  [
    'Elasticsearch by PUT to an index',
    () => push(`${PUSH_PATHS.elasticsearch}/logs/_bulk`, '{"create":{}}\n{"message":"ERROR index"}\n', basic(), 'PUT'),
    200,
    'ERROR index',
  ],
  [
    'Splunk',
    () => push('/services/collector/event/1.0', '{"event":"ERROR hec"}', { authorization: `Splunk ${key}` }),
    200,
    'ERROR hec',
  ],
  [
    'Splunk by raw lines',
    () => push('/services/collector/raw', 'ERROR raw', { authorization: `Splunk ${key}` }),
    200,
    'ERROR raw',
  ],
  [
    'syslog, with the key in the address',
    () => push(`${PUSH_PATHS.syslog}?token=${key}`, '<11>1 - h shop - - - a syslog', {}),
    204,
    'a syslog',
  ],
] as const)('takes %s', async (_name, send, status, summary) => {
  const response = await send();

  expect(response.status).toBe(status);
  const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals?limit=100')).json());
  expect(signals.map((each) => each.summary)).toContain(summary);
});

it('finds the key of a sender whatever it calls the scheme, and that in the address behind any proxy', async () => {
  const of = (credentials: string) => Buffer.from(credentials).toString('base64');
  const taken = [
    `Token ${key}`,
    `ApiKey ${key}`,
    key,
    `Basic ${of(`${key}:`)}`,
    `Basic ${of(key)}`,
    basic().authorization,
  ];
  const refused = ['Token', 'Digest username="ana", response="1"', `Basic ${of(':')}`, `Bearer ${key} ${key}`];
  const statusOf = async (authorization: string, query = '') =>
    (await push(PUSH_PATHS.loki + query, loki('INFO key'), { ...JSON_TYPE, authorization })).status;

  expect(await Promise.all(taken.map((each) => statusOf(each)))).toEqual(taken.map(() => 204));
  expect(await Promise.all(refused.map((each) => statusOf(each)))).toEqual(refused.map(() => 401));
  expect(await statusOf('Negotiate of-a-proxy', `?token=${key}`)).toBe(204);
});

it('takes remote write', async () => {
  const body = writeRequest([{ labels: { __name__: 'errors_total', job: 'shop' }, samples: [[1, Date.now()]] }]);

  const response = await push(PUSH_PATHS.remote_write, body, { ...basic(), 'content-encoding': 'snappy' });

  expect(response.status).toBe(204);
});

it('refuses remote write 2.0 by its name', async () => {
  const type = 'application/x-protobuf;proto=io.prometheus.write.v2.Request';

  const response = await push(PUSH_PATHS.remote_write, '', { ...basic(), 'content-type': type });

  expect(response.status).toBe(415);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining('set protobuf_message') });
});

it.each([
  [
    'a message that ends early',
    () => push(PUSH_PATHS.remote_write, snap(Uint8Array.of(10, 200)), basic()),
    422,
    'cannot be decoded',
  ],
  ['a body that is no Snappy', () => push(PUSH_PATHS.remote_write, 'x', basic()), 422, 'malformed'],
  [
    'a bulk without an action',
    () => push(`${PUSH_PATHS.elasticsearch}/_bulk`, '{"a":1}', basic()),
    422,
    'expected an action',
  ],
  ['only metrics', () => push(PUSH_PATHS.splunk_hec, '{"event":"metric"}', basic()), 422, 'nothing in it can be used'],
  [
    'another encoding',
    () => push(PUSH_PATHS.loki, 'x', { ...basic(), 'content-encoding': 'zstd' }),
    415,
    'gzip or identity',
  ],
  ['no key', () => push(PUSH_PATHS.loki, 'x', {}), 401, 'send an API key'],
])('refuses %s', async (_name, send, status, reason) => {
  const response = await send();

  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining(reason) });
});

it('tells at the integration what was not kept', async () => {
  await push(PUSH_PATHS.splunk_hec, '{"event":"metric"}{"event":"ERROR hec"}', basic());

  const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());
  expect(integrations.find((each) => each.id === id)?.last_unkept).toBe('1 of the logs unusable');
});

it.each([
  ['GET', `${PUSH_PATHS.elasticsearch}/`, 200],
  ['GET', '/services/collector/health', 200],
  ['GET', PUSH_PATHS.loki, 405],
  ['GET', '/loki/api/v1/labels', 404],
  ['PUT', `${PUSH_PATHS.elasticsearch}/_ilm/policy/filebeat`, 404],
])('answers %s %s with %i', async (method, path, status) => {
  expect((await tocsin.service.fetch(new Request(PUBLIC_URL + path, { method }))).status).toBe(status);
});
