import { expect, it } from 'vitest';
import { IntegrationList } from '../../src/contract/integrations.ts';
import { noteForgotten } from '../../src/service/store/log/set-aside.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { cookieOf, signIn, stranger, type Visitor, visitorWith } from '../support/dashboard.ts';
import { startRealTeam } from '../support/real-team.ts';
import { PUBLIC_URL, startTestService } from '../support/test-service.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const EVIL = `"'><script>alert(1)</script>`;
const PATH = '/settings/integrations';

async function textOf(visitor: Visitor, path: string): Promise<string> {
  return (await visitor.visit(path)).text();
}

async function idOf(visitor: Visitor): Promise<string> {
  return /settings\/integrations\/(int_\w+)"/.exec(await textOf(visitor, PATH))?.[1] ?? '';
}

it.each([
  ['otlp', `OTEL_EXPORTER_OTLP_ENDPOINT=${PUBLIC_URL}\n`],
  ['alertmanager', `- url: ${PUBLIC_URL}/v1/alertmanager\n`],
  ['prometheus', 'path_prefix: /v1/prometheus\n'],
  ['grafana', `url: ${PUBLIC_URL}/v1/grafana\n`],
  ['pagerduty_events', `${PUBLIC_URL}/v2/enqueue\n`],
  ['opsgenie', `api_url: ${PUBLIC_URL}/\n`],
  ['oncall', `${PUBLIC_URL}/integrations/v1/grafana_alerting/`],
  ['cloudevents', `curl -X POST ${PUBLIC_URL}/v1/cloudevents `],
  ['generic', `curl -X POST ${PUBLIC_URL}/v1/generic `],
])('sets up %s with the real address and the key', async (type, expected) => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  const page = await (await admin.visit(PATH, { form: { type, name: 'mine', url: '' } })).text();
  const [key = 'none'] = /tcn_in_\w{60}/.exec(page) ?? [];
  const later = await textOf(admin, `${PATH}/${await idOf(admin)}`);

  expect(page).toContain(expected);
  expect(page.split(key).length).toBeGreaterThan(2); // also in the snippets
  expect(later).toContain(expected);
  expect(later).not.toContain(key.slice(-49));
});

it('says what correlation left out in the last hour', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const before = await textOf(admin, PATH);
  await noteForgotten(db, 'main', `too large ${EVIL}`);
  tocsin.advance(2_000); // what was found is told again for a second

  const after = await textOf(admin, PATH);

  expect(before).not.toContain('left something out');
  expect(after).toContain('correlation: left something out once in the last hour');
  expect(after).not.toContain(EVIL);
});

it.each([
  ['datadog', `${PUBLIC_URL}/v1/datadog?token=`],
  ['github', `${PUBLIC_URL}/v1/github?token=`],
  ['zabbix', `request.post(&#39;${PUBLIC_URL}/v1/zabbix&#39;, value)`],
  ['argo_cd', `url: ${PUBLIC_URL}/v1/argo-cd\n`],
])('sets up %s, whose form has a secret and a silence', async (type, expected) => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const form = { type, name: 'mine', url: '', secret: 'given to both', silence_minutes: '30', service: '' };

  const page = await (await admin.visit(PATH, { form })).text();
  const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());

  expect(page).toContain(expected);
  expect(integrations).toMatchObject([
    { type, config: { silence_minutes: 30, ...(type === 'github' ? { secret: '***' } : {}) } },
  ]);
});

it('leads to the oldest of more integrations than one page has', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const config = { service: 'backup', interval_seconds: 60 };
  for (let number = 0; number <= 200; number += 1) {
    await tocsin.call('POST', '/integrations', { body: { type: 'heartbeat', name: `job ${number}`, config } });
    tocsin.advance(1);
  }

  const newest = await textOf(admin, PATH);
  const [, older = ''] = /<a rel="next" href="\/dashboard([^"]+)"/.exec(newest) ?? [];
  const oldest = await textOf(admin, older.replaceAll('&amp;', '&'));
  const [, id = ''] = /settings\/integrations\/(int_\w+)"/.exec(oldest) ?? [];

  expect(newest).not.toContain('>job 0<');
  expect(oldest).toContain('>job 0<');
  expect((await admin.visit(`${PATH}/${id}`)).status).toBe(200);
});

