import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Problem } from '../../src/contract/problem.ts';
import { createId } from '../../src/service/core/ids.ts';
import { writeCursor } from '../../src/service/http/cursor.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;
let open: string;
let closed: string;

beforeAll(async () => {
  tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  closed = (await tocsin.openIncident()).id;
  await tocsin.call('POST', `/incidents/${closed}/resolve`, { body: { resolution_note: 'restarted' } });
  await tocsin.failIn(['a-service-of-its-own']);
  open = (await tocsin.openIncident()).id;
});

afterAll(() => tocsin[Symbol.asyncDispose]());

const unknownIncident = createId('inc', new Date());
const signalCursor = writeCursor({ at: new Date(), id: createId('sig', new Date()) });
const slack = { type: 'slack', config: { team_id: 'T1', app_id: 'A1' } };

interface Case {
  readonly path: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly code: string;
  /** Pointers of the errors, in order. */
  readonly pointers?: readonly string[];
  readonly says?: string;
  readonly allow?: string;
}

const query = { status: 400, code: 'invalid-query' };
const body = { status: 422, code: 'invalid-body', method: 'POST' };
const type = { status: 415, code: 'unsupported-media-type', method: 'POST' };

const cases: readonly Case[] = [
  { ...query, path: '/incidents?limit=0', pointers: ['/limit'] },
  { ...query, path: '/incidents?limit=ten', pointers: ['/limit'] },
  { ...query, path: '/incidents?limit=1&limit=2', pointers: ['/limit'], says: 'more than once' },
  { ...query, path: '/incidents?offset=10001', pointers: ['/offset'], says: 'next_cursor as cursor' },
  { ...query, path: '/signals?offset=10001', pointers: ['/offset'], says: 'next_cursor as cursor' },
  { ...query, path: '/integrations?cursor=nonsense', pointers: ['/cursor'] },
  { ...query, path: '/incidents?cursor=', pointers: ['/cursor'] },
  { ...query, path: `/incidents?cursor=${signalCursor}`, pointers: ['/cursor'] },
  { ...query, path: `/signals?cursor=${signalCursor}&offset=1`, pointers: ['/offset'] },
  { ...query, path: '/incidents?severity=fatal', pointers: ['/severity'] },
  { ...query, path: '/incidents?acknowledged=maybe', pointers: ['/acknowledged'] },
  { ...query, path: '/incidents?opened_from=2&opened_to=1', pointers: ['/opened_from'] },
  { ...query, path: '/incidents?q=%20', pointers: ['/q'] },
  { ...query, path: '/incidents?offset=-1', pointers: ['/offset'] },
  { ...query, path: '/incidents?status=done', pointers: ['/status'] },
  { ...query, path: '/incidents?statsu=open', pointers: ['/statsu'], says: 'did you mean "status"?' },
  { ...query, path: '/incidents?colour=red', pointers: ['/colour'], says: 'known are status, service, severity' },
  { ...query, path: '/incidents?__proto__=1', pointers: ['/__proto__'] },
  { ...query, path: `/incidents/${unknownIncident}?signals=some`, pointers: ['/signals'] },
  { ...query, path: '/signals?servce=payments', pointers: ['/servce'], says: 'did you mean "service"?' },
  { ...query, path: '/signals?type=span', pointers: ['/type'] },
  { ...query, path: '/signals?from=yesterday', pointers: ['/from'] },
  { ...query, path: '/signals?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', pointers: ['/from'] },
  { ...query, path: '/signals?service=%00', pointers: ['/service'] },
  { ...query, path: '/signals?%00=1', pointers: ['/\0'] },
  { ...query, path: '/signals?service=%ff', says: 'UTF-8' },
  { ...query, path: '/signals?from=-1', pointers: ['/from'] },
  { ...query, path: '/signals?from=foo%201', pointers: ['/from'] },
  { ...query, path: '/signals?from=-005000-01-01T00:00:00Z', pointers: ['/from'] },
  { ...query, path: '/signals?to=-005000-01-01T00:00:00Z', pointers: ['/to'] },
  { ...query, path: '/incidents?opened_from=-005000-01-01T00:00:00Z', pointers: ['/opened_from'] },
  { ...query, path: '/incidents?opened_to=-271820-01-01T00:00:00Z', pointers: ['/opened_to'] },
  { path: '/incidents/nonsense', status: 404, code: 'incident-not-found' },
  { path: `/incidents/${unknownIncident}`, status: 404, code: 'incident-not-found' },
  { path: '/incidents/987654321', status: 404, code: 'incident-not-found' },
  { path: `/incidents/${'9'.repeat(30)}`, status: 404, code: 'incident-not-found' },
  { path: '/incidents/%2312', status: 404, code: 'incident-not-found' },
  { path: '/incidents/%00', status: 404, code: 'incident-not-found' },
  { path: `/incidents/${unknownIncident}/signals`, status: 404, code: 'incident-not-found' },
  { path: `/signals/${unknownIncident}`, status: 404, code: 'signal-not-found' },
  { path: `/signals/${createId('sig', new Date())}`, status: 404, code: 'signal-not-found' },
  { path: '/incidents/%ff', status: 404, code: 'incident-not-found' },
  { path: '/integrations/%00', method: 'DELETE', status: 404, code: 'integration-not-found' },
  { path: '/integrations/%ff', method: 'DELETE', status: 404, code: 'integration-not-found' },
  { path: '/integrations/1', method: 'DELETE', status: 404, code: 'integration-not-found' },
  { path: '/nowhere', status: 404, code: 'not-found' },
  { path: '/incidents', method: 'PUT', body: {}, status: 405, code: 'method-not-allowed', allow: 'GET, HEAD, POST' },
  { path: '/incidents/1/resolve', method: 'GET', status: 405, code: 'method-not-allowed', allow: 'POST' },
  { path: '/integrations', method: 'PUT', status: 405, code: 'method-not-allowed', allow: 'GET, HEAD, POST' },
  { path: '/generic', method: 'GET', status: 405, code: 'method-not-allowed', allow: 'POST' },
  { ...body, path: '/incidents/OPEN/acknowledge', body: {}, pointers: ['/user'] },
  { ...body, path: '/incidents/OPEN/acknowledge', body: { user: ' ' }, pointers: ['/user'] },
  { ...body, path: '/incidents/OPEN/acknowledge', body: 'null', pointers: [''], says: 'the body' },
  { ...body, path: '/incidents/OPEN/resolve', body: {}, pointers: ['/resolution_note'] },
  { ...body, path: '/incidents/OPEN/resolve', body: { resolution_note: '' }, pointers: ['/resolution_note'] },
  {
    ...body,
    path: '/incidents/OPEN/resolve',
    body: { resolution_note: 'x'.repeat(10_001) },
    pointers: ['/resolution_note'],
  },
  {
    ...body,
    path: '/integrations',
    body: { type: 'pager' },
    pointers: ['/type'],
    says: 'must be one of slack, webhook, pagerduty, ',
  },
  { ...body, path: '/integrations', body: { ...slack, config: {} }, pointers: ['/config/team_id', '/config/app_id'] },
  { path: '/integrations', method: 'POST', body: '{"type":', status: 400, code: 'invalid-json' },
  {
    ...type,
    path: '/integrations',
    body: 'type=slack',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  },
  { ...type, path: '/integrations', body: slack, headers: { 'content-encoding': 'gzip' } },
  {
    path: '/integrations',
    method: 'POST',
    body: `{"type":"${'x'.repeat(262_144)}"}`,
    status: 413,
    code: 'body-too-large',
  },
  {
    path: '/incidents/CLOSED/acknowledge',
    method: 'POST',
    body: { user: 'ana' },
    status: 409,
    code: 'incident-closed',
  },
  {
    path: '/incidents/CLOSED/resolve',
    method: 'POST',
    body: { resolution_note: 'other' },
    status: 409,
    code: 'incident-closed',
  },
];

