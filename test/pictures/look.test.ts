import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { type BotTeam, startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { failPayments, SCENE_MS } from '../support/dashboard-scene.ts';
import { keepPicture } from '../support/pictures.ts';
import { openSlackPage, timeline } from '../support/slack-page.ts';

/** Pictures of one thing at both widths and in both schemes, for the decision about the look. */

const WIDTHS = [390, 1_280] as const;
const SCHEMES = ['light', 'dark'] as const;
const GAP = 12;
/** A sheet has ten pictures. */
const SHEET_BYTES = 400_000;
/** Slack shows links of the domains in the manifest alone, which no port can be. */
const PUBLIC_URL = 'https://tocsin.example.com';

let browser: Browser;
let dashboard: DashboardInBrowser;
beforeAll(async () => {
  browser = await launchBrowser();
  dashboard = await startDashboard({ aheadMs: -SCENE_MS });
});
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
  await browser.close();
});

/** Many pictures as one: a column for each list, scaled to this width. */
async function keepSheet(columns: readonly (readonly Buffer[])[], width: number, path: string): Promise<void> {
  const images = (pictures: readonly Buffer[]) =>
    pictures.map((each) => `<img alt="" src="data:image/png;base64,${each.toString('base64')}">`).join('');
  const style = `body { margin: 0 }
    main { display: flex; gap: ${GAP}px; padding: ${GAP}px; align-items: start; background: #d8dce2 }
    div { display: grid; gap: ${GAP}px; width: ${width}px } img { width: 100% }`;
  const viewport = { width: columns.length * (width + GAP) + GAP, height: 200 };
  const page = await browser.newPage({ viewport });
  const sheet = columns.map((each) => `<div>${images(each)}</div>`).join('');
  await page.setContent(`<!doctype html><style>${style}</style><main>${sheet}</main>`);
  await keepPicture(page.getByRole('main'), path, SHEET_BYTES);
  await page.close();
}

async function pictureOf(page: Page, what: Locator): Promise<Buffer> {
  await what.waitFor();
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur()');
  return what.screenshot({ animations: 'disabled', caret: 'hide' });
}

/** 60 hosts whose disks are full. */
async function fillDisks(): Promise<BotTeam> {
  const team = await startBotTeam({
    hasAdditions: true,
    before: ({ service }) =>
      service.showMore(({ id, rootService }) => ({
        number: Number(/\d+$/.exec(id)?.[0]),
        title: `${rootService}: Disk full: less than 3 % left`,
        severity: 'critical',
      })),
  });
  for (let index = 0; index < 60; index += 1) {
    team.service.openIncident({ service: `disk-${index}`, openedAt: new Date(Date.now() - 60_000 + index * 100) });
  }
  await team.slack.waitFor(() => team.slack.messages('incidents').find(({ text }) => /Storm: 60 incidents/.test(text)));
  return team;
}

it('draws card, row, storm, link and Home', async () => {
  await failPayments(dashboard.tocsin);
  await using team = await startBotTeam({
    clock: dashboard.tocsin.clock,
    service: { baseUrl: `${dashboard.url}/v1`, apiKey: dashboard.tocsin.readWriteKey },
    publicUrl: PUBLIC_URL,
  });
  await using storms = await fillDisks();
  await team.card(/payments[\s\S]*1\.4\.2.* deployed/);
  await team.slack.as('ana').message('incidents', `look at ${PUBLIC_URL}/dashboard/incidents/2`);
  await team.slack.as('ana').command('incidents', '/incidents open');
  for (const width of WIDTHS) {
    const columns: Buffer[][] = [];
    for (const colorScheme of SCHEMES) {
      const viewport = { width, height: 1_000 };
      await using page = await openSlackPage(browser, team.slack.url, { viewport, timezoneId: 'UTC', colorScheme });
      await page.clock.setFixedTime(dashboard.tocsin.now());
      const card = timeline(page)
        .getByRole('article')
        .filter({ hasText: /also affects/i });
      const list = timeline(page)
        .getByRole('article')
        .filter({ hasText: /1 open incident/ });
      const pictures = [await pictureOf(page, card.last()), await pictureOf(page, list.last())];
      await using other = await openSlackPage(browser, storms.slack.url, { viewport, timezoneId: 'UTC', colorScheme });
      pictures.push(
        await pictureOf(
          other,
          timeline(other)
            .getByRole('article')
            .filter({ hasText: /Storm: 60/ })
            .last(),
        ),
      );
      const link = timeline(page)
        .getByRole('article')
        .filter({ hasText: /look at[\s\S]*not acknowledged/i });
      pictures.push(await pictureOf(page, link.last()));
      await page.goto(`${team.slack.url}?as=ana&channel=app&tab=home`);
      await page.getByText('How to begin').waitFor();
      pictures.push(await pictureOf(page, page.getByRole('tabpanel')));
      columns.push(pictures);
    }
    await keepSheet(columns, width === 390 ? 275 : 460, `decisions/look/slack-${width}.png`);
  }
});

it('draws the page of an incident', async () => {
  for (const width of WIDTHS) {
    const columns: Buffer[][] = [];
    for (const colorScheme of SCHEMES) {
      await using opened = await dashboard.open('/incidents/2', { width, height: 844, colorScheme, name: 'Ana' });
      columns.push([await opened.page.screenshot({ animations: 'disabled', caret: 'hide' })]);
    }
    await keepSheet(columns, width === 390 ? 320 : 560, `decisions/look/page-${width}.png`);
  }
});