it('says what to paste at the product that any JSON is of, with the key and a failure of it to try', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  const form = { type: 'json', name: 'monitor', url: '', preset: 'nagios' };
  const page = await (await admin.visit(PATH, { form })).text();

  const [key = ''] = /tcn_in_\w{60}/.exec(page) ?? [];
  expect(page).toMatch(new RegExp(`command_line /usr/bin/curl .*Bearer ${key}.*/v1/json`));
  expect(page).toContain('free space of /var');
});

it('creates a heartbeat from its form, and says what is missing', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const form = {
    type: 'heartbeat',
    name: 'nightly',
    url: '',
    service: 'backup',
    interval_seconds: '3600',
    grace_seconds: '',
  };

  const page = await (await admin.visit(PATH, { form })).text();
  const refused = await admin.visit(PATH, { form: { ...form, interval_seconds: '' } });
  const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());

  expect(page).toContain(`${PUBLIC_URL}/v1/heartbeat?token=tcn_in_`);
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('a heartbeat a service and how often'),
  ]);
  expect(integrations).toMatchObject([
    { type: 'heartbeat', name: 'nightly', config: { service: 'backup', interval_seconds: 3_600, grace_seconds: 60 } },
  ]);
});

it('keeps what was typed when it refuses an address, and names nothing of its inside', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const form = { type: 'webhook', name: 'my pager', url: 'http://127.0.0.1/hook', routing_key: 'a secret of mine' };

  const refused = await admin.visit(PATH, { form });
  const page = await refused.text();

  expect(refused.status).toBe(422);
  expect(page).toContain('This address cannot be used: ');
  expect(page).toContain('value="my pager"');
  expect(page).toContain('value="http://127.0.0.1/hook"');
  expect(page).toMatch(/<option value="webhook" selected/);
  expect(page).not.toContain('config/url');
  expect(page).not.toContain('a secret of mine');
});

it('says that a webhook works once a test was delivered', async () => {
  await using tocsin = await startTestService({ webhooks: { allowPrivateAddresses: true } });
  await using receiver = await startWebhookReceiver();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  await admin.visit(PATH, { form: { type: 'webhook', name: 'mine', url: receiver.url } });
  const path = `${PATH}/${await idOf(admin)}`;
  const before = await textOf(admin, path);

  await admin.visit(`${path}/test`, { form: {} });

  expect(before).toContain('waiting for the first delivery');
  expect(await textOf(admin, path)).toContain('<span class="calm">works</span>');
});

it('waits for the first signal, and tells the truth about the status', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const made = await (await admin.visit(PATH, { form: { type: 'generic', name: 'mine', url: '' } })).text();
  const [key = ''] = /tcn_in_\w{60}/.exec(made) ?? [];
  const path = `${PATH}/${await idOf(admin)}`;
  const send = (body: object) => tocsin.call('POST', '/generic', { key, body });

  const waiting = await admin.visit(`${path}?wait=1`);
  const unused = await textOf(admin, PATH);
  await send({ service: 'payments', summary: 'it failed' });
  const received = await admin.visit(`${path}?wait=1`);
  await send({ nonsense: true });
  const failing = await textOf(admin, path);

  expect(waiting.headers.get('refresh')).toBe('3');
  expect(await waiting.text()).toContain('Waiting for the first signal.');
  expect(unused).toContain('waiting for the first signal');
  expect(received.headers.get('refresh')).toBeNull();
  expect(await received.text()).toContain('Received');
  expect(failing).toContain('<span class="alarm">last payload refused</span>: <bdi>invalid-body');
});