describe('an invalid request', () => {
  it.each(cases)('gets $status $code: $method $path $says', async (expected) => {
    const path = expected.path.replace('OPEN', open).replace('CLOSED', closed);
    const response = await tocsin.call(expected.method ?? 'GET', path, {
      headers: { 'x-request-id': 'check-1', ...expected.headers },
      body: expected.body,
    });

    const problem = Problem.parse(await response.json());
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(problem).toMatchObject({ status: expected.status, code: expected.code, request_id: 'check-1' });
    expect(response.status).toBe(expected.status);
    expect(problem.detail).toContain(expected.says ?? '');
    expect(problem.errors?.map(({ pointer }) => pointer) ?? []).toEqual(expected.pointers ?? []);
    expect(response.headers.get('allow')).toBe(expected.allow ?? null);
  });

  it('does not change the incident', async () => {
    const response = await tocsin.call('GET', `/incidents/${open}`);

    expect(await response.json()).toMatchObject({ status: 'open', acknowledged_by: null, resolution_note: null });
  });
});

it('answers 503 with Retry-After when the database goes away during a request', async () => {
  await using lost = await startTestService();
  const db = await lost.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);

  const response = await db.transaction().execute(async (tx) => {
    await sql`lock table incidents in access exclusive mode`.execute(tx);
    const waiting = lost.call('GET', '/incidents');
    const isCut = async () => {
      const { rows } = await sql`
        select pg_terminate_backend(pid) from pg_locks
        where not granted and relation = 'incidents'::regclass
          and database = (select oid from pg_database where datname = current_database())
      `.execute(tx);
      return rows.length > 0;
    };
    await vi.waitUntil(isCut, { timeout: HANG_MS });
    return waiting;
  });

  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ code: 'storage-unavailable' });
});

it('gives every response an id, and uses only a valid one of the request', async () => {
  const taken = await tocsin.call('GET', '/incidents', { headers: { 'x-request-id': 'abc-123' } });
  const made = await tocsin.call('GET', '/incidents', { headers: { 'x-request-id': 'no <spaces>' } });

  expect(taken.headers.get('x-request-id')).toBe('abc-123');
  expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

it('limits a large page size and reports the limit', async () => {
  const response = await tocsin.call('GET', '/incidents?limit=100000');

  expect(await response.json()).toMatchObject({ limit: 200 });
});

it('ignores unknown body fields', async () => {
  const response = await tocsin.call('POST', `/incidents/${open}/acknowledge`, { body: { user: 'ana', team: 'x' } });

  expect(response.status).toBe(200);
});
