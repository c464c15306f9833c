import { randomBytes } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import type { Incident } from '../../src/contract/resources.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { type BotTeam, startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { layoutFaults, linesAboveButtons } from '../support/layout.ts';
import { keepPicture } from '../support/pictures.ts';
import { openSlackPage, timeline } from '../support/slack-page.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const SIZE = { width: 980, height: 1100 };

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

const open = (team: BotTeam): Promise<Page & AsyncDisposable> =>
  openSlackPage(browser, team.slack.url, { viewport: SIZE, timezoneId: 'UTC' });

const cardOf = (page: Page, words: RegExp | string): Locator =>
  timeline(page).getByRole('article').filter({ hasText: words }).last();

interface Picture {
  /** Below docs/screenshots. */
  readonly name: string;
  readonly colorScheme?: 'light' | 'dark';
}

/**
 * Returns the buttons of a message or form, and everything that a person could not read or press in both colour schemes.
 * `npm run screenshots` also keeps the picture.
 */
async function inspect(page: Page, what: Locator, picture?: Picture): Promise<{ buttons: string[]; faults: string[] }> {
  await what.waitFor();
  const faults = [...(await accessibilityFaults(page)), ...(await layoutFaults(what))];
  if (picture !== undefined) {
    await page.emulateMedia({ colorScheme: picture.colorScheme ?? 'light', reducedMotion: 'reduce' });
    await page.mouse.move(0, 0);
    await page.evaluate('document.activeElement.blur()');
    await keepPicture(what, `screenshots/${picture.name}.png`);
  }
  return { buttons: await what.locator('.block').getByRole('button').allInnerTexts(), faults };
}

/** Requests to `web` that fail because its calls to `checkout` fail. */
async function failCheckout(service: TestService, requests: number): Promise<void> {
  const at = service.now().getTime();
  const spans = Array.from({ length: requests }, () => {
    const [traceId, web, checkout] = [16, 8, 8].map((bytes) => randomBytes(bytes).toString('hex'));
    return [
      { service: 'web', spanId: web, traceId, name: 'POST /order' },
      { service: 'checkout', spanId: checkout, traceId, parentSpanId: web, name: 'POST /charge' },
    ];
  }).flat();
  const resourceSpans = spans.map(({ service: name, ...span }) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: name } }] },
    scopeSpans: [
      {
        spans: [
          {
            ...span,
            kind: 2,
            startTimeUnixNano: `${at - 20}000000`,
            endTimeUnixNano: `${at}000000`,
            status: { code: 2, message: 'connection refused' },
          },
        ],
      },
    ],
  }));
  expect((await service.call('POST', '/traces', { body: { resourceSpans } })).status).toBe(200);
}

