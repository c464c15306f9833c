import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../test/support/browser.ts';
import { createVirtualClock } from '../../src/local-slack.ts';
import { client, connect, type Fixture } from '../fixture.ts';
import {
  composer,
  openPage,
  option,
  plain,
  post,
  publishHome,
  section,
  startAppWithHome,
  timeline,
} from './page-fixture.ts';
import { compareScreenshot } from './screenshots.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

const NOW = new Date('2026-11-20T09:30:00Z');
/** A glyph or two may be drawn otherwise; a moved block is far more. */
const MOST = 0.002;

const CARD = [
  { type: 'header', text: plain(':rotating_light: #142 payments is failing') },
  {
    type: 'section',
    fields: [
      '*State*\nOpen, not acknowledged',
      '*Root service*\n`payments`',
      '*Signals*\n12 traces, 3 logs',
      '*Touches*\ncheckout, web',
    ].map((text) => ({ type: 'mrkdwn', text })),
  },
  { type: 'context', elements: [{ type: 'mrkdwn', text: 'Opened <!date^1795166400^{time}|09:20>' }] },
  {
    type: 'actions',
    elements: [
      { type: 'button', action_id: 'acknowledge', style: 'primary', text: plain('Acknowledge') },
      { type: 'button', action_id: 'resolve', text: plain('Resolve') },
      { type: 'overflow', action_id: 'more', options: [option('mute')] },
    ],
  },
];

/** A morning in #playground at a time that stands still. */
async function open(query = '', colorScheme: 'light' | 'dark' = 'light') {
  const stack = new AsyncDisposableStack();
  const fixture: Fixture = stack.use(await startAppWithHome({ clock: createVirtualClock(NOW) }));
  const connection = stack.use(await connect(fixture.slack));
  const { ts } = (await post(fixture, CARD)) as { ts: string };
  const web = client(fixture.slack);
  await web.chat.postMessage({
    channel: 'C0PLAYGRND',
    thread_ts: ts,
    text: '*3 more traces* since the card was posted',
  });
  await fixture.slack.as('ben').message('playground', 'looking at it :eyes:');
  await web.chat.postEphemeral({ channel: 'C0PLAYGRND', user: 'U0ANA00001', text: 'You can acknowledge it too.' });
  await fixture.slack.as('ben').message('general', '@ana have a look');
  const page = stack.use(
    await openPage(browser, fixture, query, {
      viewport: { width: 1000, height: 620 },
      reducedMotion: 'reduce',
      colorScheme,
      timezoneId: 'UTC',
      now: NOW,
    }),
  );
  await page.getByText('connected', { exact: true }).waitFor();
  return { fixture, connection, page, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The part of the picture that differs; what it looks like now is in node_modules/.cache/tocsin-screenshots. */
async function difference(page: Page, name: string): Promise<number> {
  await page.mouse.move(0, 0);
  return await compareScreenshot(browser, page, name);
}

describe('the page looks as it did', () => {
  it.for(['light', 'dark'] as const)('in a channel, %s', async (scheme) => {
    await using scene = await open('', scheme);
    await timeline(scene.page).getByText('Only visible to you').waitFor();

    expect(await difference(scene.page, `channel-${scheme}`)).toBeLessThan(MOST);
  });

  it('with a thread beside it', async () => {
    await using scene = await open();
    await timeline(scene.page).getByRole('button', { name: '1 reply' }).click();
    await scene.page.getByText('3 more traces').waitFor();

    expect(await difference(scene.page, 'thread')).toBeLessThan(MOST);
  });

  it('behind a modal with an error', async () => {
    await using scene = await open();
    await composer(scene.page).fill('/hello');
    await composer(scene.page).press('Enter');
    await expect.poll(() => scene.connection.received.at(-1)?.payload?.trigger_id).toBeTypeOf('string');
    await client(scene.fixture.slack).apiCall('views.open', {
      trigger_id: scene.connection.received.at(-1)?.payload.trigger_id,
      view: {
        type: 'modal',
        title: plain('Resolve incident'),
        submit: plain('Resolve'),
        close: plain('Cancel'),
        blocks: [
          section('*#142 payments*: 12 traces, 3 logs'),
          {
            type: 'input',
            label: plain('Resolution note'),
            hint: plain('What was broken, and what fixed it?'),
            element: { type: 'plain_text_input', action_id: 'note', multiline: true },
          },
          {
            type: 'input',
            optional: true,
            label: plain('Services'),
            element: {
              type: 'multi_static_select',
              action_id: 'of',
              options: [option('payments'), option('web')],
              initial_options: [option('payments')],
            },
          },
        ],
      },
    });
    await scene.page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
    await scene.page.getByText('Please complete this required field.').waitFor();

    expect(await difference(scene.page, 'modal')).toBeLessThan(MOST);
  });

  it('in the Home of the app', async () => {
    await using scene = await open('?as=ana&channel=app&tab=home');
    await publishHome(scene.fixture, 'U0ANA00001', [
      { type: 'header', text: plain('Good morning, Ana') },
      {
        ...section('*#142 payments* is failing since 09:20'),
        accessory: { type: 'button', action_id: 'show', text: plain('Show') },
      },
      { type: 'divider' },
      { type: 'alert', level: 'success', text: { type: 'mrkdwn', text: 'Everything else is well.' } },
    ]);
    await scene.page.getByText('Good morning, Ana').waitFor();

    expect(await difference(scene.page, 'home')).toBeLessThan(MOST);
  });
});
