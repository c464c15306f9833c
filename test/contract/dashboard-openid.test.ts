import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { OpenIdSettings } from '../../src/service/dashboard/sign-in/openid.ts';
import { stranger, type Visitor, visitorWith } from '../support/dashboard.ts';
import { createLogLines } from '../support/log-lines.ts';
import { type OpenIdProviderProcess, startOpenIdProvider } from '../support/openid-provider.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const EVIL = `"'><script>alert(1)</script>`;
const PEOPLE = {
  ana: { name: 'Ana', email: 'Ana@example.com', email_verified: true, groups: ['staff', 'sre'] },
  ben: { name: EVIL, email: 'ben@example.com', email_verified: true, groups: ['staff'] },
  eve: { name: 'Eve', email: 'ana@example.com', email_verified: false, groups: [] },
};

const { logger, lines } = createLogLines();
let provider: OpenIdProviderProcess;
let tocsin: TestService;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
  provider = cleanup.use(await startOpenIdProvider(PEOPLE, `${PUBLIC_URL}/dashboard/sign-in/openid/callback`));
  tocsin = cleanup.use(await startTestService({ logger, openId: settings() }));
});
/** Attempts to sign in are limited. */
beforeEach(() => tocsin.advance(minutesToMilliseconds(1)));
afterAll(() => cleanup.disposeAsync());

function settings(changes: Partial<OpenIdSettings> = {}): OpenIdSettings {
  const { issuer, clientId, clientSecret } = provider;
  const roles = { claim: 'groups', lists: { viewer: ['staff'], responder: [], admin: ['sre'] } };
  return { issuer, clientId, clientSecret, scope: 'openid profile email', roles, ...changes };
}

/** Leaves for the provider. */
async function leave(to: TestService = tocsin, query = '') {
  const answer = await stranger(to).visit(`/sign-in/openid${query}`);
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return {
    status: answer.status,
    cookie,
    setCookie: answer.headers.get('set-cookie'),
    address: answer.headers.get('location') ?? '',
  };
}

/** Comes back from the provider. */
function comeBack(address: URL, cookie: string, to: TestService = tocsin): Promise<Response> {
  const path = `${address.pathname}${address.search}`.replace('/dashboard', '');
  return stranger(to).visit(path, { headers: { cookie } });
}

function sessionIn(answer: Response): string {
  return (
    answer.headers
      .getSetCookie()
      .find((cookie) => /^tocsin=[\w-]/.test(cookie))
      ?.split(';')[0] ?? ''
  );
}

async function signInAs(account: string, query = ''): Promise<{ answer: Response; visitor: Visitor }> {
  const { address, cookie } = await leave(tocsin, query);
  const answer = await comeBack(await provider.signIn(address, account), cookie);
  return { answer, visitor: await visitorWith(tocsin, sessionIn(answer)) };
}

it('offers the provider on the sign-in page', async () => {
  const page = await (await stranger(tocsin).visit('/sign-in?return_to=/dashboard/incidents/7')).text();

  expect(page).toContain('href="/dashboard/sign-in/openid?return_to=%2Fdashboard%2Fincidents%2F7"');
  expect(page).toContain(`Continue with ${new URL(provider.issuer).host}`);
});

it('signs in with name and role, and leads back', async () => {
  const { answer, visitor } = await signInAs('ana', '?return_to=/dashboard/incidents/7');

  const page = await (await visitor.visit('/incidents')).text();

  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/dashboard/incidents/7']);
  expect(page).toMatch(/<bdi>Ana<\/bdi> <span class="quiet">\(admin\)/);
});

it('uses PKCE, a state and a nonce, in a cookie that no script reads', async () => {
  const { address, setCookie } = await leave();
  const query = new URL(address).searchParams;

  expect(query.get('code_challenge_method')).toBe('S256');
  expect(query.get('state')?.length).toBeGreaterThan(30);
  expect(query.get('nonce')?.length).toBeGreaterThan(30);
  expect(setCookie).toMatch(/^tocsin-openid=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
});

it('shows a name as text', async () => {
  const { visitor } = await signInAs('ben');

  const page = await (await visitor.visit('/incidents')).text();

  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;</bdi> <span class="quiet">(viewer)');
  expect(page).not.toContain('<script>alert');
});

it('refuses somebody without a role, also with the unverified address of somebody who has one', async () => {
  await using other = await startTestService({
    openId: settings({ roles: { claim: 'groups', lists: { viewer: [], responder: [], admin: ['ana@example.com'] } } }),
  });
  const { address, cookie } = await leave(other);

  const answer = await comeBack(await provider.signIn(address, 'eve'), cookie, other);

  expect(answer.status).toBe(403);
  expect(sessionIn(answer)).toBe('');
  expect(await answer.text()).toContain('you have no role in Tocsin');
});

it('lowers the role of a session when the settings lower it, and never raises it', async () => {
  const started = async (lists: OpenIdSettings['roles']['lists'] | null) =>
    startTestService({
      database: tocsin.database,
      ...(lists === null ? {} : { openId: settings({ roles: { claim: 'groups', lists } }) }),
    });
  const { visitor } = await signInAs('ana');
  const { visitor: ben } = await signInAs('ben');
  const seenBy = async (to: TestService, who: Visitor) => {
    const page = await stranger(to).visit('/incidents', { headers: { cookie: who.cookie } });
    return page.status === 200 ? (/<span class="quiet">\((\w+)\)/.exec(await page.text())?.[1] ?? '') : page.status;
  };
  await using lowered = await started({ viewer: ['staff', 'sre'], responder: [], admin: ['somebody@example.com'] });
  await using raised = await started({ viewer: [], responder: [], admin: ['sre', 'staff'] });
  await using gone = await started({ viewer: ['staff'], responder: [], admin: [] });
  await using off = await started(null);

  expect([await seenBy(tocsin, visitor), await seenBy(lowered, visitor)]).toEqual(['admin', 'viewer']);
  expect([await seenBy(tocsin, ben), await seenBy(raised, ben)]).toEqual(['viewer', 'viewer']);
  expect([await seenBy(gone, visitor), await seenBy(off, visitor)]).toEqual(['viewer', 302]);
});

it.each([
  ['without the cookie of the browser that left', (back: URL) => ({ back, cookie: '' })],
  ['with the cookie of another flow', async (back: URL) => ({ back, cookie: (await leave()).cookie })],
  ['with another state', (back: URL, cookie: string) => ({ back: change(back, 'state', 'chosen'), cookie })],
  ['with another code', (back: URL, cookie: string) => ({ back: change(back, 'code', 'stolen'), cookie })],
  ['with another issuer', (back: URL, cookie: string) => ({ back: change(back, 'iss', 'https://evil.test'), cookie })],
  [
    'with a refusal',
    (back: URL, cookie: string) => ({ back: change(change(back, 'code', ''), 'error', 'access_denied'), cookie }),
  ],
  ['with a broken cookie', (back: URL) => ({ back, cookie: 'tocsin-openid=e30' })],
])('refuses an answer %s', async (_name, forge) => {
  const { address, cookie } = await leave();
  const forged = await forge(await provider.signIn(address, 'ana'), cookie);

  const answer = await comeBack(forged.back, forged.cookie);

  expect(answer.status).toBe(403);
  expect(sessionIn(answer)).toBe('');
});

it('refuses an answer that is sent again', async () => {
  const { address, cookie } = await leave();
  const back = await provider.signIn(address, 'ana');

  const first = await comeBack(back, cookie);
  const again = await comeBack(back, cookie);

  expect([first.status, again.status]).toEqual([302, 403]);
});

it.each(['//evil.test', 'https://evil.test'])('does not lead to %s afterwards', async (target) => {
  await using own = await startTestService({ openId: settings() });
  const { address, cookie } = await leave(own, `?return_to=${encodeURIComponent(target)}`);

  const answer = await comeBack(await provider.signIn(address, 'ana'), cookie, own);

  expect(answer.headers.get('location')).toBe('/dashboard/incidents');
});

it('says so when the provider cannot be reached', async () => {
  await using lost = await startTestService({ openId: settings({ issuer: 'http://127.0.0.1:1' }) });

  const answer = await stranger(lost).visit('/sign-in/openid');

  expect(answer.status).toBe(502);
  expect(await answer.text()).toContain('The provider could not be asked.');
});

it('logs no code, token or secret', () => {
  expect(lines.some((line) => line.includes('sign-in by OpenID Connect refused'))).toBe(true);
  expect(lines.filter((line) => /code=|eyJ|a-secret-that|stolen/.test(line))).toEqual([]);
});

function change(address: URL, name: string, value: string): URL {
  const changed = new URL(address);
  if (value === '') {
    changed.searchParams.delete(name);
  } else {
    changed.searchParams.set(name, value);
  }
  return changed;
}
