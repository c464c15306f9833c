import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityFaults } from '../support/axe.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { startSimulatedFailure } from '../support/dashboard-scene.ts';
import { layoutFaults } from '../support/layout.ts';

/** A4 less Chromium's margins, at 96 pixels an inch. */
const PAPER_WIDTH = 718;

const cleanup = new AsyncDisposableStack();
let dashboard: DashboardInBrowser;
let incident = '';

beforeAll(async () => {
  dashboard = cleanup.use(await startDashboard());
  incident = `/incidents/${await startSimulatedFailure(dashboard.tocsin)}`;
});
afterAll(() => cleanup.disposeAsync());

it.each(['list', 'incident'])('prints the %s whole, without controls, dark on white', async (which) => {
  await using opened = await dashboard.open(which === 'list' ? '/incidents' : incident, {
    width: PAPER_WIDTH,
    colorScheme: 'dark',
  });
  const { page } = opened;
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });

  const controls = page.locator('nav:visible, button:visible, input:visible, textarea:visible, summary:visible');
  const paper = await page.locator('body').evaluate((body) => {
    const { backgroundColor, color } = body.ownerDocument.defaultView?.getComputedStyle(body) ?? {};
    return { backgroundColor, color };
  });
  const pdf = await page.pdf({ format: 'A4' });

  expect(await controls.allTextContents()).toEqual([]);
  expect(await page.locator('h1').isVisible()).toBe(true);
  expect(paper).toEqual({
    backgroundColor: 'rgb(255, 255, 255)',
    color: expect.stringMatching(/^rgb\(([0-4]?\d, ?){2}/),
  });
  expect(await layoutFaults(page.locator('main'))).toEqual([]);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
});
