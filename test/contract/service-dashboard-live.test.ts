import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { HANG_MS } from '../support/hang.ts';

const cleanup = new AsyncDisposableStack();
let dashboard: DashboardInBrowser;

beforeAll(async () => {
  dashboard = cleanup.use(await startDashboard());
});
afterAll(() => cleanup.disposeAsync());

async function untilLive(page: Page): Promise<void> {
  await page.locator('#live-status', { hasText: 'Live' }).waitFor();
}

async function openIncident(service: string): Promise<number> {
  await dashboard.tocsin.failIn([service]);
  return (await dashboard.tocsin.openIncident()).number ?? 0;
}

it('changes a row in place, and offers new incidents without moving the list', async () => {
  const first = await openIncident('payments');
  await using opened = await dashboard.open('/incidents');
  const { page, complaints } = opened;
  await untilLive(page);
  const row = page.locator(`#incident-${first}`);
  const link = row.getByRole('link');
  await link.focus();
  const before = await row.boundingBox();

  await dashboard.tocsin.call('POST', `/incidents/${first}/acknowledge`, { body: { user: 'ana' } });
  await row.locator('.state-acknowledged', { hasText: 'ana' }).waitFor();
  const second = await openIncident('search');
  const offer = page.getByRole('link', { name: '1 new incident' });
  await offer.waitFor();

  expect(await link.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  expect(await row.boundingBox()).toEqual(before);
  expect(await page.locator(`#incident-${second}`).count()).toBe(0);
  await offer.click();
  await page.locator(`#incident-${second}`).waitFor();
  expect(await page.getByRole('link', { name: 'new incident' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('plays a sound for a new incident only where it was chosen, and remembers that', async () => {
  await openIncident('quiet');
  await using opened = await dashboard.open('/incidents');
  const { page, complaints } = opened;
  const listen = async () => {
    await untilLive(page);
    await page.evaluate(
      "document.addEventListener('tocsin:sound', () => { globalThis.heard = (globalThis.heard ?? 0) + 1; })",
    );
  };
  const heard = async () => (await page.evaluate('globalThis.heard ?? 0')) as number;
  await listen();

  await openIncident('silent');
  await page.getByRole('link', { name: '1 new incident' }).waitFor();
  const without = await heard();
  await page.keyboard.press('?');
  await page.getByLabel('Play a sound for new incidents in an open list').check();
  await page.reload();
  await listen();
  await page.keyboard.press('j'); // browsers play nothing on a page that nobody has touched
  const number = await openIncident('loud');
  await page.getByRole('link', { name: '1 new incident' }).waitFor();
  await dashboard.tocsin.call('POST', `/incidents/${number}/acknowledge`, { body: { user: 'ana' } });
  await openIncident('louder');
  await page.getByRole('link', { name: '2 new incidents' }).waitFor();

  expect([without, await heard()]).toEqual([0, 2]);
  expect(complaints).toEqual([]);
});

it('shows two people what the other one does', async () => {
  const number = await openIncident('orders');
  await using one = await dashboard.open(`/incidents/${number}`, { name: 'Ana' });
  await using other = await dashboard.open(`/incidents/${number}`, { name: 'Ben' });
  await untilLive(one.page);
  await untilLive(other.page);
  await other.page.keyboard.press('n');
  await other.page.getByLabel('Note, for everybody').fill('half a sentence');

  await one.page.keyboard.press('a');
  await one.page.keyboard.press('Enter');
  const acknowledged = (page: Page) => page.locator('.incident-head').getByText('Open, acknowledged by Ana').waitFor();
  await Promise.all([acknowledged(one.page), acknowledged(other.page)]);
  await one.page.keyboard.press('r');
  await one.page.getByLabel('What fixed it?').fill('rolled back 1.2.3\nand restarted, see https://ci.test/7?a=1&b=2.');
  await one.page.getByRole('button', { name: 'Resolve the incident' }).press('Enter');
  await one.page.getByRole('alert').getByText('it is still failing').waitFor();
  await one.page.getByLabel('It is still failing. Resolve it all the same').check();
  await one.page.getByLabel('What fixed it?').press('Control+Enter');
  await other.page.locator('.incident-head').getByText('Closed by Ana').waitFor();
  await other.page.locator('.incident-head').getByText('Was still failing').waitFor();

  const link = other.page
    .locator('.incident-head')
    .getByRole('link', { name: 'https://ci.test/7?a=1&b=2', exact: true });
  expect(await link.getAttribute('href')).toBe('https://ci.test/7?a=1&b=2');
  expect(await other.page.getByLabel('Note, for everybody').inputValue()).toBe('half a sentence');
  expect(await other.page.getByRole('button', { name: 'Acknowledge', exact: true }).count()).toBe(0);
  expect(await other.page.locator('summary', { hasText: 'Resolve' }).isVisible()).toBe(false);
  await other.page.getByLabel('Note, for everybody').press('End');
  await other.page.getByRole('button', { name: 'Add the note' }).click();
  await one.page.locator('#incident-timeline').getByText('half a sentence').waitFor();
  expect([...one.complaints, ...other.complaints].filter((text) => !/409/.test(text))).toEqual([]);
});

it('keeps what was typed when somebody else was faster', async () => {
  const number = await openIncident('stock');
  await using opened = await dashboard.open(`/incidents/${number}`, { name: 'Ben' });
  const { page } = opened;
  await untilLive(page);
  await page.keyboard.press('r');
  await page.getByLabel('What fixed it?').fill('my own explanation');

  await dashboard.tocsin.call('POST', `/incidents/${number}/resolve`, { body: { resolution_note: 'x', user: 'ana' } });
  await page.locator('.incident-head').getByText('Closed by ana').waitFor();
  await page.getByRole('button', { name: 'Resolve the incident' }).click();

  await page.getByRole('alert').getByText('somebody has closed the incident').waitFor();
  expect(await page.getByLabel('What fixed it?').inputValue()).toBe('my own explanation');
});

it('is moved through and explained by keys, which can be turned off', async () => {
  await openIncident('cart');
  await openIncident('web');
  await using opened = await dashboard.open('/incidents?status=all');
  const { page } = opened;
  const focused = () => page.evaluate('document.activeElement.textContent') as Promise<string>;

  await page.keyboard.press('j');
  const first = await focused();
  await page.keyboard.press('j');
  const second = await focused();
  await page.keyboard.press('k');
  expect([first === second, await focused()]).toEqual([false, first]);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.getByLabel('Use single-key shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  expect(await focused()).toBe(first);
  await page.keyboard.press('Enter');
  await page.waitForURL(/incidents\/\d+$/);
});

it('is read and acted on without JavaScript', async () => {
  const number = await openIncident('mail');
  await using opened = await dashboard.open('/incidents', { javaScriptEnabled: false, name: 'Ana' });
  const { page } = opened;

  await page.getByLabel('Service').fill('mail');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('link', { name: `#${number}` }).click();
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await page.getByText('Open, acknowledged by Ana').first().waitFor();
  await page.locator('summary', { hasText: 'More' }).click();
  await page.locator('summary', { hasText: 'Snooze' }).click();
  await page.getByLabel('Why').fill('deploy runs');
  await page.getByRole('button', { name: 'Snooze', exact: true }).click();
  await page.getByText('Snoozed by Ana (by key test) until').waitFor();
  await page.getByRole('button', { name: 'End the snooze' }).click();
  await page.getByRole('button', { name: 'Take back the acknowledgement' }).click();
  await page.getByText('Open, not acknowledged').waitFor();
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByRole('link', { name: 'Text view' }).click();

  expect(await page.textContent('body')).toMatch(/^# #\d+ mail: GET \/ fails \(connection refused\)/);
  expect(await page.textContent('body')).toContain('Acknowledgement taken back by Ana');
});

it('merges an incident into another and splits it off again', async () => {
  const [first, second] = [await openIncident('ads'), await openIncident('video')];
  await using opened = await dashboard.open(`/incidents/${second}`, { name: 'Ana' });
  const { page } = opened;

  await page.locator('summary', { hasText: 'More' }).click();
  await page.locator('summary', { hasText: 'Merge' }).click();
  await page.getByLabel('Number of the incident').fill('999999');
  await page.getByRole('button', { name: 'Merge into it' }).click();
  await page.getByRole('alert').getByText('Give the number of another open incident').waitFor();
  await page.getByLabel('Number of the incident').fill(`#${first}`);
  await page.getByRole('button', { name: 'Merge into it' }).click();
  await page.getByRole('link', { name: `#${first}: ads` }).waitFor();
  await page.getByRole('button', { name: 'Split off again' }).click();

  await page.locator('.incident-head').getByText('Open, not acknowledged').waitFor();
  expect(await page.locator('#incident-timeline').getByText('Merged by Ana').count()).toBe(1);
  expect(await page.locator('#incident-timeline').getByText('Split by Ana').count()).toBe(1);
});

it('asks only what an integration needs, and turns green beside the key when the first signal arrives', async () => {
  const { tocsin } = dashboard;
  await using opened = await dashboard.open('/settings/integrations');
  const { page } = opened;
  await page.getByLabel('Type').selectOption('webhook');
  expect(await page.getByLabel('Address').isVisible()).toBe(true);
  await page.getByLabel('Type').selectOption('generic');
  expect(await page.getByLabel('Address').isVisible()).toBe(false);
  await page.getByLabel('Name').fill('first');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Waiting for the first signal.').waitFor();
  const key = await page.locator('#secret').innerText();
  await using other = await dashboard.open('/settings/integrations');
  await other.page.getByRole('link', { name: 'first' }).click();
  await other.page.locator('#integration-facts').getByText('waiting for the first signal').waitFor();

  await tocsin.call('POST', '/generic', { key, body: { service: 'first', summary: 'it failed' } });

  await page.getByText('something arrived').waitFor({ timeout: HANG_MS });
  expect(await page.locator('#secret').innerText()).toBe(key);
  await other.page.locator('#integration-facts').getByText('works').waitFor({ timeout: HANG_MS });
  expect(await other.page.locator('#integration-facts').innerText()).not.toContain('never');
  expect([...opened.complaints, ...other.complaints]).toEqual([]);
});

it('becomes live even if its first connection fails', async () => {
  const number = await openIncident('late');
  await using opened = await dashboard.open('/signals');
  const { page } = opened;
  await page.route('**/dashboard/live/**', (route) => route.abort(), { times: 1 });
  let tries = 0;
  page.on('request', (request) => {
    tries += request.url().includes('/live/') ? 1 : 0;
  });

  await page.goto(`${dashboard.url}/dashboard/incidents/${number}`);
  await untilLive(page);
  await dashboard.tocsin.call('POST', `/incidents/${number}/acknowledge`, { body: { user: 'ana' } });
  await page.locator('.incident-head').getByText('Open, acknowledged by ana').waitFor();

  expect(tries).toBe(2);
});
