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
let paths: readonly string[] = [];

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
  paths = [
    '/sign-in',
    new URL(String(url)).pathname.replace('/dashboard', ''),
    '/settings/api-keys',
    `/settings/${key}/revoke`,
    `/settings/${key}/rotate`,
    '/settings/integrations',
    '/settings/mutes',
    `/settings/policies?service=payments&dry-run=${policy}`,
    `/settings/ways?person=${ana?.id}`,
    `/settings/${integration}`,
    `/settings/${integration}/delete`,
    '/settings/people',
    '/settings/audit',
    '/nowhere',
  ];
});
afterAll(() => cleanup.disposeAsync());

it('has nothing on any of its pages that keeps anybody from using it', async () => {
  const context = await browser.newContext();
  await lendSession(context, door.url, admin);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));

  for (const path of paths) {
    await page.goto(`${door.url}/dashboard${path}`);
    for (const width of [1_280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([path, width, ...(await accessibilityFaults(page)), overflow]).toEqual([path, width, 0]);
    }
  }

  expect(errors.filter((text) => !text.includes('404'))).toEqual([]);
  await context.close();
});

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
