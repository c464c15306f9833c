import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FrontDoor, openFrontDoor } from '../../src/app/front-door.ts';
import { createPeopleStore } from '../../src/service/store/people/people-store.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { lendSession, signIn, type Visitor } from '../support/dashboard.ts';
import { layoutFaults } from '../support/layout.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { openTables } from '../support/webhook-receiver.ts';

const cleanup = new AsyncDisposableStack();
let browser: Browser;
let tocsin: TestService;
let door: FrontDoor;
let admin: Visitor;
const paths: Record<string, string> = {};

beforeAll(async () => {
  browser = cleanup.adopt(await launchBrowser(), (opened) => opened.close());
  tocsin = cleanup.use(await startTestService());
  door = cleanup.use(await openFrontDoor('127.0.0.1', 0));
  door.handlers.service = tocsin.service.fetch;
  const slack = { type: 'slack', config: { team_id: 'T1', app_id: 'A1' } };
  await tocsin.call('POST', '/integrations', { body: slack }); // sign-in offers a link in Slack
  admin = await signIn(tocsin, tocsin.readWriteKey, 'Ana Anderson');
  await admin.visit('/settings/api-keys', { form: { name: 'contractor', scope: 'read-only', days: '30' } });
  await admin.visit('/settings/integrations', { form: { type: 'otlp', name: 'collector', url: '' } });
  const integrations = await (await admin.visit('/settings/integrations')).text();
  const keys = await (await admin.visit('/settings/api-keys')).text();
  const key = /api-keys\/key_\w+/.exec(keys)?.[0] ?? '';
  const integration = /integrations\/int_\w+/.exec(integrations)?.[0] ?? '';
  const mute = { what: 'payments', start: '', minutes: '60', repeat: '', zone: '', reason: 'upgrade' };
  const start = `${new Date().getUTCFullYear() + 1}-01-16T22:00`;
  const labels = { what: 'team:payments, cluster:eu-west*', start, repeat: 'week', zone: 'Europe/Berlin' };
  await admin.visit('/settings/mutes', { form: mute });
  await admin.visit('/settings/mutes', { form: { ...mute, ...labels } });
  const tables = await openTables(tocsin);
  const ana = await createPeopleStore(tables).savePerson('email:ana@tocsin.test', { name: 'Ana' }, tocsin.now());
  const way = { kind: 'email', address: 'ana@tocsin.test' };
  await tocsin.call('POST', `/people/${ana?.id}/ways`, { body: way });
  const steps = [{ after_s: 0, to: [{ kind: 'person', id: ana?.id }] }];
  const night = await tocsin.call('POST', '/policies', { body: { name: 'Night', user: 'ana', steps } });
  const policy = Object(await night.json()).id;
  const link = await tocsin.call('POST', '/sign-in-links', { body: { user: 'ana', name: 'Ana', role: 'responder' } });
  const { url } = Object(await link.json());
  Object.assign(paths, {
    'sign-in': '/sign-in',
    link: new URL(String(url)).pathname.replace('/dashboard', ''),
    keys: '/settings/api-keys',
    revoke: `/settings/${key}/revoke`,
    rotate: `/settings/${key}/rotate`,
    integrations: '/settings/integrations',
    mutes: '/settings/mutes',
    policies: `/settings/policies?service=payments&dry-run=${policy}`,
    ways: `/settings/ways?person=${ana?.id}`,
    integration: `/settings/${integration}`,
    delete: `/settings/${integration}/delete`,
    people: '/settings/people',
    audit: '/settings/audit',
    'not found': '/nowhere',
  });
});
afterAll(() => cleanup.disposeAsync());

const NAMES = [
  'sign-in',
  'link',
  'keys',
  'revoke',
  'rotate',
  'integrations',
  'mutes',
  'policies',
  'ways',
  'integration',
  'delete',
  'people',
  'audit',
  'not found',
];

it.each(NAMES.flatMap((name) => [1280, 390].map((width) => [name, width] as const)))(
  'has nothing on the page %s at %d pixels that keeps anybody from using it',
  async (name, width) => {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    await lendSession(context, door.url, admin);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));

    await page.goto(`${door.url}/dashboard${paths[name]}`);
    const faults = await accessibilityFaults(page);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

    expect(faults).toEqual([]);
    expect(overflow).toBeLessThanOrEqual(0);
    expect(errors.filter((text) => !text.includes('404'))).toEqual([]);
    await context.close();
  },
);

it('signs in, creates a key and signs out by the keyboard alone', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();

  await page.goto(`${door.url}/dashboard/settings/api-keys`);
  await page.getByRole('textbox', { name: 'API key' }).focus();
  await page.keyboard.type(tocsin.readWriteKey);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Name' }).focus();
  await page.keyboard.type('by keyboard');
  await page.keyboard.press('Enter');
  const shown = await page.locator('#raw-key').textContent();
  await page.getByRole('button', { name: 'Sign out' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();

  expect(shown?.trim()).toMatch(/^tcn_\w{2}_\w{60}$/);
  expect(await context.cookies()).toEqual([]);
  await context.close();
});

it('works without JavaScript', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();

  await page.goto(`${door.url}/dashboard/sign-in?return_to=/dashboard/settings/people`);
  await page.getByRole('textbox', { name: 'API key' }).fill(tocsin.readOnlyKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();

  expect(await context.cookies()).toEqual([]);
  await context.close();
});

it.each([1_280, 390])(
  'asks for a link in Slack at %i pixels, by the keyboard and without JavaScript',
  async (width) => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${door.url}/dashboard/sign-in`);

    await page.getByLabel('Email address that Slack knows you by').fill(`ana${width}@example.com`);
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'a message is on its way' }).waitFor();

    expect(await page.title()).toBe('Look into Slack · Tocsin');
    expect(await layoutFaults(page.locator('main'))).toEqual([]);
    await context.close();
  },
);
