import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from '../../../../test/support/axe.ts';
import { client, connect, type Fixture } from '../fixture.ts';
import { composer, createPageOpener, hasFocus, sidebar, startAppWithHome, timeline } from './page-fixture.ts';

const openPage = createPageOpener();

const postTo = (fixture: Fixture, channel: string): Promise<unknown> =>
  client(fixture.slack)
    .chat.postMessage({ channel, text: 'hi' })
    .catch((error: Error) => error);

async function setFault(page: Page, name: string): Promise<void> {
  await page.getByLabel('What goes wrong').selectOption({ label: name });
  await page.getByRole('button', { name: 'Break it' }).click();
}

describe('the inspector', () => {
  it('lists each call and delivery at once, with verdict, payload and response', async () => {
    await using fixture = await startAppWithHome();
    await using _connection = await connect(fixture.slack, () => ({ text: 'hello back' }));
    await using page = await openPage(fixture);
    await sidebar(page).getByRole('button', { name: 'Inspector' }).click();
    const entries = page.getByRole('list', { name: 'Calls and deliveries, newest first' }).getByRole('listitem');

    await postTo(fixture, 'C0PLAYGRND');
    await entries.filter({ hasText: /chat\.postMessage\s*ok/ }).waitFor();
    await postTo(fixture, 'C0NOWHERE');
    await entries.filter({ hasText: /channel_not_found/ }).waitFor();
    await composer(page).fill('/hello Ana');
    await composer(page).press('Enter');
    const delivery = entries.filter({ hasText: '/hello' });
    await delivery.getByText('/hello').click();

    await delivery.getByRole('region', { name: 'Payload' }).getByText('"text": "Ana"').waitFor();
    expect(await delivery.getByRole('region', { name: 'Acknowledgement' }).textContent()).toContain('hello back');
    await page.getByLabel('Only failures').check();
    expect(await delivery.isVisible()).toBe(false);
    expect(await entries.filter({ hasText: 'channel_not_found' }).isVisible()).toBe(true);
  });

  it('closes with Escape and returns the focus', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const opener = sidebar(page).getByRole('button', { name: 'Inspector' });
    await opener.press('Enter');

    await page.getByLabel('Only failures').press('Escape');

    await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'hidden' });
    expect(await hasFocus(opener)).toBe(true);
  });
});

describe('faults', () => {
  it('are set by a form, listed while active, and ended', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    await sidebar(page).getByRole('button', { name: 'Faults' }).click();
    const active = page.getByRole('list', { name: 'Broken now' });

    await setFault(page, 'An error');
    await active.getByText('internal_error: every method, until').waitFor();
    const broken = await postTo(fixture, 'C0PLAYGRND');
    await page.getByRole('button', { name: 'End all' }).click();
    await active.getByText('Nothing').waitFor();
    const whole = await postTo(fixture, 'C0PLAYGRND');

    expect(broken).toMatchObject({ data: { error: 'internal_error' } });
    expect(whole).toMatchObject({ ok: true });
  });

  it('archive and restore the open channel', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    await sidebar(page).getByRole('button', { name: 'Faults' }).click();

    await setFault(page, 'Channel archived');
    await page.getByText('#playground is archived').waitFor();
    const refused = await postTo(fixture, 'C0PLAYGRND');
    await setFault(page, 'Channel restored');
    await composer(page).waitFor();

    expect(refused).toMatchObject({ data: { error: 'is_archived' } });
  });

  it('delete a message, end after a number of calls, and happen at random', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    await postTo(fixture, 'C0PLAYGRND');
    await timeline(page).getByRole('article').waitFor();
    await sidebar(page).getByRole('button', { name: 'Faults' }).click();
    const active = page.getByRole('list', { name: 'Broken now' });

    await setFault(page, 'Message deleted');
    await timeline(page).getByRole('article').waitFor({ state: 'detached' });
    await page.getByLabel('What goes wrong').selectOption('Done, but answered 502');
    await page.getByLabel('Calls, instead of seconds').fill('2');
    await page.getByRole('button', { name: 'Break it' }).click();
    await active.getByText('Done, but answered 502: every method, 2 more').waitFor();
    await page.getByLabel('What goes wrong').selectOption('Random faults');
    await page.getByLabel('latency').uncheck();
    await page.getByRole('button', { name: 'Break it' }).click();
    await active.getByText('Random faults, seed monday: 10 %').waitFor();
    await setFault(page, 'Socket Mode switched off');
    await active.getByText('Socket Mode is off').waitFor();

    expect(fixture.slack.messages('playground')).toEqual([]);
    expect(fixture.slack.faults.pending().at(-1)).toMatchObject({
      kind: 'plan',
      seed: 'monday',
      rate: 0.1,
      kinds: ['rate_limited', 'stored-then-502', 'error', 'dropped-ack', 'duplicate-event'],
    });
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
