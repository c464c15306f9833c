import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from '../../../../test/support/axe.ts';
import { createVirtualClock } from '../../src/local-slack.ts';
import { client, connect, type Fixture } from '../fixture.ts';
import {
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

const NOW = new Date('2026-11-20T09:30:00Z');
const WIDTHS = [1280, 390] as const;

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
  {
    ...section('*edge-doha*: 14 failures, 3 of them new, the oldest since 12 minutes'),
    accessory: { type: 'button', action_id: 'all', text: plain('Acknowledge all of edge-doha') },
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

/** A channel with a card, a thread and an ephemeral message. */
async function open(width: number, query = '') {
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
  const page = stack.use(
    await openPage(fixture, query, { viewport: { width, height: 800 }, timezoneId: 'UTC', now: NOW }),
  );
  await page.getByText('connected', { exact: true }).waitFor();
  return { fixture, connection, page, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Runs in the page: controls that stick out of the window, are cut off or are too small to click. */
const LAYOUT_PROBLEMS = `(() => {
  const name = (element) => element.tagName + ' ' + (element.ariaLabel ?? element.textContent).slice(0, 40);
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const controls = [...document.querySelectorAll('button, a, input, select, textarea')].filter(isShown);
  const sticksOut = controls.filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 1 && !element.closest('.table, .carousel') && (left < 0 || right > innerWidth + 1);
  });
  const cut = controls.filter((element) => element.matches('button') && element.scrollWidth > element.clientWidth + 1);
  const small = controls.filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && element.matches('button, select') && (width < 20 || height < 20);
  });
  return [
    ...(document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : []),
    ...sticksOut.map((element) => 'sticks out: ' + name(element)),
    ...cut.map((element) => 'cut off: ' + name(element)),
    ...small.map((element) => 'too small: ' + name(element)),
  ];
})()`;

async function problems(page: Page): Promise<string[]> {
  const layout: string[] = await page.evaluate(LAYOUT_PROBLEMS);
  return [...layout, ...(await accessibilityFaults(page))];
}

async function boxOf(locator: Locator): Promise<{ left: number; right: number; top: number; bottom: number }> {
  const box = await locator.boundingBox();
  if (box === null) {
    throw new Error('the element is not visible');
  }
  return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
}

describe.each(WIDTHS)('in a window of %i px', (width) => {
  it('shows a channel with a card and an ephemeral message', async () => {
    await using scene = await open(width);
    const { page } = scene;
    await timeline(page).getByText('Only visible to you').waitFor();

    expect(await problems(page)).toEqual([]);
    expect(await timeline(page).getByRole('heading', { name: 'payments is failing' }).isVisible()).toBe(true);
    expect(await timeline(page).locator('.block.actions').getByRole('button').allInnerTexts()).toEqual([
      'Acknowledge',
      'Resolve',
      '⋯',
    ]);
    expect(await timeline(page).locator('.field').allInnerTexts()).toEqual([
      'State\nOpen, not acknowledged',
      'Root service\npayments',
      'Signals\n12 traces, 3 logs',
      'Touches\ncheckout, web',
    ]);
  });

  it('shows a thread and closes it', async () => {
    await using scene = await open(width);
    const { page } = scene;
    await timeline(page).getByRole('button', { name: '1 reply' }).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('3 more traces').waitFor();

    expect(await problems(page)).toEqual([]);
    await thread.getByRole('button', { name: 'Close the thread' }).click();
    await thread.waitFor({ state: 'hidden' });
  });

  it('shows a modal with an error', async () => {
    await using scene = await open(width);
    const { page } = scene;
    await openModal(scene.fixture, page, scene.connection, {
      type: 'modal',
      title: plain('Resolve'),
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
    });
    const dialog = page.getByRole('dialog', { name: 'Resolve' });
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await dialog.getByText('Please complete this required field.').waitFor();

    expect(await problems(page)).toEqual([]);
    const modal = await boxOf(dialog);
    expect([modal.left, modal.top].every((edge) => edge >= 0)).toBe(true);
    expect(modal.right).toBeLessThanOrEqual(width);
    expect(modal.bottom).toBeLessThanOrEqual(800);
  });

  it('shows the Home of the app', async () => {
    await using scene = await open(width, '?as=ana&channel=app&tab=home');
    const { page } = scene;
    await publishHome(scene.fixture, 'U0ANA00001', [
      { type: 'header', text: plain('Good morning, Ana') },
      {
        ...section('*#142 payments* is failing since 09:20'),
        accessory: { type: 'button', action_id: 'show', text: plain('Show') },
      },
      { type: 'divider' },
      { type: 'alert', level: 'success', text: { type: 'mrkdwn', text: 'Everything else works.' } },
    ]);
    await page.getByText('Good morning, Ana').waitFor();

    expect(await problems(page)).toEqual([]);
    expect(await page.getByRole('tabpanel').getByRole('button', { name: 'Show' }).isVisible()).toBe(true);
  });

  it('shows the tools', async () => {
    await using scene = await open(width);
    const { page } = scene;
    for (const tool of ['Faults', 'Inspector']) {
      await sidebar(page).getByRole('button', { name: tool }).click();
      const panel = page.getByRole('complementary', { name: tool });
      await panel.waitFor();

      expect(await problems(page)).toEqual([]);
      await panel.getByRole('button', { name: 'Close the panel' }).click();
    }
  });

  it('shows the panel of another program, with a description for each button', async () => {
    await using scene = await open(width);
    const { page } = scene;
    const group = 'Break Slack';
    const buttons = [
      { id: 'a', group, label: 'Lose 3 acknowledgements', description: 'Slack does not hear of the next 3 clicks.' },
      { id: 'b', group, label: 'Away', description: 'Slack does not answer at all.' },
    ];
    const drill = { title: 'Drill', buttons, metrics: [{ label: 'Lost', value: '0' }] };
    const panel = await openPanel(scene.fixture, page, drill);
    await panel.getByRole('button', { name: 'Away' }).waitFor();

    expect(await problems(page)).toEqual([]);
    expect(await panel.getByRole('button', { description: 'Slack does not answer at all.' }).innerText()).toBe('Away');
    expect(await panel.getByText('Slack does not hear of the next 3 clicks.').isVisible()).toBe(true);
  });
});

it('puts the accessory of a section beside its text in a wide window', async () => {
  await using scene = await open(1280);
  const block = timeline(scene.page).locator('.section', { hasText: 'edge-doha' });

  const [text, button] = [await boxOf(block.locator('.section-body')), await boxOf(block.getByRole('button'))];

  expect(button.left).toBeGreaterThanOrEqual(text.right);
  expect(button.top).toBeLessThan(text.bottom);
});

it('puts the accessory of a section below its text in a narrow window', async () => {
  await using scene = await open(390);
  const block = timeline(scene.page).locator('.section', { hasText: 'edge-doha' });

  const [text, button] = [await boxOf(block.locator('.section-body')), await boxOf(block.getByRole('button'))];

  expect(button.top).toBeGreaterThanOrEqual(text.bottom);
  expect(text.right - text.left).toBeGreaterThan(250);
});
