import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { expect, it } from 'vitest';
import { cookieOf, signIn, stranger, type Visitor, visitorWith } from '../support/dashboard.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const EVIL = `"'><script>alert(1)</script>`;
const KEYS = '/settings/api-keys';

async function textOf(visitor: Visitor, path: string): Promise<string> {
  return (await visitor.visit(path)).text();
}

/** Signs in by a link. */
async function arrive(tocsin: TestService, name: string, role: string): Promise<Visitor> {
  const body = { user: `${name}@example.com`, name, slack_user_id: `U-${name}`, role };
  const { url } = Object(await (await tocsin.call('POST', '/sign-in-links', { body })).json());
  const answer = await stranger(tocsin).visit(String(url).replace(`${PUBLIC_URL}/dashboard`, ''), { form: {} });
  return visitorWith(tocsin, cookieOf(answer));
}

function rawKeyIn(page: string): string {
  return /tcn_\w{2}_\w{60}/.exec(page)?.[0] ?? '';
}

async function keyIdOf(admin: Visitor, name: string): Promise<string> {
  return (
    new RegExp(`api-keys/(key_\\w+)/revoke" aria-label="Revoke ${name}"`).exec(await textOf(admin, KEYS))?.[1] ?? ''
  );
}

async function statusOf(tocsin: TestService, key: string): Promise<number> {
  return (await tocsin.call('GET', '/incidents', { key })).status;
}

it('creates a key that expires, and keeps who created it', async () => {
  await using tocsin = await startTestService();
  const ana = await arrive(tocsin, 'Ana', 'admin');

  const form = { name: 'contractor', scope: 'read-only', days: '7' };
  const page = await (await ana.visit(KEYS, { form })).text();
  const key = rawKeyIn(page);
  const list = await textOf(ana, KEYS);
  const before = await statusOf(tocsin, key);
  tocsin.advance(hoursToMilliseconds(7 * 24));

  expect(page).toContain('data-copy-from="raw-key"');
  expect(page).toContain('It expires');
  expect(list).toMatch(/contractor<\/bdi><\/td>.*? by <bdi>Ana, in the dashboard<\/bdi><\/span>.*?works, ends/s);
  expect([before, await statusOf(tocsin, key)]).toEqual([200, 401]);
});

it('rotates a key with a grace period', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const old = rawKeyIn(await (await admin.visit(KEYS, { form: { name: 'bot', scope: 'read-only' } })).text());
  const path = `${KEYS}/${await keyIdOf(admin, 'bot')}/rotate`;

  const question = await textOf(admin, path);
  const page = await (await admin.visit(path, { form: { grace: '1' } })).text();
  const during = [await statusOf(tocsin, old), await statusOf(tocsin, rawKeyIn(page))];
  tocsin.advance(hoursToMilliseconds(1));
  const after = [await statusOf(tocsin, old), await statusOf(tocsin, rawKeyIn(page))];
  const list = await textOf(await signIn(tocsin, tocsin.readWriteKey), KEYS);

  expect(question).toContain('The old key works');
  expect(page).toContain('The old key ends');
  expect([during, after]).toEqual([
    [200, 200],
    [401, 200],
  ]);
  expect(list).toContain('replaced, ended');
});

it('asks before it revokes', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const key = rawKeyIn(await (await admin.visit(KEYS, { form: { name: 'old', scope: 'read-only' } })).text());
  const path = `${KEYS}/${await keyIdOf(admin, 'old')}/revoke`;

  const question = await textOf(admin, path);
  const asked = await statusOf(tocsin, key);
  await admin.visit(path, { form: {} });

  expect(question).toContain('Revoke old?');
  expect([asked, await statusOf(tocsin, key)]).toEqual([200, 401]);
  expect((await admin.visit(path)).status).toBe(404);
});

it('lets an admin end the session of somebody else', async () => {
  await using tocsin = await startTestService();
  const [admin, ben] = [await arrive(tocsin, 'Ana', 'admin'), await arrive(tocsin, 'Ben', 'responder')];

  const page = await textOf(admin, '/settings/people');
  const [, path = ''] =
    /action="\/dashboard(\/settings\/people\/sessions\/ses_\w+\/end)"[^>]*>(?:<input[^>]*>|\s)*<button[^>]*End the session of Ben/.exec(
      page,
    ) ?? [];
  const ended = await admin.visit(path, { form: {} });
  const audit = await textOf(admin, '/settings/audit');

  expect(ended.status).toBe(303);
  expect((await ben.visit('/incidents')).status).toBe(302);
  expect(audit).toMatch(
    /Ben<\/bdi> <span class="quiet">\(responder\)<\/span><\/td><td[^>]*>session ended<\/td><td[^>]*><bdi>Ana</,
  );
});

