import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityFaults } from '../support/axe.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { layoutFaults } from '../support/layout.ts';
import { setOnCallScene } from '../support/on-call-scene.ts';

let dashboard: DashboardInBrowser;
let paths: { readonly schedule: string; readonly policies: string; readonly dryRun: string };
beforeAll(async () => {
  dashboard = await startDashboard({ namesOwnAddress: true });
  const { schedule, policy } = await setOnCallScene(dashboard.tocsin);
  const policies = '/settings/policies';
  paths = { schedule: `/on-call/${schedule}`, policies, dryRun: `${policies}?dry-run=${policy}` };
});
afterAll(() => dashboard[Symbol.asyncDispose]());

it.each(['schedule', 'dryRun'] as const)('holds the page of %s together on a screen and on a phone', async (name) => {
  await using opened = await dashboard.open(paths[name], { name: 'Ana' });

  for (const width of [1_280, 390]) {
    await opened.page.setViewportSize({ width, height: 900 });
    expect([width, ...(await layoutFaults(opened.page.locator('main')))]).toEqual([width]);
    expect([width, ...(await accessibilityFaults(opened.page))]).toEqual([width]);
  }
  expect(opened.complaints).toEqual([]);
});

it('makes an address for a calendar program by mouse, shows it once, and revokes it by keyboard', async () => {
  await using opened = await dashboard.open(paths.schedule, { name: 'Ana' });
  const { page } = opened;

  await page.getByRole('button', { name: 'Make an address' }).click();
  const address = (await page.locator('#new-feed').textContent())?.trim() ?? '';
  const read = await fetch(address);
  const revoke = page.getByRole('button', { name: /^Revoke the address/ });
  await revoke.focus();
  await page.keyboard.press('Enter');
  await revoke.waitFor({ state: 'detached' });

  expect(read.status).toBe(200);
  expect(await read.text()).toContain('BEGIN:VEVENT');
  expect((await fetch(address)).status).toBe(404);
  expect(await page.locator('#new-feed').count()).toBe(0);
});

it('reads a calendar whose address is typed by keyboard, and stops by mouse', async () => {
  await using opened = await dashboard.open(paths.schedule, { name: 'Ana', width: 390 });
  const { page } = opened;

  await page.getByLabel('Address (a secret)').focus();
  await page.keyboard.type('https://127.0.0.1:1/private.ics');
  await page.keyboard.press('Enter');
  await page.getByText('From https://127.0.0.1:1/...').waitFor();
  const reload = await page.getByRole('button', { name: 'Reload' }).isVisible();
  await page.getByRole('button', { name: 'Stop reading it' }).click();
  await page.getByText('whoever attends an event of an iCal calendar').waitFor();

  expect(reload).toBe(true);
});

it('chooses a user group by keyboard, says what is wrong with it, and lets it go by mouse', async () => {
  await using opened = await dashboard.open(paths.schedule, { name: 'Ana', width: 390 });
  const { page } = opened;
  const field = page.getByLabel('Group ID');

  await field.focus();
  await page.keyboard.type('@payments');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('begins with S').waitFor();
  const faults = [...(await layoutFaults(page.locator('main'))), ...(await accessibilityFaults(page))];
  await field.fill('S012AB3CD');
  await field.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown'); // the other direction
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('its members are the people of the lowest layer.').waitFor();
  await page.getByRole('button', { name: 'Go with no group' }).click();
  await page.getByText('goes with no user group').waitFor();

  expect(faults).toEqual([]);
});

it('tries a policy before it is made, and one that is there, by keyboard', async () => {
  await using opened = await dashboard.open(paths.policies, { name: 'Ana' });
  const { page } = opened;
  const status = page.getByRole('region', { name: 'Dry run' }).getByRole('status');

  await page.getByRole('link', { name: 'Dry run of Nights' }).focus();
  await page.keyboard.press('Enter');
  await status.getByText('Nights would have woken').waitFor();
  await page.getByLabel('Name').fill('Days');
  await page.locator('select[name=whom1]').selectOption({ label: 'Ana' });
  const button = page.getByRole('button', { name: 'Dry run', exact: true });
  await button.focus();
  await page.keyboard.press('Enter');

  await status.getByText('Days would have woken').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Days');
});