it('shows each state of an incident on its card, and earlier notes and warnings in the resolve form', async () => {
  await using service = await startTestService({ aheadMs: -40 * 60_000 });
  await using door = await openFrontDoor('127.0.0.1', 0);
  let isAway = false;
  door.handlers.service = (request) =>
    isAway ? new Response('the service is away', { status: 503 }) : service.service.fetch(request);
  await using team = await startBotTeam({
    service: { baseUrl: `${door.url}/v1`, apiKey: service.readWriteKey },
    pollMs: 50,
  });
  await using page = await open(team);
  const ana = team.slack.as('ana');
  const dialog = page.getByRole('dialog');

  await failCheckout(service, 3);
  await service.openIncident();
  await ana.click(await team.card(/#1 /), 'Resolve');
  await ana.submit(await team.modal('ana'), {
    'Resolution note': 'Rolled back checkout 1.2.3: its connection pool was too small.',
  });
  await team.card(/#1 .*\nClosed by/);
  service.advance(35 * 60_000);
  await failCheckout(service, 12); // a few after a long silence open nothing
  await service.openIncident();
  await team.card(/#2 .*\nNot acknowledged[\s\S]*Continues #1, closed by ana/);
  expect(await inspect(page, cardOf(page, /#2 .*not acknowledged/i))).toEqual({
    buttons: ['Acknowledge', 'Resolve', 'Show', '⋯'],
    faults: [],
  });

  await cardOf(page, /#2 .*(Still failing|Quiet)/)
    .getByRole('button', { name: 'Acknowledge' })
    .click();
  expect(await inspect(page, cardOf(page, /#2 .*Acknowledged by @ana/))).toEqual({
    buttons: ['Resolve', 'Show', '⋯'],
    faults: [],
  });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 980, height: 720 });
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur()');
  await keepPicture(page, 'local-slack.png');
  await page.setViewportSize(SIZE);

  await failCheckout(service, 2);
  await cardOf(page, /#2 .*(Still failing|Quiet)/)
    .getByRole('button', { name: 'Resolve' })
    .click();
  await dialog.getByText('How checkout was fixed before').waitFor();
  await dialog.getByText('Still failing').waitFor();
  expect(await inspect(page, dialog, { name: 'note-form' })).toEqual({ buttons: ['Use this note'], faults: [] });
  await dialog.getByLabel('Resolution note').fill('fixed');
  await dialog.getByRole('button', { name: 'Resolve' }).click();
  await dialog.getByText('A one-word note may not help').waitFor();
  expect(await inspect(page, dialog)).toEqual({ buttons: ['Use this note'], faults: [] });

  await dialog.getByLabel('Resolution note').fill('Rolled back checkout 1.2.4 and raised the size of its pool.');
  isAway = true;
  await dialog.getByRole('button', { name: 'Resolve' }).click();
  expect(await inspect(page, cardOf(page, /#2 .*Waiting for the incident service/), { name: 'card-waiting' })).toEqual({
    buttons: ['Resolve', 'Show', '⋯'],
    faults: [],
  });

  isAway = false;
  expect(await inspect(page, cardOf(page, /#2 .*Closed by @[Aa]na/), { name: 'card-closed' })).toEqual({
    buttons: ['Show', 'Signals'],
    faults: [],
  });

  const startedAt = service.now();
  const alert = (endedAt: Date | null) => alertNotification(startedAt, endedAt, { service: 'ledger' });
  await service.call('POST', '/alertmanager', { body: alert(null) });
  await team.card(/#3 /);
  service.advance(4 * 60_000);
  await service.call('POST', '/alertmanager', { body: alert(service.now()) });
  expect(await inspect(page, cardOf(page, /#3 .*Recovered/))).toEqual({
    buttons: ['Acknowledge', 'Resolve', 'Show', '⋯'],
    faults: [],
  });
  service.service.endStreams();
});

it('says on a card that an incident recovered, was merged, or has an uncertain root', async () => {
  const now = Date.now();
  const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000).toISOString();
  const call = (from: string, to: string, failed: number) => ({ from, to, calls: 216, failed });
  const fields: Record<string, Partial<Incident>> = {
    inventory: {
      number: 3,
      title: 'inventory: GET /stock fails (timeout)',
      activity: 'recovered',
      activity_since: at(1),
      impact: [call('checkout', 'inventory', 208)],
      url: 'http://tocsin.test/3',
    },
    bank: {
      number: 6,
      title: 'bank: POST /charge fails (connection refused)',
      activity: 'failing',
      last_seen_at: at(0),
      signal_count: 214,
      impact: [call('payments', 'bank', 208)],
      failures_per_minute: { from: at(8), counts: [0, 0, 3, 18, 61, 74, 70, 46] },
      changes: [{ at: at(9), service: 'bank', version: '1.8.2', failed_at: at(6) }],
      links: [
        { kind: 'runbook', url: 'https://wiki.example.com/bank' },
        { kind: 'dashboard', url: 'https://grafana.example.com/d/bank' },
      ],
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      correlation: {
        method: 'm',
        confidence: 0.67,
        services: [],
        edges: [],
        window: { from: at(5), to: at(2) },
        evidence: ['bank logs a line that it never logged before: connection refused'],
        candidates: [{ service: 'bank', score: 0.7, reasons: [] }],
      },
      similar: [
        { id: 'inc_9', number: 2, closed_at: at(5_000), resolution_note: 'rolled back 1.8.1', resolved_by: 'Ana' },
      ],
    },
    search: {
      number: 5,
      title: 'search: GET /search fails (connection refused)',
      activity: 'failing',
      last_seen_at: at(2),
      impact: [call('web', 'search', 40), call('checkout', 'search', 12), call('ads', 'search', 3)],
      correlation: {
        method: 'm',
        confidence: 0.1,
        services: [],
        edges: [],
        window: { from: at(5), to: at(2) },
        evidence: [],
        candidates: ['search', 'inventory'].map((service) => ({ service, score: 0.5, reasons: [] })),
      },
      similar: [1, 2].map((number) => ({
        id: `inc_${number}`,
        number,
        closed_at: at(number * 3 * 1_440),
        resolution_note: `rolled back 1.2.${4 - number}`,
        resolved_by: 'Ana',
      })),
    },
  };
  await using team = await startBotTeam({
    traceUrl: 'https://traces.example.com/{trace_id}',
    before: ({ service }) => service.showMore(({ rootService }) => ({ severity: 'critical', ...fields[rootService] })),
  });
  const openedAt = new Date(now - 6 * 60_000);
  const [inventory = '', payments = ''] = ['inventory', 'payments', 'search', 'bank'].map((service) =>
    team.service.openIncident({ service, openedAt }),
  );
  await team.card(/#5 [\s\S]*Root service unsure/);
  await team.card(/#6 .*[\s\S]*likely \(67 %\)/);
  await team.card(/payments/);
  fields.payments = { number: 4, title: 'payments: POST /charge fails', merged_into: inventory };
  team.service.closeIncident(payments);
  await team.card(/#4 .*\nPart of/);
  await using page = await open(team);
  const cards = [
    [undefined, /#3 .*Recovered/, ['Acknowledge', 'Resolve', 'Show', 'Signals']],
    [undefined, /#4 .*Part of #3: inventory/, ['Show', 'Signals']],
    [
      { name: 'card-unsure' },
      /#5 .*40 of 216 calls.*unsure: search or inventory.*Fixed before/,
      ['Acknowledge', 'Resolve', 'Show', 'Signals'],
    ],
  ] as const;

  const causes =
    /#6 .*208 of 216 calls.*likely \(67 %\).*bank 1\.8\.2 deployed 3 min before the first failure.*rolled back 1\.8\.1/;
  expect(await inspect(page, cardOf(page, causes), { name: 'card' })).toEqual({
    buttons: ['Acknowledge', 'Resolve', 'Show', 'Signals'],
    faults: [],
  });
  for (const [picture, words, buttons] of cards) {
    expect(await inspect(page, cardOf(page, words), picture)).toEqual({ buttons, faults: [] });
  }
  await page.setViewportSize({ width: 390, height: 1100 });
  for (const words of [causes, ...cards.map(([, each]) => each)]) {
    expect(await layoutFaults(cardOf(page, words))).toEqual([]);
    expect(await linesAboveButtons(cardOf(page, words))).toBeLessThanOrEqual(6);
  }
  await inspect(page, cardOf(page, causes), { name: 'card-phone', colorScheme: 'dark' });

  await team.slack.as('ana').command('incidents', '/incidents open');
  const list = cardOf(page, /3 open incidents · as of/);
  await list.waitFor();
  expect(await layoutFaults(list)).toEqual([]);
  await inspect(page, list);
  await page.setViewportSize(SIZE);
  expect(await inspect(page, list, { name: 'list' })).toEqual({
    buttons: [...Array<string>(3).fill('⋯'), 'Acknowledge all 3', 'Refresh'],
    faults: [],
  });
  await list.getByRole('button', { name: 'More choices' }).first().click();
  await page.getByRole('menuitem', { name: /^Acknowledge #/ }).click();
  await cardOf(page, /3 open incidents.*🟡 acknowledged by @?ana/i).waitFor();
});

it('groups the incidents of a storm card by service', async () => {
  await using team = await startBotTeam();
  // As different in number that the order is the same, however many get a card before the storm.
  const services = [...Array(5).fill('checkout'), ...Array(3).fill('payments'), 'search', 'search'] as string[];
  for (let index = 0; index < 40; index += 1) {
    const openedAt = new Date(Date.now() - 60_000 + index * 1_000);
    const service = services[index % services.length] ?? 'search';
    team.service.openIncident({ service, openedAt, signals: [{ type: 'log' }, { type: 'trace' }] });
  }
  await using page = await open(team);

  await team.slack.waitFor(() => team.slack.messages('incidents').find(({ text }) => /Storm: 40 incidents/.test(text)));
  expect(await inspect(page, cardOf(page, /Storm: \d+ incidents/), { name: 'storm' })).toEqual({
    buttons: [
      expect.stringMatching(/^Acknowledge all of checkout \(\d+\)$/),
      expect.stringMatching(/^Acknowledge all of payments \(\d+\)$/),
      expect.stringMatching(/^Acknowledge all of search \(\d+\)$/),
      'Show list',
    ],
    faults: [],
  });
  await page.setViewportSize({ width: 980, height: 640 });
  await cardOf(page, 'Storm').getByRole('button', { name: 'Show list' }).click();
  expect(await inspect(page, page.getByRole('dialog'))).toEqual({
    buttons: [...Array<string>(12).fill('⋯'), 'Acknowledge all 12', 'Refresh', 'Next'],
    faults: [],
  });
});
