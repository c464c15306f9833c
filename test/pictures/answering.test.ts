import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { failPayments, SCENE_MS } from '../support/dashboard-scene.ts';
import { keepPicture } from '../support/pictures.ts';
import { openSlackPage, timeline } from '../support/slack-page.ts';

const GAP = 16;
const HEIGHT = 600;
const SLACK = { width: 560, height: HEIGHT };
const DASHBOARD = { width: 880, height: HEIGHT };

let browser: Browser;
let dashboard: DashboardInBrowser;
let number: number;
beforeAll(async () => {
  browser = await launchBrowser();
  dashboard = await startDashboard({ aheadMs: -SCENE_MS });
  number = await failPayments(dashboard.tocsin);
});
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
  await browser.close();
});

/** Its clock is that of the service, which may be a minute behind. */
const startTeam = () =>
  startBotTeam({
    clock: dashboard.tocsin.clock,
    service: { baseUrl: `${dashboard.url}/v1`, apiKey: dashboard.tocsin.readWriteKey },
    publicUrl: dashboard.url,
  });

/** A page with two others side by side. */
async function besideEachOther(left: Page, right: Page): Promise<Page> {
  const images = await Promise.all(
    [left, right].map(async (page) => {
      const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      return `<img alt="" src="data:image/png;base64,${picture.toString('base64')}">`;
    }),
  );
  const viewport = { width: SLACK.width + DASHBOARD.width + 3 * GAP, height: HEIGHT + 2 * GAP };
  const page = await browser.newPage({ viewport });
  const style = `body { margin: ${GAP}px; display: flex; gap: ${GAP}px; background: #d8dce2 }`;
  await page.setContent(`<style>${style}</style>${images.join('')}`);
  return page;
}

it('draws an incident in Slack beside its page in the dashboard', async () => {
  await using team = await startTeam();
  await using slack = await openSlackPage(browser, team.slack.url, { viewport: SLACK, timezoneId: 'UTC' });
  await slack.clock.setFixedTime(dashboard.tocsin.now());
  await slack.reload();
  const card = timeline(slack)
    .getByRole('article')
    .filter({ hasText: `#${number} ` });
  await card.getByRole('button', { name: 'Acknowledge' }).waitFor();
  // The first card is made of the list alone; the single incident is read after it.
  for (const words of [/\d+ of \d+ requests failed/, /payments 1\.4\.2.* deployed/]) {
    await card.getByText(words).first().waitFor();
  }
  await using incident = await dashboard.open(`/incidents/${number}`, {
    ...DASHBOARD,
    colorScheme: 'light',
    name: 'Ana',
  });

  await keepPicture(await besideEachOther(slack, incident.page), 'hero.png');
});

it('draws the signals of an incident and the health of the bot', async () => {
  await using team = await startTeam();
  const viewport = { width: 980, height: 1_200 };
  await using page = await openSlackPage(browser, team.slack.url, { viewport, timezoneId: 'UTC' });
  const dialog = page.getByRole('dialog');
  await timeline(page)
    .getByRole('button', { name: /choices/ })
    .click();
  await page.getByRole('menuitem', { name: 'Signals' }).click();
  await dialog.getByRole('combobox', { name: 'Service' }).selectOption({ label: 'checkout' });
  await dialog.getByText('2 signals', { exact: true }).waitFor();
  await keepPicture(dialog, 'screenshots/signals.png');
  await page.keyboard.press('Escape');

  await team.slack.as('ana').command('incidents', '/incidents health');
  const health = timeline(page).getByRole('article').filter({ hasText: 'Status' });
  await health.getByText('Waiting').waitFor();
  await keepPicture(health, 'screenshots/health.png');
});