it('signs a person out everywhere, and nobody else', async () => {
  await using tocsin = await startTestService();
  const ben = [await arrive(tocsin, 'Ben', 'responder'), await arrive(tocsin, 'Ben', 'responder')];
  const ana = await arrive(tocsin, 'Ana', 'viewer');

  const answer = await ben[0]?.visit('/settings/people/sign-out-everywhere', { form: {} });
  const statuses = await Promise.all([...ben, ana].map(async (each) => (await each.visit('/incidents')).status));

  expect(answer?.headers.get('set-cookie')).toMatch(/^tocsin=; Max-Age=0;/);
  expect(statuses).toEqual([302, 302, 200]);
});

it('shows and ends only own sessions without the role admin', async () => {
  await using tocsin = await startTestService();
  const [ana, ben] = [await arrive(tocsin, 'Ana', 'viewer'), await arrive(tocsin, 'Ben', 'responder')];
  const idOf = async (visitor: Visitor) =>
    /sessions\/(ses_\w+)\/end/.exec(await textOf(visitor, '/settings/people'))?.[1];

  const page = await textOf(ben, '/settings/people');
  const foreign = await ben.visit(`/settings/people/sessions/${await idOf(ana)}/end`, { form: {} });
  const own = await ben.visit(`/settings/people/sessions/${await idOf(ben)}/end`, { form: {} });

  expect(page).not.toContain('Ana');
  expect([foreign.status, own.status]).toEqual([404, 303]);
  expect((await ana.visit('/incidents')).status).toBe(200);
});

it.each([
  ['viewer', 'GET', '/settings/audit'],
  ['responder', 'GET', '/settings/audit'],
  ['viewer', 'POST', KEYS],
  ['responder', 'POST', KEYS],
  ['viewer', 'GET', `${KEYS}/key_1/rotate`],
  ['responder', 'POST', `${KEYS}/key_1/rotate`],
  ['responder', 'GET', `${KEYS}/key_1/revoke`],
  ['responder', 'POST', `${KEYS}/key_1/revoke`],
] as const)('refuses a %s what only admins may: %s %s', async (role, method, path) => {
  await using tocsin = await startTestService();
  const visitor = await arrive(tocsin, 'Ben', role);

  const form = { name: 'mine', scope: 'read-write', grace: '0' };
  const answer = await visitor.visit(path, method === 'POST' ? { form } : {});

  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('Only admins may do this');
});

it.each(['acknowledge', 'resolve', 'notes'])('refuses a viewer what responders may: %s', async (action) => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { number } = await tocsin.openIncident();
  const viewer = await arrive(tocsin, 'Ben', 'viewer');

  const answer = await viewer.visit(`/incidents/${number}/${action}`, { form: { note: 'x', text: 'x' } });

  expect(answer.status).toBe(403);
});

it('shows names of keys and people, and user agents, as text', async () => {
  await using tocsin = await startTestService();
  const headers = { 'user-agent': EVIL, 'sec-fetch-site': 'same-origin' };
  const form = { key: tocsin.readWriteKey, name: EVIL };
  const admin = await visitorWith(tocsin, cookieOf(await stranger(tocsin).visit('/sign-in', { form, headers })));
  await admin.visit(KEYS, { form: { name: EVIL, scope: 'read-only' } });
  const list = await textOf(admin, KEYS);
  const [, id = ''] = /api-keys\/(key_\w+)\/revoke/.exec(list) ?? [];

  const paths = ['/settings/people', '/settings/audit', `${KEYS}/${id}/revoke`, `${KEYS}/${id}/rotate`];
  const pages = [list, ...(await Promise.all(paths.map((path) => textOf(admin, path))))];

  for (const page of pages) {
    expect(page).toContain('&lt;script&gt;alert(1)');
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('"\'>');
  }
});

it('lists what people did about incidents in the audit', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey, 'Ana');
  await tocsin.failIn(['payments']);
  const { number } = await tocsin.openIncident();
  await admin.visit(`/incidents/${number}/acknowledge`, { form: {} });

  const audit = await textOf(admin, '/settings/audit');

  expect(audit).toMatch(
    new RegExp(`#${number}</a></td><td data-label="Change">Acknowledged</td>.*?<bdi>Ana \\(by key test\\)</bdi>`, 's'),
  );
});
