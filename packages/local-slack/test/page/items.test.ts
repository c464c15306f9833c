import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from '../../../../test/support/axe.ts';
import { ALL_SCOPES, client, type Fixture, startFixture } from '../fixture.ts';
import { composer, createPageOpener, hasFocus, sidebar, timeline } from './page-fixture.ts';

const openPage = createPageOpener();

const CHANNEL = 'C0PLAYGRND';
/** One red pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const CHART = {
  type: 'data_visualization',
  title: 'Errors a minute',
  chart: {
    type: 'line',
    series: [
      {
        name: 'payments',
        data: [
          { label: '09:00', value: 2 },
          { label: '09:01', value: 40 },
        ],
      },
      { name: 'checkout', data: [{ label: '09:01', value: 12 }] },
    ],
    axis_config: { categories: ['09:00', '09:01'], x_label: 'Minute' },
  },
};
const SHARES = {
  type: 'data_visualization',
  title: 'By kind',
  chart: {
    type: 'pie',
    segments: [
      { label: 'traces', value: 30 },
      { label: 'logs', value: 10 },
    ],
  },
};
const BARS = { ...CHART, title: 'Errors by service', chart: { ...CHART.chart, type: 'bar' } };

/** A message with everything that can be attached to it. */
async function postAll(fixture: Fixture): Promise<string> {
  const web = client(fixture.slack);
  const { ts = '' } = await web.chat.postMessage({ channel: CHANNEL, text: 'the card https://example.com/142' });
  await web.reactions.add({ channel: CHANNEL, timestamp: ts, name: 'eyes' });
  await web.pins.add({ channel: CHANNEL, timestamp: ts });
  await web.apiCall('chat.unfurl', {
    channel: CHANNEL,
    ts,
    unfurls: { 'https://example.com/142': { title: 'Incident 142', text: '*payments* is failing', color: 'danger' } },
  });
  await web.filesUploadV2({
    channel_id: CHANNEL,
    file_uploads: [
      { file: PICTURE, filename: 'graph.png', alt_text: 'errors rising' },
      { file: Buffer.from('it broke'), filename: 'errors.log' },
    ],
  });
  await web.chat.postMessage({ channel: CHANNEL, thread_ts: ts, reply_broadcast: true, text: 'it is worse' });
  await web.apiCall('chat.postMessage', { channel: CHANNEL, text: 'charts', blocks: [CHART, SHARES] });
  await web.apiCall('chat.postMessage', { channel: CHANNEL, text: 'chart', blocks: [BARS] });
  return ts;
}

