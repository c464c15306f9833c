import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/local-slack.ts';
import { ALL_SCOPES, type Connection, client, connect, type Fixture, startFixture } from '../fixture.ts';
import { composer, createPageOpener, openModal, post, section, timeline } from './page-fixture.ts';

const openPage = createPageOpener();

async function typeAndSend(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

const card = (fields: object = {}): object => ({
  type: 'actions',
  elements: [
    { type: 'button', action_id: 'act', value: 'inc-1', text: { type: 'plain_text', text: 'Act' }, ...fields },
  ],
});

const received = (connection: Connection, type: string): Record<string, unknown>[] =>
  connection.received.map(({ payload }) => payload).filter((payload) => payload?.type === type);

describe('the channel', () => {
  it('shows new messages of the app and of the person', async () => {
    await using fixture = await startFixture();
    await using page = await openPage(fixture);

    await typeAndSend(page, 'is *anyone* <here>?');
    await post(fixture, [section('*Yes* <@U0BEN00001> is')]);

    await timeline(page).getByText('is anyone <here>?').waitFor();
    await timeline(page).getByText('Yes @ben is').waitFor();
    expect(await timeline(page).locator('strong', { hasText: 'anyone' }).count()).toBe(1);
  });

  it('never interprets text as markup', async () => {
    await using fixture = await startFixture();
    await using page = await openPage(fixture);
    const hostile = '<img src=x onerror="document.title=1"> &lt;b&gt; <javascript:alert(1)|click>';

    await post(fixture, [
      section(hostile),
      { type: 'header', text: { type: 'plain_text', text: '<script>document.title=2</script>' } },
      { type: 'context', elements: [{ type: 'mrkdwn', text: '<b>bold?</b>' }] },
    ]);

    await timeline(page).getByText('<script>document.title=2</script>').waitFor();
    await timeline(page).getByText('<b>').first().waitFor();
    expect(await timeline(page).locator('img, script, a').count()).toBe(0);
  });

  it('renders mrkdwn: styles, code, quotes, links and dates in the reader’s time zone', async () => {
    await using fixture = await startFixture();
    await using page = await openPage(fixture);

    await post(fixture, [
      section('_it_ ~no~ `a*b*c` snake_case_name 2*3*4\n&gt; quoted\n```let x = "*";```'),
      section('never ``` closed'),
      section('<https://example.com/?a=1&amp;b=2|the link> <!date^0^{date_num} {time}|then> <!date^x^{time}|fallback>'),
    ]);

    const log = timeline(page);
    await log.getByRole('link', { name: 'the link' }).waitFor();
    expect(await log.locator('em, s, blockquote').allTextContents()).toEqual(['it', 'no', 'quoted']);
    expect(await log.locator('code').allTextContents()).toEqual(['a*b*c', 'let x = "*";']);
    expect(await log.getByText('snake_case_name 2*3*4').count()).toBe(1);
    expect(await log.getByRole('link').getAttribute('href')).toBe('https://example.com/?a=1&b=2');
    expect(await log.locator('article .text time').textContent()).toBe('01/01/1970 9:00 AM');
    expect(await log.getByText('fallback').count()).toBe(1);
    expect(await log.getByText('never ``` closed').count()).toBe(1);
  });

  it('shows unfurled links and attachments with their colour, and files', async () => {
    await using fixture = await startFixture({ scopes: ALL_SCOPES });
    await using page = await openPage(fixture);
    const web = client(fixture.slack);
    const attachments = [
      { color: '#b7263f', title: 'Report', title_link: 'https://example.com/r', text: '*42* failures' },
    ];

    await web.chat.postMessage({ channel: 'C0PLAYGRND', text: 'see', attachments });
    await web.filesUploadV2({ channel_id: 'C0PLAYGRND', content: 'ERROR a\n', filename: 'app.log' });

    const attachment = timeline(page).locator('.attachment');
    await attachment.getByText('42 failures').waitFor();
    await timeline(page).getByRole('link', { name: 'app.log (1 kB)' }).waitFor();
    expect(await attachment.getByRole('link', { name: 'Report' }).getAttribute('href')).toBe('https://example.com/r');
    expect(await attachment.getAttribute('style')).toBe('border-color: rgb(183, 38, 63);');
  });

  it('marks edited messages and shows threads beside the channel', async () => {
    await using fixture = await startFixture();
    await using page = await openPage(fixture);
    const web = client(fixture.slack);
    const { ts = '' } = await web.chat.postMessage({ channel: 'C0PLAYGRND', text: 'first' });
    await web.chat.postMessage({ channel: 'C0PLAYGRND', text: 'in the thread', thread_ts: ts });
    await web.chat.update({ channel: 'C0PLAYGRND', ts, text: 'first again' });

    await timeline(page).getByText('(edited)').waitFor();
    await timeline(page).getByRole('button', { name: '1 reply' }).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('in the thread').waitFor();
    await thread.getByRole('textbox', { name: 'Reply…' }).fill('answered');
    await thread.getByRole('textbox', { name: 'Reply…' }).press('Enter');
    await thread.getByText('answered').waitFor();

    expect(fixture.slack.messages('playground').at(-1)).toMatchObject({ text: 'answered', threadTs: ts });
    expect(await timeline(page).getByText('in the thread').count()).toBe(0);
  });
});

describe('people', () => {
  it('shows an ephemeral message only to its recipient', async () => {
    await using fixture = await startFixture();
    await using ana = await openPage(fixture);
    await using ben = await openPage(fixture, '?as=ben');
    await client(fixture.slack).chat.postEphemeral({ channel: 'C0PLAYGRND', user: 'U0BEN00001', text: 'for Ben' });
    await post(fixture, [section('for all')]);

    await ben.getByText('Only visible to you').waitFor();
    await ana.getByText('for all').waitFor();
    expect(await ana.getByText('for Ben').count()).toBe(0);

    await ana.getByLabel('Act as').selectOption('ben');
    await ana.getByText('for Ben').waitFor();
  });

  it('shows a guest only their channels', async () => {
    await using fixture = await startFixture();
    await using page = await openPage(fixture, '?as=chloe');

    const channels = page.getByRole('list', { name: 'Channels' }).getByRole('button');
    await channels.first().waitFor();

    expect(await channels.allTextContents()).toEqual(['#playground']);
  });
});

describe('the app', () => {
  it('completes a command of the manifest and sends it with its text', async () => {
    await using fixture = await startFixture();
    await using connection = await connect(fixture.slack, () => ({ text: 'Hello back' }));
    await using page = await openPage(fixture);

    await composer(page).pressSequentially('/he');
    await page.getByText('/hello [name]: Says hello').waitFor();
    await composer(page).press('Tab');
    await composer(page).pressSequentially('Ana');
    await composer(page).press('Enter');

    await timeline(page).getByText('Hello back').waitFor();
    expect(connection.received[1]?.payload).toMatchObject({ command: '/hello', text: 'Ana', user_name: 'ana' });
    expect(await composer(page).inputValue()).toBe('');
  });

  it('shows at the button that the app did not respond, and in the channel that a command failed', async () => {
    const clock = createVirtualClock(new Date());
    await using fixture = await startFixture({ clock });
    await using silent = await connect(fixture.slack, () => 'silence');
    await using page = await openPage(fixture);
    await post(fixture, [card()]);

    await timeline(page).getByRole('button', { name: 'Act', exact: true }).click();
    await silent.hears(({ type }) => type === 'interactive');
    await clock.advance(3_000);
    await timeline(page).getByRole('alert').getByText('Hello World did not respond').waitFor();
    await typeAndSend(page, '/hello');
    await silent.hears(({ type }) => type === 'slash_commands');
    await clock.advance(3_000);
    await timeline(page).getByText('/hello failed because the app did not respond').waitFor();

    expect(fixture.slack.ephemerals('ana', 'playground')).toHaveLength(1);
  });

  it('says so when no app is connected', async () => {
    await using fixture = await startFixture();
    await using page = await openPage(fixture);

    await page.getByRole('status').getByText('Hello is not connected').waitFor();
    await using _connection = await connect(fixture.slack);
    await page.getByText('connected', { exact: true }).waitFor();

    expect(await page.locator('#notice').textContent()).toBe('');
  });

  it('shows the confirm dialog of a button before it acts', async () => {
    await using fixture = await startFixture();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);
    const text = (value: string): object => ({ type: 'plain_text', text: value });
    await post(fixture, [
      card({ confirm: { title: text('Sure?'), text: text('Really'), confirm: text('Do'), deny: text('Keep') } }),
    ]);
    const button = timeline(page).getByRole('button', { name: 'Act', exact: true });

    await button.click();
    await page.getByRole('dialog', { name: 'Sure?' }).getByRole('button', { name: 'Keep' }).click();
    const afterDenial = received(connection, 'block_actions').length;
    await button.click();
    await page.getByRole('dialog', { name: 'Sure?' }).getByRole('button', { name: 'Do' }).click();

    await expect.poll(() => received(connection, 'block_actions').length).toBe(1);
    expect(afterDenial).toBe(0);
  });
});

