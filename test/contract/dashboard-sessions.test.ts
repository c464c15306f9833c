import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { expect, it } from 'vitest';
import { KEY_ACTORS } from '../../src/service/core/key-event.ts';
import { openApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { cookieOf, csrfTokenIn, signIn, stranger, type Visitor } from '../support/dashboard.ts';
import { createLogLines } from '../support/log-lines.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const OWN = { 'sec-fetch-site': 'same-origin' };
const EVIL = `"'><script>alert(1)</script>`;

async function isSignedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.visit('/incidents')).status === 200;
}

function post(tocsin: TestService, path: string, form: Record<string, string>, headers: Record<string, string>) {
  return tocsin.service.fetch(
    new Request(`${PUBLIC_URL}/dashboard${path}`, { method: 'POST', headers, body: new URLSearchParams(form) }),
    { address: headers['x-test-address'] ?? '192.0.2.1' },
  );
}

it('sets a cookie that no script reads and no other site sends', async () => {
  await using tocsin = await startTestService();

  const answer = await stranger(tocsin).visit('/sign-in', { form: { key: tocsin.readWriteKey } });

  expect(answer.headers.get('set-cookie')).toMatch(
    /^tocsin=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
  );
});

it('binds the cookie to the host where https is used', async () => {
  await using tocsin = await startTestService({ publicUrl: 'https://tocsin.test' });

  const answer = await stranger(tocsin).visit('/sign-in', { form: { key: tocsin.readOnlyKey }, headers: OWN });

  expect(answer.headers.get('set-cookie')).toMatch(
    /^__Host-tocsin=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
});

it('ends a session after 12 hours without a request', async () => {
  await using tocsin = await startTestService();
  const visitor = await signIn(tocsin, tocsin.readOnlyKey);

  tocsin.advance(hoursToMilliseconds(11));
  const used = await isSignedIn(visitor);
  tocsin.advance(hoursToMilliseconds(11));
  const usedAgain = await isSignedIn(visitor);
  tocsin.advance(hoursToMilliseconds(12));
  const idle = await isSignedIn(visitor);

  expect([used, usedAgain, idle]).toEqual([true, true, false]);
});

it('ends a session after 7 days of use', async () => {
  await using tocsin = await startTestService();
  const visitor = await signIn(tocsin, tocsin.readOnlyKey);
  const answers = [];

  for (let hours = 10; hours <= 170; hours += 10) {
    tocsin.advance(hoursToMilliseconds(10));
    answers.push(await isSignedIn(visitor));
  }

  expect(answers).toEqual([...Array.from({ length: 16 }, () => true), false]);
});

it('stores no token', async () => {
  await using tocsin = await startTestService();
  const { cookie, csrfToken } = await signIn(tocsin, tocsin.readOnlyKey);
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);

  const rows = JSON.stringify(await db.selectFrom('sessions').selectAll().execute());

  expect(rows).not.toContain(cookie.split('=')[1]);
  expect(rows).not.toContain(csrfToken);
});

it('gives a new session at each sign-in, and ends the one before', async () => {
  await using tocsin = await startTestService();
  const planted = await signIn(tocsin, tocsin.readOnlyKey);
  const form = { key: tocsin.readWriteKey };

  const after = await post(tocsin, '/sign-in', form, { ...OWN, cookie: planted.cookie });
  const madeUp = await post(tocsin, '/sign-in', form, { ...OWN, cookie: 'tocsin=chosen-by-somebody-else' });

  expect(cookieOf(after)).toMatch(/^tocsin=[\w-]{43}$/);
  expect(cookieOf(after)).not.toBe(planted.cookie);
  expect(await isSignedIn(planted)).toBe(false);
  expect(cookieOf(madeUp)).not.toContain('chosen-by-somebody-else');
});

it('ends a session at sign-out, wherever its cookie was copied', async () => {
  await using tocsin = await startTestService();
  const visitor = await signIn(tocsin, tocsin.readOnlyKey);

  const answer = await visitor.visit('/sign-out', { form: {} });

  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/sign-in']);
  expect(answer.headers.get('set-cookie')).toMatch(/^tocsin=; Max-Age=0;/);
  expect(await isSignedIn(visitor)).toBe(false);
});

it('ends the sessions of a key that is revoked, and at the end of a grace period', async () => {
  await using tocsin = await startTestService();
  const keys = await openApiKeyStore(tocsin.database);
  const by = KEY_ACTORS.commandLine;
  const [revoked, rotated] = [
    await keys.create('revoked', 'read-only', new Date(), by),
    await keys.create('rotated', 'read-only', new Date(), by),
  ];
  const visitors = [await signIn(tocsin, revoked.rawKey), await signIn(tocsin, rotated.rawKey)];

  await keys.revoke(revoked.key.id, new Date(), by);
  await keys.rotate(rotated.key.id, minutesToMilliseconds(10), new Date(), by);
  const before = await Promise.all(visitors.map(isSignedIn));
  tocsin.advance(minutesToMilliseconds(11));
  const after = await Promise.all(visitors.map(isSignedIn));

  expect(before).toEqual([false, true]);
  expect(after).toEqual([false, false]);
});

