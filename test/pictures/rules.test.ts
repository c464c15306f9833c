import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { eventually, leap, nothingToReport, startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { keepPicture } from '../support/pictures.ts';
import { openSlackPage, timeline } from '../support/slack-page.ts';
import { createTestClock } from '../support/test-clock.ts';

const WIDE = { width: 1_280, height: 1_100 };

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

/** Draws a picture below docs/screenshots. */
async function draw(page: Page, what: Locator, picture: string, viewport = WIDE): Promise<void> {
  await page.setViewportSize(viewport);
  await what.waitFor();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur()');
  await keepPicture(what, `screenshots/${picture}.png`);
}

async function type(page: Page, command: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: /^Message/ });
  await composer.fill(command);
  await composer.press('Enter');
}

it('draws the check of a rule, the list of rules and a reminder', async () => {
  const clock = createTestClock();
  await using team = await startBotTeam({
    clock,
    hasAdditions: true,
    before: ({ service }) =>
      service.showMore(({ id, rootService, acknowledgedBy }) => ({
        number: Number(/\d+$/.exec(id)?.[0]),
        title: `${rootService}: POST /${rootService} fails (timeout)`,
        severity: 'error',
        acknowledged: acknowledgedBy !== null,
      })),
  });
  await nothingToReport(team);
  team.slack.as('ana').setUserGroup('payments-on-call', ['ana', 'ben']);
  await using page = await openSlackPage(browser, team.slack.url, { viewport: WIDE, timezoneId: 'UTC' });
  const dialog = page.getByRole('dialog');

  for (const service of ['search', 'payments', 'ads']) {
    team.service.openIncident({ service, openedAt: clock.now() });
    await team.card(new RegExp(`${service}.*\\nNot acknowledged`));
  }
  await team.slack.as('ben').command('incidents', '/incidents ack payments');
  await team.card(/payments.*\nAcknowledged by ben/);

  await type(page, '/incidents subscribe');
  await dialog.getByRole('combobox', { name: 'Services' }).fill('payments, cart-*');
  await dialog.locator('option[value^="payments, cart-*"]').waitFor({ state: 'attached' });
  await page.keyboard.press('Enter');
  await dialog.getByLabel('If nobody acknowledges, mention').selectOption('@payments-on-call');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByText('In the last 7 days this would have posted').waitFor();
  await draw(page, dialog, 'rule-check');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await timeline(page).getByText('Saved: all incidents of').waitFor();

  await type(page, '/incidents rules');
  const list = timeline(page).getByRole('article').filter({ hasText: '2 rules here' });
  await draw(page, list, 'rules');

  team.service.openIncident({ service: 'payments', openedAt: clock.now() });
  const card = await eventually(() => team.cards().find(({ text }) => /payments.*\nNot acknowledged/.test(text)));
  await leap(team, clock, 16 * 60_000);
  await eventually(() => team.replies(card).length > 0);
  await page.clock.setFixedTime(clock.now());
  await timeline(page)
    .getByRole('article')
    .filter({ hasText: /payments.*not acknowledged/i })
    .getByRole('button', { name: /1 reply/ })
    .click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByText('Nobody has acknowledged').waitFor();
  await draw(page, thread, 'reminder', { ...WIDE, height: 480 });
});
