import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Shop, startShop } from '../../examples/shop/shop.ts';
import { createServiceClient, type ServiceClient } from '../../src/client/service-client.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTocsin } from '../support/tocsin-process.ts';

/** The real shop, its OpenTelemetry SDKs, Tocsin and its cards. `shop-scenarios.test.ts` has more, in simulated time. */

/** From the first failing request to the right root. */
const ROOT_TIMEOUT_MS = 45_000;
/** From the repair to a card that says so, with the time of the exporters. */
const RECOVERY_TIMEOUT_MS = 75_000;

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

interface Place {
  readonly shop: Shop;
  readonly service: ServiceClient;
  readonly cards: Locator;
}

async function openPlace(stack: AsyncDisposableStack): Promise<Place> {
  const tocsin = stack.use(await startTocsin({}));
  const apiKey = (await readFile(join(tocsin.dataDir, 'keys/shop.key'), 'utf8')).trim();
  const page = await browser.newPage();
  stack.defer(() => page.close());
  await page.goto(tocsin.localSlackUrl ?? '');
  return {
    shop: stack.use(await startShop({ endpoint: tocsin.url, apiKey })),
    service: stack.use(createServiceClient({ baseUrl: `${tocsin.url}/v1`, apiKey })),
    cards: page.getByRole('log').getByRole('listitem').filter({ hasText: 'Root service' }),
  };
}

async function rootsOf(service: ServiceClient): Promise<string[]> {
  const { incidents } = await service.listIncidents();
  return incidents.map(({ root_service: root }) => root).toSorted();
}

const card = (cards: Locator, root: string) => cards.filter({ hasText: new RegExp(`#\\d+ ${root}`) });

it('has a card for each of two faults at once, and says when they have recovered', { timeout: 180_000 }, async () => {
  await using stack = new AsyncDisposableStack();
  const { shop, service, cards } = await openPlace(stack);

  shop.break('payments', 'inventory');
  await expect.poll(() => rootsOf(service), { timeout: ROOT_TIMEOUT_MS }).toEqual(['inventory', 'payments']);
  await card(cards, 'payments')
    .getByText(/Still failing/)
    .waitFor({ timeout: 20_000 });
  shop.fix();

  await card(cards, 'payments')
    .getByText(/Recovered/)
    .waitFor({ timeout: RECOVERY_TIMEOUT_MS });
  await card(cards, 'inventory')
    .getByText(/Recovered/)
    .waitFor({ timeout: RECOVERY_TIMEOUT_MS });
  expect(await rootsOf(service)).toEqual(['inventory', 'payments']);
});

it('has a card for each fault of a row, though nobody closes any', { timeout: 240_000 }, async () => {
  await using stack = new AsyncDisposableStack();
  const { shop, service, cards } = await openPlace(stack);

  shop.break('orders-db');
  await expect.poll(() => rootsOf(service), { timeout: ROOT_TIMEOUT_MS }).toEqual(['orders-db']);
  shop.fix();
  await card(cards, 'orders-db')
    .getByText(/Recovered/)
    .waitFor({ timeout: RECOVERY_TIMEOUT_MS });
  shop.break('bank-gateway');
  await expect.poll(() => rootsOf(service), { timeout: ROOT_TIMEOUT_MS }).toEqual(['bank-gateway', 'orders-db']);
  await card(cards, 'bank-gateway').waitFor({ timeout: 20_000 });
});