describe('a modal', () => {
  const view = {
    type: 'modal',
    title: { type: 'plain_text', text: 'Resolve' },
    submit: { type: 'plain_text', text: 'Resolve it' },
    blocks: [
      {
        type: 'input',
        block_id: 'note',
        label: { type: 'plain_text', text: 'Note' },
        hint: { type: 'plain_text', text: 'What fixed it?' },
        element: { type: 'plain_text_input', action_id: 'typed', multiline: true },
      },
      {
        type: 'input',
        block_id: 'cause',
        optional: true,
        label: { type: 'plain_text', text: 'Cause' },
        element: {
          type: 'static_select',
          action_id: 'chosen',
          options: ['deploy', 'traffic'].map((value) => ({ value, text: { type: 'plain_text', text: value } })),
        },
      },
    ],
  };

  /** Opens the modal by a command. */
  async function openResolveModal(fixture: Fixture, page: Page, connection: Connection): Promise<Locator> {
    await openModal(fixture, page, connection, view);
    const dialog = page.getByRole('dialog', { name: 'Resolve' });
    await dialog.waitFor();
    return dialog;
  }

  it('takes the focus, keeps the typed text through errors, and sends it unchanged', async () => {
    await using fixture = await startFixture();
    const answers: object[] = [{ response_action: 'errors', errors: { note: 'Say more.' } }];
    await using connection = await connect(fixture.slack, ({ type }) =>
      type === 'interactive' ? (answers.shift() ?? null) : null,
    );
    await using page = await openPage(fixture);
    const dialog = await openResolveModal(fixture, page, connection);
    const note = dialog.getByLabel('Note');
    const submit = dialog.getByRole('button', { name: 'Resolve it' });

    expect(await note.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await submit.click();
    await dialog.getByRole('alert').getByText('Please complete this required field.').waitFor();
    await note.fill('  rolled back\n\n7f3c2 é ');
    await dialog.getByLabel('Cause').selectOption('deploy');
    await submit.click();
    await dialog.getByRole('alert').getByText('Say more.').waitFor();
    const kept = await note.inputValue();
    await submit.click();
    await dialog.waitFor({ state: 'hidden' });

    expect(kept).toBe('  rolled back\n\n7f3c2 é ');
    expect(received(connection, 'view_submission').at(-1)).toMatchObject({
      view: {
        state: {
          values: {
            note: { typed: { type: 'plain_text_input', value: '  rolled back\n\n7f3c2 é ' } },
            cause: { chosen: { type: 'static_select', selected_option: { value: 'deploy' } } },
          },
        },
      },
    });
  });
});
