import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PageList } from '../../src/contract/waking.ts';
import { launchBrowser } from '../support/browser.ts';
import { HANG_MS } from '../support/hang.ts';
import { openPushBrowser, subscribeTo } from '../support/push-browser.ts';
import { startPushService } from '../support/push-service.ts';
import { openSlackPage } from '../support/slack-page.ts';
import { startTocsin } from '../support/tocsin-process.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

it('rings and is answered on a fresh machine without an account anywhere, as docs/waking.md says', async () => {
  await using push = await startPushService();
  await using tocsin = await startTocsin({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
  const printedLink = /http:\S+/.exec(tocsin.banner[1] ?? '')?.[0] ?? '';

  // 1. Who you are, and how you are woken.
  await using slack = await openSlackPage(browser, tocsin.localSlackUrl ?? '');
  await slack.getByRole('textbox', { name: 'Message #incidents' }).fill('/incidents dashboard');
  await slack.keyboard.press('Enter');
  await subscribeTo(slack, push);
  const opening = slack.context().waitForEvent('page');
  await slack.getByRole('button', { name: 'Open the dashboard' }).click();
  const page = await opening;
  page.setDefaultTimeout(60_000);
  await page.getByRole('button', { name: /^Sign in as/ }).click();
  await page.goto(`${tocsin.url}/dashboard/settings/ways`);
  await page.getByRole('button', { name: 'Wake me by this browser' }).click();
  await page
    .getByRole('table', { name: /^Ways to wake/ })
    .getByText('Web push')
    .waitFor();
  const screen = await openPushBrowser(page, push);
  await page.getByRole('button', { name: /^Test browser at/ }).click();
  await screen.click((await screen.waitForShown(/^This is a test/)).tag, 'answer');

  // 2. Who is on call.
  await page.getByRole('link', { name: 'On call' }).click();
  await page.getByLabel('Name').fill('Payments');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByLabel('Turn 1').selectOption({ index: 2 });
  await page.getByRole('button', { name: 'Save' }).click();

  // 3. Whom incidents wake, as an admin.
  await page.goto(printedLink);
  await page.getByRole('button', { name: /^Sign in as/ }).click();
  await page.goto(`${tocsin.url}/dashboard/settings/policies`);
  const warning = await page.getByRole('region', { name: 'No pager' }).textContent();
  await page.getByLabel('Name').fill('Everything');
  await page.getByLabel('Step 1').selectOption({ label: 'on call: Payments' });
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Drill Everything' }).click();
  const drill = await screen.waitForShown(/^This is a drill/);
  await screen.click(drill.tag, 'answer');

  const key = (await readFile(join(tocsin.dataDir, 'keys/dashboard.key'), 'utf8')).trim();
  const drilled = await vi.waitUntil(
    async () => {
      const answer = await fetch(`${tocsin.url}/v1/pages`, { headers: { authorization: `Bearer ${key}` } });
      return PageList.parse(await answer.json()).pages.find(({ state }) => state === 'taken');
    },
    { timeout: HANG_MS },
  );
  expect(drilled).toMatchObject({ incident_id: null, policy: 'Everything', attempts: [{ state: 'answered' }] });
  expect(warning).toContain('embedded database');
});
