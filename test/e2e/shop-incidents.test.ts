import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebClient } from '@slack/web-api';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { faults } from '../../examples/shop/faults.ts';
import { type Shop, startShop } from '../../examples/shop/shop.ts';
import { createServiceClient, type ServiceClient } from '../../src/client/service-client.ts';
import { launchBrowser } from '../support/browser.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTocsin } from '../support/tocsin-process.ts';

/**
 * The real shop, its OpenTelemetry SDKs, Tocsin and its cards, for each test. They wait most of the time, so they run at once.
 * `shop-scenarios.test.ts` has more, in simulated time.
 */

/** From the first failing request to the right root. */
const ROOT = { timeout: HANG_MS };
/** From the first failing request to a card with all that is known. */
const CARD = { timeout: HANG_MS, interval: 2_000 }; // Slack answers `conversations.history` 50 times a minute
/** From the repair to a card that says so, with the time of the exporters. */
const RECOVERY = { timeout: HANG_MS };

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

interface Place {
  readonly shop: Shop;
  readonly service: ServiceClient;
  readonly page: Locator;
  readonly slack: WebClient;
}

it.concurrent('has a card for each of two faults at once, and says when they recovered', async ({ expect }) => {
  await using stack = new AsyncDisposableStack();
  const { shop, service, page } = await openPlace(stack);

  shop.break('payments', 'inventory');
  await expect.poll(() => rootsOf(service), ROOT).toEqual(['inventory', 'payments']);
  await cardOf(page, 'payments', /Still failing/).waitFor(ROOT);
  await cardOf(page, 'inventory', /Still failing/).waitFor(ROOT);
  shop.fix();

  await cardOf(page, 'payments', /Recovered/).waitFor(RECOVERY);
  await cardOf(page, 'inventory', /Recovered/).waitFor(RECOVERY);
  expect(await rootsOf(service)).toEqual(['inventory', 'payments']);
});

/** What each fault says of itself. Slowness has no words. */
const ERRORS: Readonly<Record<string, RegExp>> = {
  payments: /no merchant account for currency EUR/,
  'orders-db': /statement canceled|did not answer|slow/,
  inventory: /stock count of bell is negative/,
  'bank-gateway': /the card network refuses connections/,
  gone: /cannot be reached|refused/,
  vendor: /try again later|503/,
  'one-instance': /the price list of this instance is empty/,
};

/** What somebody who was woken asks, with what answers it on the card. */
function answersTo(fault: string, root: string): Readonly<Record<string, RegExp>> {
  return {
    'how bad it is': /^(Critical|Error|Warning) · /,
    'what fails': new RegExp(`#\\d+ ${root}: .+`),
    'with which error': ERRORS[fault] ?? /^never$/,
    'who has it': /\nNot acknowledged · opened /,
    'is it over': /\nStill (failing|slow) · /,
    'for how many': /[\d,]+ of [\d,]+ (requests? (failed|was slow|were slow)|calls? failed)/,
    'since when': / · since <!date/,
    'who else is affected': /Also affects `/,
  };
}

it.concurrent.for([
  { row: ['payments', 'orders-db', 'vendor'] },
  { row: ['inventory', 'bank-gateway', 'gone', 'one-instance'] },
])(
  'has a card for each fault of a row, $row.0 first, that answers the woken, though nobody closes any',
  async ({ row }, { expect }) => {
    await using stack = new AsyncDisposableStack();
    const { shop, page, slack } = await openPlace(stack);
    const rootOf = (name: string) => faults.find((fault) => fault.name === name)?.root ?? '';
    const unanswered = async (name: string) => {
      const { messages = [] } = await slack.conversations.history({ channel: 'C0INCIDENT' });
      const texts = messages.map(({ text = '' }) => text.replaceAll(/<http[^|>]*\|([^>]*)>/g, '$1'));
      const card = texts.find((text) => text.includes(` ${rootOf(name)}: `)) ?? '';
      const asked = Object.entries(answersTo(name, rootOf(name)));
      return asked.flatMap(([question, answer]) => (answer.test(card) ? [] : [{ name, question, card }]));
    };

    for (const name of row) {
      shop.break(name);
      await expect.poll(() => unanswered(name), CARD).toEqual([]);
    }
    shop.fix();

    for (const name of row) {
      await cardOf(page, rootOf(name), /Recovered/).waitFor(RECOVERY);
    }
    const { messages = [] } = await slack.conversations.history({ channel: 'C0INCIDENT' });
    const cardsOf = (root: string) => messages.filter(({ text = '' }) => text.includes(` ${root}: `)).length;
    expect(row.map((name) => cardsOf(rootOf(name)))).toEqual(row.map(() => 1));
  },
);

/** A slow network shows only on a machine that is not slow itself: `harm-scenarios.test.ts` has one in simulated time. */
it('asks about every fault that Tocsin should tell', () => {
  const told = faults.filter(({ root, networkMs }) => root !== null && networkMs === undefined).map(({ name }) => name);

  expect(Object.keys(ERRORS).toSorted()).toEqual(told.toSorted());
});

async function openPlace(stack: AsyncDisposableStack): Promise<Place> {
  const tocsin = stack.use(await startTocsin({}));
  const apiKey = (await readFile(join(tocsin.dataDir, 'keys/shop.key'), 'utf8')).trim();
  const page = await browser.newPage();
  stack.defer(() => page.close());
  await page.goto(tocsin.localSlackUrl ?? '');
  return {
    shop: stack.use(await startShop({ endpoint: tocsin.url, apiKey })),
    service: stack.use(createServiceClient({ baseUrl: `${tocsin.url}/v1`, apiKey })),
    page: page.getByRole('log'),
    slack: new WebClient('xoxb-local-slack', { slackApiUrl: `${tocsin.localSlackUrl}api/` }),
  };
}

async function rootsOf(service: ServiceClient): Promise<string[]> {
  const { incidents } = await service.listIncidents({ status: 'open' });
  return incidents.map(({ root_service: root }) => root).toSorted();
}

/** The card of the incident with this root, once it has this text. */
function cardOf(page: Locator, root: string, text: RegExp): Locator {
  return page
    .getByRole('listitem')
    .filter({ hasText: new RegExp(`#\\d+ ${root}:`) })
    .filter({ hasText: 'Not acknowledged' }) // its title names the root, which has no line of its own for a single signal
    .filter({ hasText: text })
    .first();
}
