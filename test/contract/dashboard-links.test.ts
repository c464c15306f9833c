import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import type { CreateSignInLinkRequest } from '../../src/contract/sign-in.ts';
import { KEY_ACTORS } from '../../src/service/core/key-event.ts';
import { openApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { createSignInLinkStore } from '../../src/service/store/people/sign-in-link-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { cookieOf, signIn, stranger, visitorWith } from '../support/dashboard.ts';
import { createLogLines } from '../support/log-lines.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const EVIL = `"'><script>alert(1)</script>`;

interface Link {
  readonly url: string;
  /** Below `/dashboard`. */
  readonly path: string;
  readonly token: string;
}

async function createLink(
  tocsin: TestService,
  request: Partial<CreateSignInLinkRequest> = {},
  key = tocsin.readWriteKey,
): Promise<Link> {
  const body = { user: 'ana@example.com', name: 'Ana', slack_user_id: 'U0ANA', role: 'responder', ...request };
  const { url } = Object(await (await tocsin.call('POST', '/sign-in-links', { key, body })).json());
  const path = String(url).replace(`${PUBLIC_URL}/dashboard`, '');
  return { url, path, token: path.replace('/sign-in/links/', '') };
}

it('signs a person in once, by the button on its page', async () => {
  await using tocsin = await startTestService();
  const { url, path } = await createLink(tocsin, { return_to: '/dashboard/incidents/7?tab=notes' });

  const page = await stranger(tocsin).visit(path);
  const used = await stranger(tocsin).visit(path, { form: {} });
  const again = await stranger(tocsin).visit(path, { form: {} });
  const pageAgain = await stranger(tocsin).visit(path);
  const ana = await visitorWith(tocsin, cookieOf(used));

  expect(url).toMatch(new RegExp(`^${PUBLIC_URL}/dashboard/sign-in/links/[\\w-]{43}$`));
  expect(await page.text()).toContain('Sign in as <bdi>Ana</bdi>');
  expect([used.status, used.headers.get('location')]).toEqual([303, '/dashboard/incidents/7?tab=notes']);
  expect([again.status, pageAgain.status]).toEqual([410, 410]);
  expect(again.headers.get('set-cookie')).toBeNull();
  expect(await again.text()).toContain('Type /incidents dashboard in Slack to get another');
  expect(await (await ana.visit('/incidents')).text()).toMatch(/<bdi>Ana<\/bdi> <span class="quiet">\(responder\)/);
});

it('ends the sessions with a higher role, and their streams, once a link lowers the role', async () => {
  await using tocsin = await startTestService();
  const first = await stranger(tocsin).visit((await createLink(tocsin, { role: 'admin' })).path, { form: {} });
  const ana = await visitorWith(tocsin, cookieOf(first));
  const live = await ana.visit('/live/incidents');
  const reader = live.body?.getReader();

  const second = await stranger(tocsin).visit((await createLink(tocsin, { role: 'viewer' })).path, { form: {} });
  const lowered = await visitorWith(tocsin, cookieOf(second));

  for (let isOver = false; !isOver; ) {
    isOver = (await reader?.read())?.done ?? true;
  }
  expect((await ana.visit('/settings/audit')).status).toBe(302);
  expect((await lowered.visit('/settings/audit')).status).toBe(403);
});

it('lowers the role as soon as the link is created, before anybody uses it', async () => {
  await using tocsin = await startTestService();
  const admin = await visitorWith(
    tocsin,
    cookieOf(await stranger(tocsin).visit((await createLink(tocsin, { role: 'admin' })).path, { form: {} })),
  );
  const reader = (await admin.visit('/live/incidents')).body?.getReader();
  const unused = await createLink(tocsin, { role: 'admin' });
  const other = await createLink(tocsin, { role: 'admin', slack_user_id: 'U0BEN' });
  const equal = await createLink(tocsin, { role: 'admin' });
  const before = (await admin.visit('/settings/audit')).status;

  await createLink(tocsin, { role: 'responder' });
  for (let isOver = false; !isOver; ) {
    isOver = (await reader?.read())?.done ?? true;
  }
  const statuses = await Promise.all(
    [unused, equal, other].map(async ({ path }) => (await stranger(tocsin).visit(path, { form: {} })).status),
  );

  expect([before, (await admin.visit('/settings/audit')).status]).toEqual([200, 302]);
  expect(statuses).toEqual([410, 410, 303]);
});

it('is not used up by previews and scanners', async () => {
  await using tocsin = await startTestService();
  const { path } = await createLink(tocsin);

  for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS', 'PUT']) {
    const headers = { 'user-agent': 'Slackbot-LinkExpanding 1.0', 'sec-fetch-site': 'same-origin', origin: PUBLIC_URL };
    const answer = await tocsin.service.fetch(new Request(`${PUBLIC_URL}/dashboard${path}`, { method, headers }));
    expect(answer.headers.get('set-cookie')).toBeNull();
  }
  const used = await stranger(tocsin).visit(path, { form: {} });

  expect(used.status).toBe(303);
});

it('works for one of several clicks at once', async () => {
  await using tocsin = await startTestService();
  const { path } = await createLink(tocsin);

  const answers = await Promise.all([1, 2, 3, 4].map(() => stranger(tocsin).visit(path, { form: {} })));

  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 410, 410, 410]);
});

it('ends after 10 minutes', async () => {
  await using tocsin = await startTestService();
  const [early, late] = [await createLink(tocsin), await createLink(tocsin)];

  tocsin.advance(minutesToMilliseconds(9));
  const inTime = await stranger(tocsin).visit(early.path, { form: {} });
  tocsin.advance(minutesToMilliseconds(2));
  const tooLate = await stranger(tocsin).visit(late.path, { form: {} });

  expect([inTime.status, tooLate.status]).toEqual([303, 410]);
});

it('ends with the key that made it, and so does the session', async () => {
  await using tocsin = await startTestService();
  const keys = await openApiKeyStore(tocsin.database);
  const { key, rawKey } = await keys.create('bot', 'read-write', new Date(), KEY_ACTORS.commandLine);
  const [first, second] = [await createLink(tocsin, {}, rawKey), await createLink(tocsin, {}, rawKey)];
  const ana = await visitorWith(tocsin, cookieOf(await stranger(tocsin).visit(first.path, { form: {} })));
  const before = await ana.visit('/incidents');

  await keys.revoke(key.id, new Date(), KEY_ACTORS.commandLine);

  expect(before.status).toBe(200);
  expect((await ana.visit('/incidents')).status).toBe(302);
  expect((await stranger(tocsin).visit(second.path, { form: {} })).status).toBe(410);
});

it('is not used from another site', async () => {
  await using tocsin = await startTestService();
  const { path } = await createLink(tocsin);
  const headers = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };

  const forged = await stranger(tocsin).visit(path, { form: {}, headers });

  expect(forged.status).toBe(403);
  expect((await stranger(tocsin).visit(path)).status).toBe(200);
});

it('ends the session of the person who was signed in before', async () => {
  await using tocsin = await startTestService();
  const before = await signIn(tocsin, tocsin.readWriteKey);
  const { path } = await createLink(tocsin);

  const used = await before.visit(path, { form: {} });

  expect(cookieOf(used)).not.toBe(before.cookie);
  expect((await before.visit('/incidents')).status).toBe(302);
});

it('stores no token, and logs none', async () => {
  const { logger, lines } = createLogLines();
  await using tocsin = await startTestService({ logger });
  const { path, token } = await createLink(tocsin);
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);

  const rows = await db.selectFrom('sign_in_links').selectAll().execute();
  await stranger(tocsin).visit(path);
  await stranger(tocsin).visit(path, { form: {} });
  await stranger(tocsin).visit(path, { form: {} });

  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.filter((line) => line.includes(token))).toEqual([]);
});

it('has no secret in a response that is repeated', async () => {
  await using tocsin = await startTestService();
  const body = { user: 'ana', role: 'viewer' };
  const headers = { 'idempotency-key': 'link-1' };

  const first = await tocsin.call('POST', '/sign-in-links', { body, headers });
  const second = await tocsin.call('POST', '/sign-in-links', { body, headers });

  expect([first.status, second.status]).toEqual([201, 201]);
  expect(Object.keys(Object(await first.json())).toSorted()).toEqual(['expires_at', 'url']);
  expect(Object.keys(Object(await second.json()))).toEqual(['expires_at']);
});

it('shows the name as text', async () => {
  await using tocsin = await startTestService();
  const { path } = await createLink(tocsin, { name: EVIL });

  const page = await (await stranger(tocsin).visit(path)).text();

  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toContain('<script>alert');
});

it.each([
  [
    'a read-only key',
    403,
    (tocsin: TestService) => ({ key: tocsin.readOnlyKey, body: { user: 'ana', role: 'viewer' } }),
  ],
  ['no role', 422, () => ({ body: { user: 'ana' } })],
  ['an unknown role', 422, () => ({ body: { user: 'ana', role: 'owner' } })],
  ['no person', 422, () => ({ body: { role: 'viewer' } })],
  ['a page elsewhere', 422, () => ({ body: { user: 'ana', role: 'viewer', return_to: '//evil.test' } })],
] as const)('refuses to make a link with %s', async (_name, status, request) => {
  await using tocsin = await startTestService();

  expect((await tocsin.call('POST', '/sign-in-links', request(tocsin))).status).toBe(status);
});

it('takes one statement to answer, whether a link is unknown, expired or used', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  let statements = 0;
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const links = createSignInLinkStore(db.withPlugin(counting));
  const [used, expired] = [await createLink(tocsin), await createLink(tocsin)];
  const now = tocsin.now();
  await links.use(used.token, now);
  const late = new Date(now.getTime() + minutesToMilliseconds(11));

  const costs = [];
  for (const [token, at] of [
    ['unknown', now],
    [used.token, now],
    [expired.token, late],
  ] as const) {
    statements = 0;
    const answers = [await links.find(token, at), await links.use(token, at)];
    costs.push([answers, statements]);
  }

  expect(costs).toEqual(Array(3).fill([[null, null], 2]));
});
