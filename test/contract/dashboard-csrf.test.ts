import { afterAll, beforeAll, expect, it } from 'vitest';
import { signIn, type Visitor } from '../support/dashboard.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const PATH = '/settings/api-keys';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const OWN = { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin', 'content-type': FORM_TYPE };
const FIELDS = { name: 'forged', scope: 'read-write' };

let tocsin: TestService;
let admin: Visitor;
let viewer: Visitor;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
  tocsin = cleanup.use(await startTestService());
  admin = await signIn(tocsin, tocsin.readWriteKey);
  viewer = await signIn(tocsin, tocsin.readOnlyKey);
});
afterAll(() => cleanup.disposeAsync());

interface Forgery {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
}

/** What the admin's browser sends for another site. */
function send({ method = 'POST', path = PATH, headers = OWN, body }: Forgery): Promise<Response> {
  const request = new Request(`${PUBLIC_URL}/dashboard${path}`, {
    method,
    headers: { cookie: admin.cookie, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return tocsin.service.fetch(request);
}

function formWith(token: string | null): string {
  return new URLSearchParams({ ...FIELDS, ...(token === null ? {} : { _csrf: token }) }).toString();
}

const formData = () => {
  const data = new FormData();
  for (const [name, value] of Object.entries({ ...FIELDS, _csrf: admin.csrfToken })) {
    data.append(name, value);
  }
  return data;
};

const without = (...names: (keyof typeof OWN)[]) =>
  Object.fromEntries(Object.entries(OWN).filter(([name]) => !names.some((left) => left === name)));

const forgeries: readonly (readonly [string, number, () => Forgery])[] = [
  ['no token', 403, () => ({ body: formWith(null) })],
  ['an empty token', 403, () => ({ body: formWith('') })],
  ['a wrong token', 403, () => ({ body: formWith('x'.repeat(43)) })],
  ['a token cut short', 403, () => ({ body: formWith(admin.csrfToken.slice(0, -1)) })],
  ["another session's token", 403, () => ({ body: formWith(viewer.csrfToken) })],
  ['the token twice, first as a list', 403, () => ({ body: `${formWith(null)}&_csrf[]=${admin.csrfToken}` })],
  ['the token in the query', 403, () => ({ path: `${PATH}?_csrf=${admin.csrfToken}`, body: formWith(null) })],
  [
    'the token in a header',
    403,
    () => ({ headers: { ...OWN, 'x-csrf-token': admin.csrfToken }, body: formWith(null) }),
  ],
  [
    'the token in a cookie',
    403,
    () => ({ headers: { ...OWN, cookie: `${admin.cookie}; _csrf=${admin.csrfToken}` }, body: formWith(null) }),
  ],
  [
    'another origin',
    403,
    () => ({ headers: { ...OWN, origin: 'https://evil.test' }, body: formWith(admin.csrfToken) }),
  ],
  [
    'an origin that only begins like ours',
    403,
    () => ({ headers: { ...OWN, origin: `${PUBLIC_URL}.evil.test` }, body: formWith(admin.csrfToken) }),
  ],
  [
    'a null origin',
    403,
    () => ({ headers: { ...without('sec-fetch-site'), origin: 'null' }, body: formWith(admin.csrfToken) }),
  ],
  [
    'no origin, from another site',
    403,
    () => ({ headers: { ...without('origin'), 'sec-fetch-site': 'cross-site' }, body: formWith(admin.csrfToken) }),
  ],
  [
    'no origin, from another host of the site',
    403,
    () => ({ headers: { ...without('origin'), 'sec-fetch-site': 'same-site' }, body: formWith(admin.csrfToken) }),
  ],
  [
    'our origin, but from another site',
    403,
    () => ({ headers: { ...OWN, 'sec-fetch-site': 'cross-site' }, body: formWith(admin.csrfToken) }),
  ],
  [
    'neither origin nor site',
    403,
    () => ({ headers: without('origin', 'sec-fetch-site'), body: formWith(admin.csrfToken) }),
  ],
  ['plain text', 415, () => ({ headers: { ...OWN, 'content-type': 'text/plain' }, body: formWith(admin.csrfToken) })],
  [
    'JSON',
    415,
    () => ({
      headers: { ...OWN, 'content-type': 'application/json' },
      body: JSON.stringify({ ...FIELDS, _csrf: admin.csrfToken }),
    }),
  ],
  ['multipart', 415, () => ({ headers: without('content-type'), body: formData() })],
  ['no content type', 415, () => ({ headers: { ...OWN, 'content-type': '' }, body: formWith(admin.csrfToken) })],
];

it.each(forgeries)('refuses a form with %s', async (_name, status, forge) => {
  const answer = await send(forge());

  expect(answer.status).toBe(status);
  expect(await keysNamed('forged')).toBe(0);
});

it.each([
  ['a GET with the fields in the query', () => ({ method: 'GET', path: `${PATH}?${formWith(admin.csrfToken)}` })],
  [
    'a GET that claims to be a POST',
    () => ({
      method: 'GET',
      path: `${PATH}?_method=POST&${formWith(admin.csrfToken)}`,
      headers: { 'x-http-method-override': 'POST' },
    }),
  ],
  ['a HEAD', () => ({ method: 'HEAD', path: `${PATH}?${formWith(admin.csrfToken)}` })],
  ['a PUT', () => ({ method: 'PUT', body: formWith(admin.csrfToken) })],
  ['a DELETE', () => ({ method: 'DELETE', body: formWith(admin.csrfToken) })],
] as const)('changes nothing by %s', async (_name, forge) => {
  await send(forge());

  expect(await keysNamed('forged')).toBe(0);
});

it.each(['/sign-out', '/settings/api-keys/key_1/revoke', '/sign-in'])(
  'refuses a form to %s that another site sends',
  async (path) => {
    const headers = { ...OWN, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };

    const answer = await send({ path, headers, body: formWith(admin.csrfToken) });

    expect(answer.status).toBe(403);
    expect(answer.headers.get('set-cookie')).toBeNull();
  },
);

it('refuses a form that is sent again after sign-out', async () => {
  const leaving = await signIn(tocsin, tocsin.readWriteKey);
  await leaving.visit('/sign-out', { form: {} });

  const again = await leaving.visit(PATH, { form: FIELDS });
  const elsewhere = await send({ body: formWith(leaving.csrfToken) });

  expect([again.status, elsewhere.status]).toEqual([403, 403]);
  expect(await keysNamed('forged')).toBe(0);
});

it.each([
  ['origin and site', OWN],
  ['the origin alone, as older browsers do', without('sec-fetch-site')],
  ['the site alone', without('origin')],
  ['the site and a hidden origin', { ...OWN, origin: 'null' }],
])('accepts a form of its own pages that tells %s', async (_name, headers) => {
  const body = new URLSearchParams({ name: 'own', scope: 'read-only', _csrf: admin.csrfToken }).toString();

  expect((await send({ headers, body })).status).toBe(200);
});

async function keysNamed(name: string): Promise<number> {
  const page = await (await admin.visit(PATH)).text();
  return page.split(`<td><bdi>${name}</bdi></td>`).length - 1;
}
