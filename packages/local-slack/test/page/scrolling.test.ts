import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { client, connect, type Fixture } from '../fixture.ts';
import { composer, createPageOpener, post, section, startAppWithHome, timeline } from './page-fixture.ts';

const openPage = createPageOpener();

/** More messages than fit in the window. */
async function postMany(fixture: Fixture): Promise<void> {
  for (let count = 1; count <= 25; count += 1) {
    await fixture.slack.as('ben').message('playground', `message ${count}`);
  }
}

async function scrollUp(page: Page): Promise<void> {
  await timeline(page).evaluate((log) => log.scrollTo(0, -log.scrollHeight));
  await expect.poll(() => isInView(timeline(page).getByText('message 1', { exact: true }))).toBe(true);
}

/** Whether the element is inside the visible part of the list of messages. */
function isInView(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    const view = element.closest('[role=log]')?.getBoundingClientRect();
    return view !== undefined && top >= view.top - 1 && bottom <= view.bottom + 1;
  });
}

describe('a new message', () => {
  it('scrolls into view for a person who reads the newest messages', async () => {
    await using fixture = await startAppWithHome();
    await postMany(fixture);
    await using page = await openPage(fixture);
    await timeline(page).getByText('message 25').waitFor();

    await post(fixture, [section('the newest')]);
    const newest = timeline(page).getByText('the newest');
    await newest.waitFor();

    await expect.poll(() => isInView(newest)).toBe(true);
  });

  it('moves nothing for a person who has scrolled up, also when the window is resized', async () => {
    await using fixture = await startAppWithHome();
    await postMany(fixture);
    await using page = await openPage(fixture, '', { viewport: { width: 1200, height: 700 } });
    await timeline(page).getByText('message 25').waitFor();
    await scrollUp(page);

    await post(fixture, [section('one more')]);
    await timeline(page).getByText('one more').waitFor();
    await page.setViewportSize({ width: 1200, height: 600 });

    expect(await isInView(timeline(page).getByText('one more'))).toBe(false);
    expect(await isInView(timeline(page).getByText('message 1', { exact: true }))).toBe(true);
  });
});

it('shows the ephemeral response to a command that was typed after scrolling up', async () => {
  await using fixture = await startAppWithHome();
  await using _connection = await connect(fixture.slack, () => ({ text: 'only for you' }));
  await postMany(fixture);
  await using page = await openPage(fixture);
  await timeline(page).getByText('message 25').waitFor();
  await scrollUp(page);

  await composer(page).fill('/hello');
  await composer(page).press('Enter');
  const response = timeline(page).getByText('only for you');
  await response.waitFor();

  await expect.poll(() => isInView(response)).toBe(true);
});

describe('an empty channel', () => {
  it('shows the welcome text of its starter until the first message', async () => {
    await using fixture = await startAppWithHome({ channel: { welcome: 'Run `make demo`, then *wait*.' } });
    await using page = await openPage(fixture);
    const welcome = page.getByText('Run make demo, then wait.');

    await welcome.waitFor();
    const code = await page.locator('#welcome code').textContent();
    await post(fixture, [section('the first')]);

    await welcome.waitFor({ state: 'hidden' });
    expect(code).toBe('make demo');
  });

  it('has no welcome text when it is not the channel of the app', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture, '?channel=general');
    await page.getByRole('heading', { name: '#general' }).waitFor();

    expect(await page.locator('#welcome').isVisible()).toBe(false);
  });

  it('has the name and the topic that its starter gives', async () => {
    await using fixture = await startAppWithHome({ channel: { id: 'C0OPS00001', name: 'ops', topic: 'Operations' } });
    await using page = await openPage(fixture);

    await page.getByRole('heading', { name: '#ops' }).waitFor();
    await page.getByText('Operations').waitFor();
    await client(fixture.slack).chat.postMessage({ channel: 'C0OPS00001', text: 'by its id' });

    await expect.poll(() => page.getByText('by its id', { exact: true }).count()).toBe(1);
  });
});
