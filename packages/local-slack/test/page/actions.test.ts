import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Connection, connect, type Envelope, type Fixture } from '../fixture.ts';
import {
  composer,
  createPageOpener,
  hasFocus,
  openModal,
  option,
  plain,
  post,
  section,
  startAppWithHome,
  timeline,
} from './page-fixture.ts';

const openPage = createPageOpener();

const last = (connection: Connection): Record<string, unknown> | undefined => connection.received.at(-1)?.payload;

describe('the message box', () => {
  it('runs a global shortcut from its menu by keyboard', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);

    await page.getByRole('button', { name: 'Shortcuts' }).press('Enter');
    expect(await hasFocus(page.getByRole('menuitem', { name: 'Greet Greets everyone' }))).toBe(true);
    await page.keyboard.press('Enter');

    await expect.poll(() => last(connection)).toMatchObject({ type: 'shortcut', callback_id: 'greet' });
    expect(await hasFocus(page.getByRole('button', { name: 'Shortcuts' }))).toBe(true);
  });
});

describe('a message', () => {
  it('is reached by arrow keys, and has a menu with the message shortcuts and a thread', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);
    await fixture.slack.as('ben').message('playground', 'first');
    await fixture.slack.as('ana').message('playground', 'second');
    await timeline(page).getByText('second').waitFor();

    await timeline(page).focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Pin' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => last(connection)).toMatchObject({ type: 'message_action', message: { text: 'first' } });
    await timeline(page).focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const reply = page.getByRole('textbox', { name: 'Reply…' });
    await expect.poll(() => hasFocus(reply)).toBe(true);
    await page.keyboard.press('Escape');

    await page.getByRole('complementary', { name: 'Thread' }).waitFor({ state: 'hidden' });
    expect(await hasFocus(timeline(page).getByRole('article').last())).toBe(true);
  });

  it('has an overflow menu that sends the chosen option', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);
    const accessory = { type: 'overflow', action_id: 'more', options: [option('mute'), option('pin')] };
    await post(fixture, [{ ...section('a card'), accessory }]);

    await timeline(page).getByRole('button', { name: 'More choices' }).press('Enter');
    await page.keyboard.press('ArrowUp'); // from the first to the last
    await page.keyboard.press('Enter');

    await expect
      .poll(() => last(connection))
      .toMatchObject({ actions: [{ action_id: 'more', selected_option: { value: 'pin' } }] });
  });

  it('asks the app for the options of an external select and sends the chosen one', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack, ({ payload }) =>
      payload.type === 'block_suggestion' ? { options: [option('payments'), option('orders')] } : null,
    );
    await using page = await openPage(fixture);
    const element = {
      type: 'external_select',
      action_id: 'service',
      placeholder: plain('Service'),
      min_query_length: 2,
    };
    await post(fixture, [{ type: 'actions', elements: [element] }]);
    const box = timeline(page).getByRole('combobox', { name: 'Service' });

    await box.pressSequentially('or');
    await timeline(page).locator('option[value=orders]').waitFor({ state: 'attached' });
    await box.press('Enter'); // the only one that fits

    await expect
      .poll(() => last(connection))
      .toMatchObject({
        type: 'block_actions',
        actions: [{ type: 'external_select', selected_option: { value: 'orders', text: { text: 'orders' } } }],
      });
    expect(
      connection.received.some(({ payload }) => payload?.type === 'block_suggestion' && payload.value === 'or'),
    ).toBe(true);
  });
});

