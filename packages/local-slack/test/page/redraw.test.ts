import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/clock.ts';
import { ALL_SCOPES, type Connection, client, connect, type Envelope, type Fixture, startFixture } from '../fixture.ts';
import {
  createPageOpener,
  hasFocus,
  openModal,
  option,
  plain,
  post,
  section,
  sidebar,
  startAppWithHome,
  timeline,
} from './page-fixture.ts';

const openPage = createPageOpener();

const lastAction = ({ received }: Connection): Envelope['payload'] | undefined =>
  received.findLast(({ payload }) => payload?.type === 'block_actions')?.payload;

const menuBlock = { type: 'section', block_id: 'row', text: plain('a row') };
const overflow = { type: 'overflow', action_id: 'more', options: [option('mute'), option('pin')] };
const ROW = { ...menuBlock, accessory: overflow };

/** Changes the message, view or Home tab, and waits until the page shows it. */
type Redraw = (text: string) => Promise<void>;

/** Opens the menu, redraws what holds it, and chooses the second item. */
async function chooseAcrossRedraw(page: Page, menu: Locator, redraw: Redraw, means: 'keyboard' | 'mouse') {
  const item = page.getByRole('menuitem', { name: 'pin' });
  if (means === 'mouse') {
    await menu.click();
    await redraw('changed');
    return item.click({ timeout: 5_000 });
  }
  await menu.press('Enter');
  await page.keyboard.press('ArrowDown');
  await redraw('changed');
  expect(await hasFocus(item)).toBe(true);
  await page.keyboard.press('Enter');
}

describe.each(['keyboard', 'mouse'] as const)('a menu that is open during a redraw, by %s', (means) => {
  const chosen = { actions: [{ action_id: 'more', selected_option: { value: 'pin' } }] };

  it('stays open in a message, and the focus returns to its button', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);
    await post(fixture, [ROW]);
    const { ts } = (await post(fixture, [ROW])) as { ts: string };
    const menu = timeline(page).locator(`[data-key$="${ts}"]`).getByRole('button', { name: 'More choices' });

    await chooseAcrossRedraw(page, menu, (text) => update(fixture, page, ts, text), means);

    await expect.poll(() => lastAction(connection)).toMatchObject({ ...chosen, message: { ts } });
    expect(await hasFocus(menu)).toBe(true);
  });

  it('stays open in a modal, and the focus returns to its button', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);
    const view = (text: string) => ({ type: 'modal', title: plain('List'), blocks: [section(text), ROW] });
    await openModal(fixture, page, connection, view('first'));
    const dialog = page.getByRole('dialog', { name: 'List' });
    const menu = dialog.getByRole('button', { name: 'More choices' });
    await menu.waitFor();
    const viewId = fixture.slack.openViews('ana')[0]?.id;

    const redraw = async (text: string) => {
      await client(fixture.slack).apiCall('views.update', { view_id: viewId, view: view(text) });
      await dialog.getByText(text).waitFor();
    };
    await chooseAcrossRedraw(page, menu, redraw, means);

    await expect.poll(() => lastAction(connection)).toMatchObject(chosen);
    expect(await hasFocus(menu)).toBe(true);
  });
});

describe('a failure at a control', () => {
  const button = { type: 'button', action_id: 'act', text: plain('Act') };
  const blocks = [{ type: 'actions', block_id: 'actions', elements: [button] }, ROW];

  it.each(['while it waits', 'afterwards'] as const)(
    'is still shown when its message was redrawn: %s',
    async (when) => {
      const clock = createVirtualClock(new Date());
      await using fixture = await startFixture({ clock });
      await using silent = await connect(fixture.slack, () => 'silence');
      await using page = await openPage(fixture);
      const { ts } = (await post(fixture, blocks)) as { ts: string };
      const act = timeline(page).getByRole('button', { name: 'Act', exact: true });
      const failure = timeline(page).getByRole('alert').getByText('Hello World did not respond');

      await act.click();
      await silent.hears(({ type }) => type === 'interactive');
      if (when === 'while it waits') {
        await update(fixture, page, ts, 'changed', blocks);
        await clock.advance(3_000);
      } else {
        await clock.advance(3_000);
        await failure.waitFor();
        await update(fixture, page, ts, 'changed', blocks);
      }
      await failure.waitFor();
      expect(await failure.count()).toBe(1);
      await act.click();

      await failure.waitFor({ state: 'detached' });
    },
  );
});

