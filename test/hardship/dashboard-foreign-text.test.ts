import { addHours } from 'date-fns/addHours';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { SHOWN_TURNED, TURNED, turnedTexts } from '../support/bidi.ts';
import { signIn, stranger, type Visitor } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const EVIL = `${TURNED}evil`;

const cleanup = new AsyncDisposableStack();
let tocsin: TestService;
let admin: Visitor;
/** Addresses by what the page is. */
const paths: Record<string, string> = {};

async function idIn(path: string, pattern: RegExp): Promise<string> {
  return pattern.exec(await (await admin.visit(path)).text())?.[0] ?? '';
}

async function createIntegration(form: Readonly<Record<string, string>>): Promise<{ path: string; key: string }> {
  const made = await admin.visit('/settings/integrations', { form: { name: EVIL, ...form } });
  const [key = ''] = /tcn_in_\w{60}/.exec(await made.text()) ?? [];
  return { path: `/settings/${await idIn('/settings/integrations', /integrations\/int_\w+/)}`, key };
}

async function post(path: string, body: object, key?: string): Promise<Response> {
  return tocsin.call('POST', path, { body, ...(key !== undefined && { key }) });
}

/** A link that signs somebody in of whom Slack knows who it is. */
async function linkFor(name: string): Promise<string> {
  const link = await post('/sign-in-links', { user: name, slack_user_id: 'U0EVIL', role: 'responder' });
  const { url } = Object(await link.json());
  return new URL(String(url)).pathname.replace('/dashboard', '');
}

beforeAll(async () => {
  tocsin = cleanup.use(await startTestService({ webhooks: { allowPrivateAddresses: true } }));
  const receiver = cleanup.use(await startWebhookReceiver((response) => response.writeHead(500).end(EVIL)));
  admin = await signIn(tocsin, tocsin.readWriteKey, EVIL);

  await admin.visit('/settings/api-keys', { form: { name: EVIL, scope: 'read-only', days: '30' } });
  const json = await createIntegration({ type: 'json' });
  await post('/json', { title: EVIL }, json.key);
  const generic = await createIntegration({ type: 'generic' });
  await post('/generic', { nonsense: EVIL }, generic.key);
  const webhook = await createIntegration({ type: 'webhook', url: `${receiver.url}?${EVIL}` });
  await admin.visit(`${webhook.path}/test`, { form: {} });

  const deployed = { type: 'deploy', service: EVIL, summary: EVIL, observed_at: tocsin.now().toISOString() };
  await post('/generic', deployed);
  const alert = { service: EVIL, summary: EVIL, labels: { team: EVIL }, severity: 'critical', dedup_key: EVIL };
  await post('/generic', alert, generic.key);
  await tocsin.failIn([EVIL, `${EVIL} 2`], { name: EVIL });
  const { number } = await tocsin.openIncident();
  const user = { user: EVIL };
  await post(`/incidents/${number}/notes`, { ...user, text: EVIL });
  await admin.visit(`/incidents/${number}/change`, {
    form: { title: EVIL, severity: 'critical', root_service: EVIL, lead: EVIL, communications: EVIL },
  });
  const until = addHours(tocsin.now(), 1).toISOString();
  await post('/mutes', { ...user, target: 'incident', value: String(number), until, reason: EVIL });
  await post(`/incidents/${number}/acknowledge`, user);
  await tocsin.failIn(['closed']);
  const closed = await tocsin.openIncident();
  const resolution = { ...user, resolution_note: EVIL, not_a_problem: true };
  await post(`/incidents/${closed.number}/resolve`, resolution);

  const { signals } = SignalList.parse(await (await tocsin.call('GET', `/incidents/${number}/signals`)).json());
  await stranger(tocsin).visit(await linkFor(EVIL), { form: {} });
  const key = `/settings/${await idIn('/settings/api-keys', /api-keys\/key_\w+/)}`;
  const { id = '' } = signals.find(({ type }) => type === 'trace') ?? {};
  Object.assign(paths, {
    incidents: '/incidents',
    closed: '/incidents?status=all',
    incident: `/incidents/${number}`,
    'closed incident': `/incidents/${closed.number}`,
    signals: '/signals?within=all',
    signal: `/signals/${id}`,
    services: '/services',
    service: `/services/${encodeURIComponent(EVIL)}`,
    search: `/search?q=${encodeURIComponent('evil')}`,
    keys: '/settings/api-keys',
    revoke: `${key}/revoke`,
    rotate: `${key}/rotate`,
    integrations: '/settings/integrations',
    mapping: json.path,
    sender: generic.path,
    webhook: webhook.path,
    delete: `${webhook.path}/delete`,
    mutes: '/settings/mutes',
    lessons: '/settings/lessons',
    people: '/settings/people',
    audit: '/settings/audit',
    link: await linkFor(EVIL),
  });
}, 120_000);
afterAll(() => cleanup.disposeAsync());

it.each([
  'incidents',
  'closed',
  'incident',
  'closed incident',
  'signals',
  'signal',
  'services',
  'service',
  'search',
  'keys',
  'revoke',
  'rotate',
  'integrations',
  'mapping',
  'sender',
  'webhook',
  'delete',
  'mutes',
  'lessons',
  'people',
  'audit',
  'link',
])('isolates all that others wrote on the page %s', async (name) => {
  const page = await (name === 'link' ? stranger(tocsin) : admin).visit(paths[name] ?? '');

  const html = await page.text();
  const texts = [...turnedTexts(html, SHOWN_TURNED), ...turnedTexts(html)];

  expect(page.status).toBe(200);
  expect(texts.filter(({ isIsolated }) => isIsolated).length).toBeGreaterThan(0);
  expect(texts.filter(({ isIsolated }) => !isIsolated)).toEqual([]);
  expect(turnedTexts(html).filter(({ text }) => /\bbdi( > \w+)*: /.test(text))).toEqual([]); // sentences have names in them
});
