import { describe, expect, it } from 'vitest';
import { client, connect } from '../fixture.ts';
import { createPageOpener, plain, post, section, startAppWithHome, timeline } from './page-fixture.ts';

const openPage = createPageOpener();

const mrkdwn = (text: string): object => ({ type: 'mrkdwn', text });
const rich = (...elements: object[]): object => ({ type: 'rich_text', elements });
const said = (text: string, style: object = {}): object => ({ type: 'text', text, style });
const button = (name: string): object => ({ type: 'button', action_id: name, text: plain(name) });

describe('blocks', () => {
  it('draws standard Markdown as headings, lists, quotes, code and links, but no HTML', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);

    await post(fixture, [
      {
        type: 'markdown',
        text: '## What broke\nIt is **bold**, *so* ~~not~~ and `a*b`.\n\n- one\n- two\n\n> said [here](https://example.com)\n\n```sh\nls <x>\n```\n<b>no</b> 2 * 3 * 4 [x](javascript:alert)',
      },
    ]);

    const log = timeline(page);
    await log.getByRole('heading', { name: 'What broke' }).waitFor();
    expect(await log.locator('.text li').allTextContents()).toEqual(['one', 'two']);
    expect(await log.locator('.text code').allTextContents()).toEqual(['a*b', 'ls <x>']);
    expect(await log.locator('.text :is(strong, em, s)').allTextContents()).toEqual(['bold', 'so', 'not']);
    expect(await log.locator('.text a').allTextContents()).toEqual(['here']);
    await log.getByText('<b>no</b> 2 * 3 * 4 x').waitFor();
  });

  it('draws rich text with lists, quotes, code, mentions and colours', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const line = (text: string): object => ({ type: 'rich_text_section', elements: [said(text)] });

    await post(fixture, [
      rich(
        {
          type: 'rich_text_section',
          elements: [
            said('both', { bold: true, italic: true }),
            { type: 'user', user_id: 'U0BEN00001' },
            { type: 'color', value: '#ff0000' },
          ],
        },
        { type: 'rich_text_list', style: 'ordered', offset: 2, elements: [line('third'), line('fourth')] },
        { type: 'rich_text_quote', elements: [said('quoted')] },
        { type: 'rich_text_preformatted', elements: [said('code')] },
      ),
    ]);

    const log = timeline(page);
    await log.locator('em strong', { hasText: 'both' }).waitFor();
    await log.getByText('@ben').waitFor();
    expect(await log.locator('ol.rich').getAttribute('start')).toBe('3');
    expect(await log.locator('blockquote, pre').allTextContents()).toEqual(['quoted', 'code']);
  });

  it('draws alerts, cards, carousels, containers, plans and videos with working buttons', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);

    await post(fixture, [
      { type: 'alert', level: 'error', text: mrkdwn('Disk *full*') },
      {
        type: 'card',
        block_id: 'one',
        title: mrkdwn('A card'),
        body: mrkdwn('with a body'),
        actions: [button('Inspect')],
      },
      {
        type: 'carousel',
        block_id: 'many',
        elements: [{ type: 'card', title: mrkdwn('In a row'), actions: [button('Take')] }],
      },
      {
        type: 'container',
        block_id: 'box',
        title: plain('Folded'),
        is_collapsible: true,
        default_collapsed: true,
        child_blocks: [section('inside')],
      },
      {
        type: 'plan',
        title: 'The plan',
        tasks: [{ type: 'task_card', task_id: '1', title: 'Find it', status: 'complete' }],
      },
      {
        type: 'video',
        video_url: 'https://example.com/v',
        thumbnail_url: 'data:x',
        alt_text: 'a talk',
        title: plain('A talk'),
      },
    ]);

    const log = timeline(page);
    await log.getByRole('group', { name: 'Error' }).getByText('Disk full').waitFor();
    await log.getByText('● Done Find it').waitFor();
    expect(await log.getByRole('link', { name: 'A talk', exact: true }).getAttribute('href')).toBe(
      'https://example.com/v',
    );
    expect(await log.getByText('inside').isVisible()).toBe(false);
    await log.getByText('Folded').click();
    await log.getByText('inside').waitFor();
    await log.getByRole('button', { name: 'Inspect' }).click();
    await expect
      .poll(() => connection.received.at(-1)?.payload)
      .toMatchObject({ actions: [{ action_id: 'Inspect', block_id: 'one' }] });
    await log.getByRole('button', { name: 'Take' }).click();
    await expect
      .poll(() => connection.received.at(-1)?.payload)
      .toMatchObject({ actions: [{ action_id: 'Take', block_id: 'many' }] });
  });

  it('pages through a data table', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const text = (value: string): object => ({ type: 'raw_text', text: value });
    const rows = ['web', 'payments', 'db'].map((name, index) => [
      text(name),
      { type: 'raw_number', value: index, text: `${index}` },
    ]);

    await post(fixture, [
      {
        type: 'data_table',
        caption: 'Services',
        page_size: 2,
        row_header_column_index: 0,
        rows: [[text('name'), text('errors')], ...rows],
      },
    ]);
    const table = timeline(page).getByRole('table', { name: 'Services' });
    await table.getByRole('rowheader', { name: 'web' }).waitFor();
    await timeline(page).getByRole('button', { name: 'Later' }).click();

    expect(await table.getByRole('rowheader').allTextContents()).toEqual(['db']);
    await timeline(page).getByText('3 to 3 of 3').waitFor();
  });

  it('sends feedback and the value of an icon button', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);
    const side = (text: string, value: string): object => ({ text: plain(text), value });

    await post(fixture, [
      {
        type: 'context_actions',
        elements: [
          {
            type: 'feedback_buttons',
            action_id: 'rate',
            positive_button: side('Good', 'up'),
            negative_button: side('Bad', 'down'),
          },
          { type: 'icon_button', action_id: 'drop', icon: 'trash', text: plain('Drop'), value: 'it' },
        ],
      },
    ]);
    await timeline(page).getByRole('button', { name: '👎 Bad' }).click();
    await expect
      .poll(() => connection.received.at(-1)?.payload)
      .toMatchObject({ actions: [{ type: 'feedback_buttons', value: 'down' }] });
    await timeline(page).getByRole('button', { name: 'Drop' }).click();

    await expect
      .poll(() => connection.received.at(-1)?.payload)
      .toMatchObject({ actions: [{ type: 'icon_button', value: 'it' }] });
  });

  it('draws legacy attachments with their colour and fields', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);

    await client(fixture.slack).chat.postMessage({
      channel: 'C0PLAYGRND',
      text: 'see below',
      attachments: [
        {
          color: '#2f8f5b',
          title: 'Runbook',
          title_link: 'https://example.com/r',
          text: 'do *this*',
          fields: [{ title: 'Owner', value: 'ana' }],
          footer: 'wiki',
        },
      ],
    });

    await timeline(page).getByRole('link', { name: 'Runbook' }).waitFor();
    expect(await timeline(page).getByRole('definition').allTextContents()).toEqual(['ana']);
    expect(await timeline(page).locator('.attachment strong').textContent()).toBe('this');
  });
});
