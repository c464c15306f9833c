import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createPageOpener, sidebar, startAppWithHome } from './page-fixture.ts';

const openPage = createPageOpener();

const box = (page: Page, name: string): Locator => page.getByRole('textbox', { name: `Message ${name}` });

/** Answers the question of the page. */
async function write(page: Page, handles: string): Promise<void> {
  page.once('dialog', (dialog) => void dialog.accept(handles));
  await sidebar(page).getByRole('button', { name: 'New direct message' }).click();
}

describe('people on the page', () => {
  it('write to each other and see what is unread', async () => {
    await using fixture = await startAppWithHome();
    await using ana = await openPage(fixture);
    await using ben = await openPage(fixture, '?as=ben');

    await write(ana, 'ben');
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

    await write(page, 'ben hello');
    await box(page, 'Ben Okafor, Hello').waitFor();
    await write(page, '@ben, @chloe');
    await box(page, 'Ben Okafor, Chloé Martin').waitFor();
    await write(page, 'ben hello');
    await box(page, 'Ben Okafor, Hello').waitFor();

    const places = sidebar(page).getByRole('list', { name: 'Direct messages' }).getByRole('button');
    expect(await places.allTextContents()).toEqual(['@Ben Okafor, Hello', '@Ben Okafor, Chloé Martin']);
  });

  it('are told when somebody is not there', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);

    await write(page, 'zoe');

    await page.getByText('a direct message has 1 to 8 other people').waitFor();
    expect(await sidebar(page).getByRole('list', { name: 'Direct messages' }).getByRole('listitem').count()).toBe(0);
  });

  it('create user groups, which are mentioned by their handle', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);

    const created = page.waitForResponse(/user-group/);
    page.once('dialog', (dialog) => void dialog.accept('@on-call: ana ben'));
    await sidebar(page).getByRole('button', { name: 'User group' }).click();
    await created;

    const listed = () => fixture.slack.as('ana').setUserGroup('on-call', ['ana']);
    await fixture.slack.as('ben').message('playground', '@on-call it broke');
    await page.getByRole('log').locator('.mention', { hasText: '@on-call' }).waitFor();
    expect(listed()).toMatch(/^S/);
  });
});