describe('what is attached to a message', () => {
  it('is shown: reactions, pins, unfurled links, files, broadcast replies and charts, without axe violations', async () => {
    await using fixture = await startFixture({ scopes: ALL_SCOPES });
    await using page = await openPage(fixture, '', { viewport: { width: 1000, height: 1800 } });
    await postAll(fixture);
    const log = timeline(page);

    await log.getByText('📌 Pinned').waitFor();
    await log.getByText('Incident 142').waitFor();
    await log.getByRole('link', { name: 'errors.log' }).waitFor();
    const picture = log.getByRole('img', { name: 'errors rising' });
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1);
    await log.getByRole('img', { name: 'Errors a minute, as a line chart' }).waitFor();
    await log.getByRole('figure', { name: 'Errors a minute' }).getByText('The numbers').click();
    const row = log.getByRole('row', { name: '09:00' });
    expect(await row.getByRole('cell').allTextContents()).toEqual(['2', '–']);
    expect(await accessibilityFaults(page)).toEqual([]);
    await log.getByRole('button', { name: 'Replied to a thread' }).click();
    await page.getByRole('log', { name: 'Thread' }).getByText('Also sent to the channel').waitFor();
  });

  it('reactions can be added and removed, also by keyboard', async () => {
    await using fixture = await startFixture({ scopes: ALL_SCOPES });
    await using page = await openPage(fixture);
    const web = client(fixture.slack);
    const { ts = '' } = await web.chat.postMessage({ channel: CHANNEL, text: 'the card' });
    await web.reactions.add({ channel: CHANNEL, timestamp: ts, name: 'eyes' });
    const reactions = () => fixture.slack.messages('playground')[0]?.reactions;

    await timeline(page).getByRole('button', { name: 'eyes, 1: Hello' }).click();
    const both = timeline(page).getByRole('button', { name: 'eyes, 2: Hello, Ana Duarte', pressed: true });
    await both.waitFor();
    expect(await hasFocus(both)).toBe(true);
    await both.click();
    await timeline(page).getByRole('button', { name: 'eyes, 1: Hello', pressed: false }).waitFor();
    await timeline(page).press('ArrowUp');
    await page.keyboard.press('r');
    await page.getByRole('menuitem', { name: 'tada' }).focus();
    await page.keyboard.press('Enter');

    await timeline(page).getByRole('button', { name: 'tada, 1: Ana Duarte', pressed: true }).waitFor();
    expect(reactions()).toEqual([
      { name: 'eyes', users: ['U0APP00001'] },
      { name: 'tada', users: ['U0ANA00001'] },
    ]);
  });

  it('a pin can be added for everybody and removed by the menu', async () => {
    await using fixture = await startFixture({ scopes: ALL_SCOPES });
    await using page = await openPage(fixture);
    await using other = await openPage(fixture, '?as=ben');
    await client(fixture.slack).chat.postMessage({ channel: CHANNEL, text: 'the card' });
    await timeline(page).getByText('the card').waitFor();
    const choose = async (from: typeof page, item: string): Promise<void> => {
      await timeline(from).press('ArrowUp');
      await from.keyboard.press('m');
      await from.getByRole('menuitem', { name: item, exact: true }).click();
    };

    await choose(page, 'Pin');
    await timeline(other).getByText('📌 Pinned').waitFor();
    expect(fixture.slack.messages('playground')[0]?.pin).toMatchObject({ by: 'U0ANA00001' });
    await choose(other, 'Unpin');

    await timeline(page).getByText('📌 Pinned').waitFor({ state: 'detached' });
    expect(fixture.slack.messages('playground')[0]?.pin).toBeNull();
  });
});

describe('a file in the message box', () => {
  it('can be chosen, removed, and sent with a text or alone', async () => {
    await using fixture = await startFixture({ scopes: ALL_SCOPES });
    await using page = await openPage(fixture);
    const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`in ${name}`) });
    const attach = async (...names: string[]): Promise<void> => {
      const opened = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Attach files' }).first().click();
      await (await opened).setFiles(names.map(file));
      await page.getByRole('button', { name: `Remove ${names.at(-1)}` }).waitFor();
    };

    await attach('errors.log', 'wrong.log');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove wrong.log' }).click();
    expect(await hasFocus(composer(page))).toBe(true);
    await composer(page).fill('look at this');
    await composer(page).press('Enter');
    await timeline(page).getByRole('link', { name: 'errors.log' }).waitFor();
    await attach('more.log');
    await page.getByRole('button', { name: 'Send' }).first().click();
    await timeline(page).getByRole('link', { name: 'more.log' }).waitFor();

    expect(fixture.slack.messages('playground')).toMatchObject([
      { text: 'look at this', user: 'U0ANA00001', files: [{ name: 'errors.log' }] },
      { text: '', files: [{ name: 'more.log' }] },
    ]);
    expect(await page.getByRole('list', { name: 'Chosen files' }).count()).toBe(0);
  });
});

it('remembers what each person has read over a restart', async () => {
  await using first = await startFixture({ scopes: ALL_SCOPES });
  const statePath = join(first.dir, 'state.json');
  {
    await using fixture = await startFixture({ statePath });
    await fixture.slack.as('ben').message('general', 'read before');
    await using page = await openPage(fixture, '?as=ana&channel=general');
    await page.getByText('read before').waitFor();
    await expect
      .poll(() =>
        page.evaluate(
          "fetch('/page/state?as=ana').then((r) => r.json()).then(({ channels }) => channels.some(({ isUnread }) => isUnread))",
        ),
      )
      .toBe(false);
    await fixture.slack.as('ana').message('playground', 'said to others');
  }
  await using fixture = await startFixture({ statePath });

  await using ana = await openPage(fixture, '?as=ana&channel=playground');
  await using ben = await openPage(fixture, '?as=ben&channel=general');

  await sidebar(ben).getByRole('button', { name: 'playground (unread)' }).waitFor();
  expect(
    await sidebar(ana)
      .getByRole('button', { name: /^general/ })
      .textContent(),
  ).toBe('#general');
});
