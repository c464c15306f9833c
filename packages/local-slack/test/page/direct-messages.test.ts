import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from '../../../../test/support/axe.ts';
import { connect } from '../fixture.ts';
import { createPageOpener, hasFocus, sidebar, startAppWithHome } from './page-fixture.ts';

const openPage = createPageOpener();

const box = (page: Page, name: string): Locator => page.getByRole('textbox', { name: `Message ${name}` });

async function write(page: Page, ...to: string[]): Promise<void> {
  await sidebar(page).getByRole('button', { name: 'New direct message' }).click();
  const dialog = page.getByRole('dialog', { name: 'New direct message' });
  for (const name of to) {
    await dialog.getByRole('checkbox', { name }).check();
  }
  await dialog.getByRole('button', { name: 'Open' }).click();
}

describe('people on the page', () => {
  it('write to each other and see what is unread', async () => {
    await using fixture = await startAppWithHome();
    await using ana = await openPage(fixture);
    await using ben = await openPage(fixture, '?as=ben');

    await write(ana, 'Ben Okafor');
    await box(ana, 'Ben Okafor').fill('lunch?');
    await box(ana, 'Ben Okafor').press('Enter');
    await ana.getByRole('log', { name: 'Ben Okafor' }).getByText('lunch?').waitFor();
    const place = sidebar(ben).getByRole('list', { name: 'Direct messages' }).getByRole('button');
    await sidebar(ben).getByRole('button', { name: 'Ana Duarte 1 mention' }).click();
    await ben.getByRole('log', { name: 'Ana Duarte' }).getByText('lunch?').waitFor();

    expect(await place.textContent()).toBe('@Ana Duarte');
    await ana.reload();
    await box(ana, 'Ben Okafor').waitFor();
  });

  it('write to several people, with or without the app, and return to the same conversation', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);

    await write(page, 'Ben Okafor', 'Hello');
    await box(page, 'Ben Okafor, Hello').waitFor();
    await write(page, 'Ben Okafor', 'Chloé Martin');
    await box(page, 'Ben Okafor, Chloé Martin').waitFor();
    await write(page, 'Ben Okafor', 'Hello');
    await box(page, 'Ben Okafor, Hello').waitFor();

    const places = sidebar(page).getByRole('list', { name: 'Direct messages' }).getByRole('button');
    expect(await places.allTextContents()).toEqual(['@Ben Okafor, Hello', '@Ben Okafor, Chloé Martin']);
  });

  it('are asked again when they choose nobody, and can cancel', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);

    await write(page);
    await page.getByText('Choose somebody to write to.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');

    expect(await hasFocus(sidebar(page).getByRole('button', { name: 'New direct message' }))).toBe(true);
    expect(await sidebar(page).getByRole('list', { name: 'Direct messages' }).getByRole('listitem').count()).toBe(0);
  });

  it('run commands there, with the fields that Slack sends', async () => {
    await using fixture = await startAppWithHome();
    await using app = await connect(fixture.slack);
    await using page = await openPage(fixture);

    await write(page, 'Ben Okafor');
    await box(page, 'Ben Okafor').fill('/hello there');
    await box(page, 'Ben Okafor').press('Enter');

    const { payload } = await app.hears(({ type }) => type === 'slash_commands');
    expect(payload).toMatchObject({
      channel_id: expect.stringMatching(/^D/),
      channel_name: 'directmessage',
      command: '/hello',
      text: 'there',
    });
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