describe('a click during which a new message is shown', () => {
  const button = { type: 'button', action_id: 'act', text: plain('Act') };
  const blocks = [{ type: 'actions', block_id: 'actions', elements: [button] }];

  /** Presses the control, changes Slack, and releases when the page has had time to draw it. */
  async function clickAcross(page: Page, control: Locator, change: () => Promise<unknown>): Promise<void> {
    await control.hover();
    await page.mouse.down();
    const known = page.waitForResponse((response) => response.url().includes('/page/state'));
    await change();
    await (await known).finished();
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await page.mouse.up();
  }

  it('opens the channel that becomes unread', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture, '?as=ana&channel=general');
    const place = sidebar(page).getByRole('button', { name: /^playground/ });

    await clickAcross(page, place, () => post(fixture, [section('meanwhile')]));

    await timeline(page).getByText('meanwhile').waitFor();
    expect(await place.getAttribute('aria-current')).toBe('page');
  });

  it('presses the button of a message that is edited', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);
    const { ts } = (await post(fixture, blocks)) as { ts: string };
    const act = timeline(page).getByRole('button', { name: 'Act', exact: true });

    await clickAcross(page, act, () =>
      client(fixture.slack).apiCall('chat.update', {
        channel: 'C0PLAYGRND',
        ts,
        text: 'edited',
        blocks: [section('edited'), ...blocks],
      }),
    );

    await expect.poll(() => lastAction(connection)).toMatchObject({ actions: [{ action_id: 'act' }] });
    await timeline(page).getByText('edited').waitFor();
  });
});

describe('the focus during a redraw', () => {
  it('stays in the field of a modal, with what was typed', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);
    const field = (name: string) => ({
      type: 'input',
      block_id: name,
      label: plain(name),
      element: { type: 'plain_text_input', action_id: 'typed' },
    });
    const view = (text: string) => ({
      type: 'modal',
      title: plain('Form'),
      submit: plain('Send'),
      blocks: [section(text), field('Title'), field('Note')],
    });
    await openModal(fixture, page, connection, view('first'));
    const dialog = page.getByRole('dialog', { name: 'Form' });
    const note = dialog.getByLabel('Note');
    await note.fill('half a sen');
    const viewId = fixture.slack.openViews('ana')[0]?.id;

    await client(fixture.slack).apiCall('views.update', { view_id: viewId, view: view('changed') });
    await dialog.getByText('changed').waitFor();
    await page.keyboard.type('tence');

    expect(await note.inputValue()).toBe('half a sentence');
  });
});

it('names a channel in a message as soon as the person is in it', async () => {
  await using fixture = await startFixture({ scopes: ALL_SCOPES });
  await using _connection = await connect(fixture.slack);
  await using page = await openPage(fixture);
  const { channel } = await client(fixture.slack).conversations.create({ name: 'inc-7' });
  await post(fixture, [section(`the room is <#${channel?.id}>`)]);
  await timeline(page).getByText(`the room is #${channel?.id}`).waitFor();

  await client(fixture.slack).conversations.invite({ channel: channel?.id ?? '', users: 'U0ANA00001' });

  const named = timeline(page).getByText('the room is #inc-7');
  await named.waitFor();
  expect(await named.count()).toBe(1);
});

it('moves ages on while nothing is redrawn', async () => {
  await using fixture = await startAppWithHome();
  await using _connection = await connect(fixture.slack);
  await using page = await openPage(fixture);
  await page.clock.install();
  await page.reload();
  const opened = Math.floor(Date.now() / 1_000) - 120;
  await post(fixture, [section(`failed <!date^${opened}^{ago}|then>`)]);
  await timeline(page).getByText('failed 2 minutes ago').waitFor();

  await page.clock.fastForward(3 * 60_000);

  await timeline(page).getByText('failed 5 minutes ago').waitFor();
  expect(await timeline(page).getByText('failed 2 minutes ago').count()).toBe(0);
});

async function update(
  fixture: Fixture,
  page: Page,
  ts: string,
  text: string,
  blocks: readonly object[] = [ROW],
): Promise<void> {
  const message = { channel: 'C0PLAYGRND', ts, text: 'x', blocks: [section(text), ...blocks] };
  await client(fixture.slack).apiCall('chat.update', message);
  await timeline(page).getByText(text).waitFor();
}