it('shows what was refused: the last five payloads, cut and without secrets', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const made = await (await admin.visit(PATH, { form: { type: 'generic', name: 'mine', url: '' } })).text();
  const [key = ''] = /tcn_in_\w{60}/.exec(made) ?? [];
  const path = `${PATH}/${await idOf(admin)}`;
  const send = (body: object) => tocsin.call('POST', '/generic', { key, body });

  for (const attempt of [1, 2, 3, 4, 5]) {
    await send({ attempt: `number ${attempt}`, html: EVIL });
  }
  await send({ attempt: 'number 6', password: 'hunter2', note: `with ${key}`, long: 'word '.repeat(1_000) });
  await send({ service: 'payments', summary: 'this one is right' });
  const page = await textOf(admin, path);
  const payloads = [...page.matchAll(/<pre class="body"><bdi>([^<]*)</g)].map(([, text = '']) => text);

  expect(payloads.map((text) => /number \d/.exec(text)?.[0])).toEqual([6, 5, 4, 3, 2].map((each) => `number ${each}`));
  expect(payloads[0]).toContain('***');
  expect(payloads[0]?.length).toBeLessThan(1_300);
  expect(page).toContain('href="/dashboard/settings/integrations?type=json"');
  expect(await textOf(admin, `${PATH}?type=json`)).toContain('<option value="json" selected="">');
  expect(page).not.toContain('hunter2');
  expect(page).not.toContain(key);
  expect(page).not.toContain('this one is right');
  expect(page).not.toContain('<script>alert');
});

it('shows a PagerDuty event that was refused, without its key', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const form = { type: 'pagerduty_events', name: 'mine', url: '' };
  const [key = ''] = /tcn_in_\w{60}/.exec(await (await admin.visit(PATH, { form })).text()) ?? [];

  const request = new Request(`${PUBLIC_URL}/v2/enqueue`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ routing_key: key, event_action: 'explode' }),
  });
  await tocsin.service.fetch(request);
  const page = await textOf(admin, `${PATH}/${await idOf(admin)}`);

  expect(page).toContain('{&quot;routing_key&quot;:&quot;***&quot;,&quot;event_action&quot;:&quot;explode&quot;}');
  expect(page).not.toContain(key);
});

it('creates an integration with PagerDuty, and hides its key', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const routingKey = 'a0b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3';
  const form = { type: 'pagerduty', name: 'on call', url: '', routing_key: routingKey };

  const made = await admin.visit(PATH, { form });
  const page = await textOf(admin, `${PATH}/${await idOf(admin)}`);
  const incomplete = await admin.visit(PATH, { form: { ...form, routing_key: '' } });

  expect(made.status).toBe(303);
  expect(page).toContain('https://events.pagerduty.com/v2/enqueue');
  expect(page).toContain('Send a test event');
  expect(page).not.toContain(routingKey);
  expect(incomplete.status).toBe(422);
});

it('tests a webhook, shows its answers, and rotates its secret', async () => {
  await using receiver = await startWebhookReceiver();
  await using tocsin = await startTestService({ webhooks: { allowPrivateAddresses: true } });
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const form = { type: 'webhook', name: 'pager', url: receiver.url };
  const made = await (await admin.visit(PATH, { form })).text();
  const path = `${PATH}/${await idOf(admin)}`;

  const tested = await admin.visit(`${path}/test`, { form: {} });
  const page = await textOf(admin, path);
  const rotated = await (await admin.visit(`${path}/rotate-secret`, { form: {} })).text();

  expect(made).toMatch(/whsec_/);
  expect(tested.status).toBe(303);
  expect(page).toContain('<span class="calm">delivered</span>');
  expect(/whsec_[^<]+/.exec(rotated)?.[0]).not.toBe(/whsec_[^<]+/.exec(made)?.[0]);
});

it('refuses a private address, and says why', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  const answer = await admin.visit(PATH, { form: { type: 'webhook', name: 'x', url: 'http://169.254.169.254/' } });

  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain('This address cannot be used: ');
});

