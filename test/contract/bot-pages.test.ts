import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityFaults } from '../support/axe.ts';
import { startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { FULL_CARD, fullIncident } from '../support/full-incident.ts';
import { layoutFaults, linesAboveButtons } from '../support/layout.ts';
import { openSlackPage, timeline } from '../support/slack-page.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

/** Lines above the buttons, by the width of the page: nothing is cut. */
const MOST_LINES: Readonly<Record<number, number>> = { 1280: 6, 390: 12 };

it.each([1280, 390])(
  'shows the card that has everything, with its controls in one line, at %i pixels',
  async (width) => {
    const now = Date.now();
    await using team = await startBotTeam({
      traceUrl: 'https://traces.example.com/{trace_id}',
      before: ({ service }) => service.showMore(() => ({ severity: 'critical', ...fullIncident(now) })),
    });
    team.service.openIncident({ service: 'bank', openedAt: new Date(now - 6 * 60_000) });
    await team.card(/#6 [\s\S]*never logged before/);
    await using page = await openSlackPage(browser, team.slack.url, { viewport: { width, height: 900 } });
    const card = timeline(page).getByRole('article').filter({ hasText: FULL_CARD }).last();
    await card.waitFor();

    expect([...(await accessibilityFaults(page)), ...(await layoutFaults(card))]).toEqual([]);
    expect(await linesAboveButtons(card)).toBeLessThanOrEqual(MOST_LINES[width] ?? 0);
    const controls = await card.locator('.block').getByRole('button').all();
    const tops = await Promise.all(controls.map(async (control) => (await control.boundingBox())?.y));
    expect(controls).toHaveLength(3);
    expect(new Set(tops).size).toBe(1);
  },
);
