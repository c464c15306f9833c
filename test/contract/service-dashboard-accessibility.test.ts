import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FrontDoor, openFrontDoor } from '../../src/front-door.ts';
import { launchBrowser } from '../support/browser.ts';
import { lendSession, signIn, type Visitor } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let browser: Browser;
let tocsin: TestService;
let door: FrontDoor;
let admin: Visitor;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
  browser = cleanup.adopt(await launchBrowser(), (opened) => opened.close());
  tocsin = cleanup.use(await startTestService());
  door = cleanup.use(await openFrontDoor('127.0.0.1', 0));
  door.handlers.service = tocsin.service.fetch;
  admin = await signIn(tocsin, tocsin.readWriteKey);
  await tocsin.failIn(['payments', 'stock']);
  const { number } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${number}/resolve`, { body: { resolution_note: 'restarted' } });
}, 60_000);
afterAll(() => cleanup.disposeAsync());

it.each([
  ['/incidents', 'light'],
  ['/incidents', 'dark'],
  ['/incidents/1', 'light'],
  ['/incidents/1', 'dark'],
  ['/settings/api-keys', 'light'],
  ['/settings/api-keys', 'dark'],
] as const)('has nothing on %s in %s that keeps anybody from using it', async (path, colorScheme) => {
  await using page = await openPage(path, colorScheme);

  const { violations, passes } = await page.check();

  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  expect(passes.length).toBeGreaterThan(10);
});

async function openPage(path: string, colorScheme: 'light' | 'dark') {
  // The page allows no scripts, except that of the tester.
  const context = await browser.newContext({ colorScheme, bypassCSP: true });
  await lendSession(context, door.url, admin);
  const page = await context.newPage();
  await page.goto(`${door.url}/dashboard${path}`);
  await page.addScriptTag({ content: axe.source });
  return {
    check: () => page.evaluate<axe.AxeResults>('axe.run()'),
    [Symbol.asyncDispose]: () => context.close(),
  };
}
