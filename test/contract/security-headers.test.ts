import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FrontDoor, openFrontDoor } from '../../src/app/front-door.ts';
import { signIn, type Visitor } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const cleanup = new AsyncDisposableStack();
let tocsin: TestService;
let door: FrontDoor;
let admin: Visitor;

beforeAll(async () => {
  tocsin = cleanup.use(await startTestService());
  admin = await signIn(tocsin, tocsin.readWriteKey);
  door = cleanup.use(await openFrontDoor('127.0.0.1', 0));
  door.handlers.service = tocsin.service.fetch;
});
afterAll(() => cleanup.disposeAsync());

interface Visit {
  readonly path: string;
  readonly status: number;
  readonly method?: string;
  readonly auth?: 'bearer' | 'session';
}

const visits: readonly Visit[] = [
  { path: '/', status: 302 },
  { path: '/healthz', status: 200 },
  { path: '/readyz', status: 503 },
  { path: '/metrics', status: 200 },
  { path: '/dashboard', status: 302 },
  { path: '/dashboard/sign-in', status: 200 },
  { path: '/dashboard', status: 302, auth: 'session' },
  { path: '/dashboard/incidents', status: 200, auth: 'session' },
  { path: '/dashboard/nowhere', status: 404, auth: 'session' },
  { path: '/dashboard/settings/api-keys', status: 403, method: 'POST', auth: 'session' },
  { path: '/dashboard/static/style.css', status: 200 },
  { path: '/dashboardx', status: 404 },
  { path: '/nowhere', status: 404 },
  { path: '/v1/nowhere', status: 404, auth: 'bearer' },
  { path: '/v1/incidents', status: 401 },
  { path: '/v1/incidents', status: 200, auth: 'bearer' },
  { path: '/v1/incidents', status: 405, method: 'PUT', auth: 'bearer' },
  { path: '/v1/incidents?limit=none', status: 400, auth: 'bearer' },
  { path: '/v1/openapi.json', status: 200 },
  { path: '/v1/traces', status: 401, method: 'POST' },
  { path: '/v2/enqueue', status: 400, method: 'POST' },
  { path: '/slack/events', status: 503, method: 'POST' },
];

it.each(visits)('gives $path ($status) the headers of every response', async ({ path, status, method, auth }) => {
  const credentials = { bearer: { authorization: `Bearer ${tocsin.readWriteKey}` }, session: { cookie: admin.cookie } };

  const response = await fetch(`${door.url}${path}`, {
    redirect: 'manual',
    ...(method === undefined ? {} : { method }),
    ...(auth === undefined ? {} : { headers: credentials[auth] }),
  });
  await response.body?.cancel();

  expect(response.status).toBe(status);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-security-policy': path.startsWith('/dashboard')
      ? "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
      : "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': path.startsWith('/dashboard') ? 'same-origin' : 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  expect(response.headers.has('x-frame-options')).toBe(false); // the policy above is the only rule for frames
});

it.each([
  ['/v1/incidents', 'no-store'],
  ['/v1/signals', 'no-store'],
  ['/v1/events', 'no-store'],
  ['/v1/nowhere', 'no-store'],
  ['/dashboard/static/style.css', 'public, max-age=31536000, immutable'],
])('answers %s with cache-control: %s', async (path, expected) => {
  const headers = { authorization: `Bearer ${tocsin.readWriteKey}` };

  const response = await fetch(`${door.url}${path}`, { headers });
  await response.body?.cancel();

  expect(response.headers.get('cache-control')).toBe(expected);
});
