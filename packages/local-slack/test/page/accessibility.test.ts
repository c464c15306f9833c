import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from '../../../../test/support/axe.ts';
import { client, connect } from '../fixture.ts';
import {
  composer,
  createPageOpener,
  openModal,
  openPanel,
  option,
  plain,
  post,
  publishHome,
  section,
  sidebar,
  startAppWithHome,
  timeline,
} from './page-fixture.ts';

const openPage = createPageOpener();

const CARD = [
  { type: 'header', text: plain('Checkout fails') },
  {
    ...section(
      '*payments* is failing since <!date^0^{date_short}|1970>, <@U0ANA00001> `code` <https://example.com|link>',
    ),
    accessory: { type: 'overflow', action_id: 'more', options: [option('mute')] },
  },
  { type: 'section', fields: [{ type: 'mrkdwn', text: '*State*\nopen' }] },
  { type: 'context', elements: [{ type: 'mrkdwn', text: 'opened by a machine' }] },
  {
    type: 'actions',
    elements: [
      { type: 'button', action_id: 'a', style: 'primary', text: plain('Acknowledge') },
      { type: 'button', action_id: 'b', style: 'danger', text: plain('Close') },
      { type: 'static_select', action_id: 'c', placeholder: plain('Assign'), options: [option('ana')] },
      {
        type: 'multi_static_select',
        action_id: 'd',
        placeholder: plain('Services'),
        options: [option('web')],
        initial_options: [option('web')],
      },
      { type: 'datepicker', action_id: 'e' },
      { type: 'radio_buttons', action_id: 'f', options: [option('one'), option('two')] },
    ],
  },
];

describe('axe finds no violations', () => {
  it('in a channel with cards, an edited and an ephemeral message, a thread and unread places', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const web = client(fixture.slack);
    const { ts } = (await post(fixture, CARD)) as { ts: string };
    await web.chat.postMessage({ channel: 'C0PLAYGRND', thread_ts: ts, text: 'in the thread' });
    const { ts: edited = '' } = await web.chat.postMessage({ channel: 'C0PLAYGRND', text: 'first' });
    await web.chat.update({ channel: 'C0PLAYGRND', ts: edited, text: 'second' });
    await web.chat.postEphemeral({ channel: 'C0PLAYGRND', user: 'U0ANA00001', text: 'for you' });
    await fixture.slack.as('ben').message('general', '@ana look');
    await timeline(page).getByText('Only visible to you').waitFor();
    await timeline(page).getByRole('button', { name: '1 reply' }).click();

    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('in a modal with every kind of input and their errors', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);
    const input = (type: string, more: object = {}): object => ({
      type: 'input',
      label: plain(type),
      hint: plain('as you like'),
      element: { type, action_id: 'typed', ...more },
    });
    const options = [option('one'), option('two')];
    await openModal(fixture, page, connection, {
      type: 'modal',
      title: plain('Resolve'),
      submit: plain('Send'),
      blocks: [
        input('plain_text_input', { multiline: true }),
        input('email_text_input'),
        input('number_input', { is_decimal_allowed: true }),
        input('static_select', { options }),
        input('multi_users_select'),
        input('checkboxes', { options }),
        input('radio_buttons', { options }),
        input('timepicker'),
        input('datetimepicker'),
      ],
    });
    const dialog = page.getByRole('dialog', { name: 'Resolve' });
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('Please complete this required field.').first().waitFor();
    await dialog.getByRole('combobox', { name: 'multi_users_select' }).fill('ben');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Remove Ben Okafor' }).waitFor();

    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('in the Home tab, empty and published, and in direct messages', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture, '?as=ana&channel=app&tab=home');
    await page.getByText('has published no Home yet').waitFor();
    const empty = await accessibilityFaults(page);

    await publishHome(fixture, 'U0ANA00001', CARD);
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor();
    const published = await accessibilityFaults(page);
    await client(fixture.slack).chat.postMessage({ channel: 'U0ANA00001', text: 'psst' });
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByText('psst').last().waitFor();

    expect([...empty, ...published, ...(await accessibilityFaults(page))]).toEqual([]);
  });

  it('beside a typed command, in an open menu, as another person, and in an archived channel', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture, '?as=elif');
    await fixture.slack.as('ben').message('playground', 'hello');
    await page.getByLabel('Act as').focus();
    await composer(page).fill('/h');
    await page.getByText('Tab completes.').waitFor();
    const completing = await accessibilityFaults(page);

    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await page.getByRole('menu', { name: 'Shortcuts' }).waitFor();
    const choosing = await accessibilityFaults(page);
    await page.keyboard.press('Escape');
    fixture.slack.changeChannel('playground', { isArchived: true });
    await sidebar(page).getByRole('button', { name: 'playground archived' }).waitFor();

    expect([...completing, ...choosing, ...(await accessibilityFaults(page))]).toEqual([]);
  });

  it('in the panel of another program', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const panel = {
      title: 'Drill',
      buttons: [
        { id: 'break', label: 'Break it', group: 'The shop', active: true },
        { id: 'heal', label: 'Heal it', group: 'The shop' },
      ],
      metrics: [
        { label: 'Lost', value: '1', alarming: true },
        { label: 'Posted', value: '7' },
      ],
      log: ['09:30 It broke', '09:29 It began'],
    };
    await openPanel(fixture, page, panel);
    await page.getByText('09:30 It broke').waitFor();

    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