it('shows nothing without a session, and leads back after sign-in', async () => {
  await using tocsin = await startTestService();
  const visitor = stranger(tocsin);

  const page = await visitor.visit('/incidents/7?tab=signals');
  const location = page.headers.get('location') ?? '';
  const form = await (await visitor.visit(location.replace('/dashboard', ''))).text();
  const hidden = /name="return_to" value="([^"]+)"/.exec(form)?.[1] ?? '';
  const back = await visitor.visit('/sign-in', { form: { key: tocsin.readOnlyKey, return_to: hidden } });
  const polled = await visitor.visit('/incidents', {
    headers: { 'hx-request': 'true', 'hx-current-url': `${PUBLIC_URL}/dashboard/incidents/7` },
  });
  const streamed = await visitor.visit('/incidents', { headers: { accept: 'text/event-stream' } });

  expect(page.status).toBe(302);
  expect(await page.text()).toBe('');
  expect(location).toBe('/dashboard/sign-in?return_to=%2Fdashboard%2Fincidents%2F7%3Ftab%3Dsignals');
  expect(back.headers.get('location')).toBe('/dashboard/incidents/7?tab=signals');
  expect([polled.status, polled.headers.get('hx-redirect')]).toEqual([
    401,
    '/dashboard/sign-in?return_to=%2Fdashboard%2Fincidents%2F7',
  ]);
  expect(streamed.status).toBe(401);
});

it.each(['//evil.test', '/\\evil.test', 'https://evil.test', '/dashboard/..//evil.test', '%2f%2fevil.test'])(
  'does not lead to %s after sign-in',
  async (target) => {
    await using tocsin = await startTestService();

    const page = await stranger(tocsin).visit(`/sign-in?return_to=${encodeURIComponent(target)}`);
    const answer = await stranger(tocsin).visit('/sign-in', { form: { key: tocsin.readOnlyKey, return_to: target } });

    expect(await page.text()).not.toContain('evil');
    expect(answer.headers.get('location')).toBe('/dashboard/incidents');
  },
);

it('says what to do when a form is sent without a session', async () => {
  await using tocsin = await startTestService();

  const answer = await stranger(tocsin).visit('/settings/api-keys', { form: { name: 'x', scope: 'read-only' } });

  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('Sign in, then go back and send the form again.');
});

it('refuses an ingest key, and says which key to use', async () => {
  await using tocsin = await startTestService();
  const key = await tocsin.service.createKey('sender', 'ingest');

  const answer = await stranger(tocsin).visit('/sign-in', { form: { key } });

  expect(answer.status).toBe(403);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(await answer.text()).toContain('Use a read-only or read-write key.');
});

it('limits the attempts of a network, and lets a colleague in whatever strangers do', async () => {
  await using tocsin = await startTestService();
  const attempt = (address: string) =>
    post(tocsin, '/sign-in', { key: 'guess' }, { ...OWN, 'x-test-address': address });
  const statusesOf = async (addresses: readonly string[]) => {
    const statuses = [];
    for (const address of addresses) {
      statuses.push((await attempt(address)).status);
    }
    return statuses;
  };

  const one = await statusesOf(Array.from({ length: 11 }, () => '192.0.2.1'));
  const other = await statusesOf(['192.0.2.2']);
  let many = 0;
  while (many < 1_000 && (await attempt(`198.51.100.${many}`)).status === 403) {
    many += 1;
  }
  const refused = await attempt('192.0.2.1');
  const repeated = await attempt('192.0.2.2');
  const colleague = await post(
    tocsin,
    '/sign-in',
    { key: tocsin.readWriteKey },
    { ...OWN, 'x-test-address': '203.0.113.9' },
  );
  const network = await statusesOf(Array.from({ length: 11 }, (_, index) => `2001:db8:1:2::${index + 1}`));
  const neighbour = await attempt('2001:db8:1:3::1');

  expect(one).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
  expect(other).toEqual([403]);
  expect(many).toBe(1_000); // a first attempt of a network is never refused
  expect([repeated.status, colleague.status, neighbour.status]).toEqual([429, 303, 403]);
  expect(network.at(-1)).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.text()).toMatch(/Wait \d+ seconds, then try again/);
});

it('logs attempts with their address, and never a key, a cookie or a token', async () => {
  const { logger, lines } = createLogLines();
  await using tocsin = await startTestService({ logger });
  const wrong = createRawKey('read-write').rawKey;

  await post(tocsin, '/sign-in', { key: wrong }, OWN);
  const { cookie, csrfToken } = await signIn(tocsin, tocsin.readWriteKey);

  expect(lines.some((line) => line.includes('refused') && line.includes('192.0.2.1'))).toBe(true);
  for (const secret of [wrong.slice(-49), tocsin.readWriteKey.slice(-49), cookie.split('=')[1] ?? '', csrfToken]) {
    expect(secret.length).toBeGreaterThan(40);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  }
});

it('shows the name of a person as text', async () => {
  await using tocsin = await startTestService();
  const visitor = await signIn(tocsin, tocsin.readWriteKey, EVIL);

  const page = await (await visitor.visit('/settings/api-keys')).text();

  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).not.toContain('<script>alert');
  expect(csrfTokenIn(page)).toBe(visitor.csrfToken);
});
