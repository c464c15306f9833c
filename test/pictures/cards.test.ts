import { randomBytes } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import type { Incident } from '../../src/contract/resources.ts';
import { type BotTeam, startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { FULL_CARD, fullIncident } from '../support/full-incident.ts';
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

/** Draws a picture below docs/screenshots. */
async function draw(page: Page, what: Locator, { name, colorScheme = 'light' }: Picture): Promise<void> {
  await what.waitFor();
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur()');
  await keepPicture(what, `screenshots/${name}.png`);
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

it('draws the form for a note, and the card before and after it is closed', async () => {
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
  await cardOf(page, /#2 .*not acknowledged/i)
    .getByRole('button', { name: 'Acknowledge' })
    .click();
  await cardOf(page, /#2 .*Acknowledged by @ana/).waitFor();
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
  await draw(page, dialog, { name: 'note-form' });
  await dialog.getByLabel('Resolution note').fill('Rolled back checkout 1.2.4 and raised the size of its pool.');
  isAway = true;
  await dialog.getByRole('button', { name: 'Resolve' }).click();
  await draw(page, cardOf(page, /#2 .*Waiting for the incident service/), { name: 'card-waiting' });

  isAway = false;
  await draw(page, cardOf(page, /#2 .*Closed by @[Aa]na/), { name: 'card-closed' });
  service.service.endStreams();
});

it('draws a card that knows the cause, one that is unsure, and the list of both', async () => {
  const now = Date.now();
  const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000).toISOString();
  const call = (from: string, to: string, failed: number) => ({ from, to, calls: 216, failed });
  const fields: Record<string, Partial<Incident>> = {
    bank: fullIncident(now),
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
  for (const service of ['inventory', 'search', 'bank']) {
    team.service.openIncident({ service, openedAt: new Date(now - 6 * 60_000) });
  }
  await team.card(/#5 [\s\S]*Root service unsure/);
  await team.card(/#6 .*[\s\S]*never logged before/);
  await using page = await open(team);

  await draw(page, cardOf(page, FULL_CARD), { name: 'card' });
  await draw(page, cardOf(page, /#5 .*unsure: search or inventory.*Fixed before/), { name: 'card-unsure' });
  await page.setViewportSize({ width: 390, height: 1100 });
  await draw(page, cardOf(page, FULL_CARD), { name: 'card-phone', colorScheme: 'dark' });
  await team.slack.as('ana').command('incidents', '/incidents open');
  await page.setViewportSize(SIZE);
  await draw(page, cardOf(page, /3 open incidents · as of/), { name: 'list' });
});

it('draws a storm card', async () => {
  const severityOf = (service: string) => (service.startsWith('disk') ? 'critical' : 'error');
  await using team = await startBotTeam({
    hasAdditions: true,
    before: ({ service }) =>
      service.showMore(({ id, rootService }) => ({
        number: Number(/\d+$/.exec(id)?.[0]),
        title: `${rootService}: ${rootService.startsWith('disk') ? 'Disk full: less than 3 % left' : 'POST /charge fails (timeout)'}`,
        severity: severityOf(rootService),
      })),
  });
  for (let index = 0; index < 40; index += 1) {
    const openedAt = new Date(Date.now() - 60_000 + index * 1_000);
    const service = ['checkout', 'payments'][index % 10] ?? `disk-${index}`;
    team.service.openIncident({ service, openedAt, signals: [{ type: 'log' }, { type: 'trace' }] });
  }
  await using page = await open(team);

  await team.slack.waitFor(() => team.slack.messages('incidents').find(({ text }) => /Storm: 40 incidents/.test(text)));
  await draw(page, cardOf(page, /Storm: \d+ incidents/), { name: 'storm' });
});