it('deletes an integration after a question, with its keys', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const made = await (await admin.visit(PATH, { form: { type: 'generic', name: EVIL, url: '' } })).text();
  const [key = ''] = /tcn_in_\w{60}/.exec(made) ?? [];
  const path = `${PATH}/${await idOf(admin)}`;

  const pages = [made, await textOf(admin, path), await textOf(admin, `${path}/delete`), await textOf(admin, PATH)];
  await admin.visit(`${path}/delete`, { form: {} });
  const after = await tocsin.call('POST', '/generic', { key, body: { service: 'a', summary: 'b' } });

  for (const page of pages) {
    expect(page).toContain('&lt;script&gt;alert(1)');
    expect(page).not.toContain('<script>alert');
  }
  expect(after.status).toBe(401);
  expect((await admin.visit(path)).status).toBe(404);
});

it.each([
  '',
  '/int_1/delete',
  '/int_1/test',
  '/int_1/enable',
  '/int_1/rotate-secret',
  '/int_1/deliveries/dlv_1/resend',
])('refuses a viewer a change: POST %s', async (path) => {
  await using tocsin = await startTestService();
  const viewer = await signIn(tocsin, tocsin.readOnlyKey);

  const answer = await viewer.visit(`${PATH}${path}`, { form: { type: 'generic', name: 'x' } });

  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('Only admins may do this');
});

it('keeps who created, changed and deleted an integration in the audit', async () => {
  await using receiver = await startWebhookReceiver();
  await using tocsin = await startTestService({ webhooks: { allowPrivateAddresses: true } });
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const link = { user: 'ben', name: EVIL, slack_user_id: 'U0BEN', role: 'admin' };
  const { url } = Object(await (await tocsin.call('POST', '/sign-in-links', { body: link })).json());
  const used = await stranger(tocsin).visit(new URL(url).pathname.replace('/dashboard', ''), { form: {} });
  const ben = await visitorWith(tocsin, cookieOf(used));

  await admin.visit(PATH, { form: { type: 'webhook', name: 'pager', url: receiver.url } });
  const webhook = await idOf(admin);
  await ben.visit(`${PATH}/${webhook}/rotate-secret`, { form: {} });
  await tocsin.call('POST', '/integrations', { body: { type: 'json', name: EVIL, config: {} } });
  const json = await idOf(admin);
  await ben.visit(`${PATH}/${json}/mapping`, { form: { title: 'body.subject' } });
  const keyId = /settings\/api-keys\/(key_\w+)\/rotate/.exec(await textOf(admin, `${PATH}/${json}`))?.[1] ?? '';
  await ben.visit(`/settings/api-keys/${keyId}/rotate`, { form: { grace: '0' } });
  await ben.visit(`${PATH}/${webhook}/delete`, { form: {} });
  const page = await textOf(ben, '/settings/audit');
  const table = /<h2>Integrations<\/h2>(.*?)<\/table>/s.exec(page)?.[1] ?? '';
  const rows = [...table.matchAll(/data-label="Change">([^<]+)<\/td><td data-label="By"><bdi>([^<]+)</g)];

  expect(page).not.toContain('<script>alert');
  const byBen = `${EVIL.replaceAll('"', '&quot;').replaceAll("'", '&#39;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}, in the dashboard`;
  expect(rows.map(([, change, by]) => [change, by])).toEqual([
    ['deleted', byBen],
    ['key rotated', byBen],
    ['mapping changed', byBen],
    ['created', 'test'],
    ['signing secret rotated', byBen],
    ['created', 'test'],
  ]);
  expect(table).toContain(`<a href="/dashboard/settings/integrations/${json}">`);
  expect(table).not.toContain(`<a href="/dashboard/settings/integrations/${webhook}">`);
});

it('needs no form for Slack: the bot registers, and works with its first card', async () => {
  await using real = await startRealTeam();
  const ana = await signIn(real.service, real.service.readWriteKey, 'Ana');
  const page = async () => (await ana.visit('/settings/integrations')).text();

  await expect.poll(page).toContain('waiting for the first card');
  await real.service.failIn(['payments']);
  await real.service.openIncident();
  await real.team.card(/payments/);
  await expect.poll(page).not.toContain('waiting for the first card');

  expect(await page()).toContain('<option value="webhook"');
  expect(await page()).not.toContain('<option value="slack"');
});
