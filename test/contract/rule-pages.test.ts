import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityFaults } from '../support/axe.ts';
import { eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { layoutFaults } from '../support/layout.ts';
import { keepPicture } from '../support/pictures.ts';
import { openSlackPage, timeline } from '../support/slack-page.ts';
import { createTestClock } from '../support/test-clock.ts';

const WIDE = { width: 1_280, height: 1_100 };
const NARROW = { width: 390, height: 844 };

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

/** Everything that a person could not read or press, on a wide and on a narrow page. */
async function faultsOf(page: Page, what: Locator, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const viewport of [NARROW, WIDE]) {
    await page.setViewportSize(viewport);
    await what.waitFor();
    faults.push(...(await accessibilityFaults(page)), ...(await layoutFaults(what)));
  }
  await keepPicture(what, `screenshots/${name}.png`);
  return faults;
}

async function type(page: Page, command: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: /^Message/ });
  await composer.fill(command);
  await composer.press('Enter');
}

it('makes a rule, lists it and reminds, readable and pressable at every width', { timeout: 90_000 }, async () => {
  const clock = createTestClock();
  await using team = await startBotTeam({ now: clock.now });
  await eventually(async () => (await team.bot.readiness()).every(({ ready }) => ready));
  team.slack.as('ana').setUserGroup('payments-on-call', ['ana', 'ben']);
  await using page = await openSlackPage(browser, team.slack.url, { viewport: WIDE, timezoneId: 'UTC' });
  const dialog = page.getByRole('dialog');

  await type(page, '/incidents subscribe');
  await dialog.getByRole('combobox', { name: 'Services' }).fill('payments, cart-*');
  await dialog.getByRole('option', { name: /^payments, cart-\*/ }).click();
  const form = await faultsOf(page, dialog, 'rule-form');
  await dialog.getByLabel('If nobody acknowledges, mention').selectOption('@payments-on-call');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByText('In the last 7 days this would have posted').waitFor();
  const check = await faultsOf(page, dialog, 'rule-check');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await timeline(page).getByText('Saved: all incidents of').waitFor();

  await type(page, '/incidents rules');
  const list = timeline(page).getByRole('article').filter({ hasText: '2 rules here' });
  const rules = await faultsOf(page, list, 'rules');

  team.service.openIncident({ service: 'payments', openedAt: clock.now() });
  const card = await team.card(/payments/);
  await leap(team, clock, 16 * 60_000);
  await eventually(() => team.replies(card).length > 0);

  expect({ form, check, rules }).toEqual({ form: [], check: [], rules: [] });
  expect(team.replies(card)).toEqual([expect.stringMatching(/Nobody has acknowledged this for 16 min/)]);
});