describe('the stack of modals', () => {
  const modal = (title: string, more: object = {}): object => ({
    type: 'modal',
    title: plain(title),
    submit: plain('Next'),
    blocks: [
      {
        type: 'input',
        block_id: 'note',
        label: plain('Note'),
        element: { type: 'plain_text_input', action_id: 'typed' },
      },
    ],
    ...more,
  });

  async function connectAndOpenModal(
    fixture: Fixture,
    page: Page,
    view: object,
    answer: (envelope: Envelope) => object | null,
  ): Promise<AsyncDisposable & Connection> {
    const connection = await connect(fixture.slack, answer);
    await openModal(fixture, page, connection, view);
    return connection;
  }

  const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

  it('stacks three modals and keeps the typed text of those below', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const next = [modal('Second'), modal('Third', { close: plain('Back') })];
    await using _connection = await connectAndOpenModal(fixture, page, modal('First'), ({ payload }) =>
      payload.type === 'view_submission' ? { response_action: 'push', view: next.shift() } : null,
    );

    await dialog(page, 'First').getByLabel('Note').fill('one');
    await page.keyboard.press('Enter');
    await dialog(page, 'Second').getByText('2 of 3').waitFor();
    await dialog(page, 'Second').getByLabel('Note').fill('two');
    await dialog(page, 'Second').getByRole('button', { name: 'Next' }).click();
    await dialog(page, 'Third').getByRole('button', { name: 'Back', exact: true }).click();
    expect(await dialog(page, 'Second').getByLabel('Note').inputValue()).toBe('two');
    await dialog(page, 'Second').getByRole('button', { name: 'Close this window' }).click();
    expect(await dialog(page, 'First').getByLabel('Note').inputValue()).toBe('one');
    await page.keyboard.press('Escape');

    await expect.poll(() => hasFocus(composer(page))).toBe(true);
  });

  it('shows that it waits for the app, and that the app did not respond', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    await using connection = await connectAndOpenModal(fixture, page, modal('First'), () => null);
    const submit = dialog(page, 'First').getByRole('button', { name: 'Next' });
    await dialog(page, 'First').getByLabel('Note').fill('one');

    await connection[Symbol.asyncDispose]();
    await submit.click();

    await dialog(page, 'First').getByRole('alert').getByText('We had some trouble connecting. Try again?').waitFor();
    expect(await dialog(page, 'First').getByLabel('Note').inputValue()).toBe('one');
    expect(await submit.getAttribute('aria-busy')).toBe('false');
  });

  it('shows people who are chosen from the start by their names', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const element = { type: 'multi_users_select', action_id: 'chosen', initial_users: ['U0ANA00001'] };
    const view = modal('Assign', { blocks: [{ type: 'input', block_id: 'lead', label: plain('Leads'), element }] });
    await using connection = await connectAndOpenModal(fixture, page, view, () => null);

    await dialog(page, 'Assign').getByRole('button', { name: 'Remove Ana Duarte' }).waitFor();
    await dialog(page, 'Assign').getByRole('button', { name: 'Next' }).click();

    const values = { lead: { chosen: { selected_users: ['U0ANA00001'] } } };
    await expect.poll(() => last(connection)).toMatchObject({ type: 'view_submission', view: { state: { values } } });
  });

  it('takes multiple choices, dates and times', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const input = (block: string, element: object): object => ({
      type: 'input',
      block_id: block,
      optional: true,
      label: plain(block),
      element: { action_id: 'chosen', ...element },
    });
    const view = modal('Choose', {
      blocks: [
        input('Services', { type: 'multi_static_select', options: [option('web'), option('payments'), option('db')] }),
        input('Where', { type: 'radio_buttons', options: [option('staging'), option('production')] }),
        input('Since', { type: 'datepicker' }),
        input('Until', { type: 'datetimepicker' }),
        { type: 'actions', block_id: 'row', elements: [{ type: 'timepicker', action_id: 'at' }] },
      ],
    });
    await using connection = await connectAndOpenModal(fixture, page, view, () => null);
    const form = dialog(page, 'Choose');

    await form.getByRole('combobox', { name: 'Services' }).fill('pay');
    await page.keyboard.press('Enter');
    await form.getByRole('combobox', { name: 'Services' }).fill('db');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Remove payments' }).click();
    await form.getByRole('radiogroup', { name: 'Where' }).getByLabel('production').check();
    await form.getByLabel('Since').fill('2026-11-20');
    await form.getByLabel('Until').fill('2026-11-21T09:00');
    await form.getByLabel('Time').fill('10:30');
    await form.getByRole('button', { name: 'Next' }).click();

    await expect
      .poll(() => last(connection))
      .toMatchObject({
        type: 'view_submission',
        view: {
          state: {
            values: {
              Services: { chosen: { selected_options: [{ value: 'db' }] } },
              Where: { chosen: { selected_option: { value: 'production' } } },
              Since: { chosen: { selected_date: '2026-11-20' } },
              Until: { chosen: { selected_date_time: Date.parse('2026-11-21T00:00:00Z') / 1000 } },
              row: { at: { selected_time: '10:30' } },
            },
          },
        },
      });
  });
});
