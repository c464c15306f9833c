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
const ROOT = { timeout: 45_000 };
/** From the repair to a card that says so, with the time of the exporters. */
const RECOVERY = { timeout: 75_000 };

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

interface Place {
  readonly shop: Shop;
  readonly service: ServiceClient;
  readonly page: Locator;
}

it.concurrent('has a card for each of two faults at once, and says when they recovered', async () => {
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

it.concurrent('has a card for each fault of a row, though nobody closes any', async () => {
  await using stack = new AsyncDisposableStack();
  const { shop, service, page } = await openPlace(stack);

  shop.break('orders-db');
  await expect.poll(() => rootsOf(service), ROOT).toEqual(['orders-db']);
  shop.break('inventory');
  await expect.poll(() => rootsOf(service), ROOT).toEqual(['inventory', 'orders-db']);
  shop.break('bank-gateway');
  await expect.poll(() => rootsOf(service), ROOT).toEqual(['bank-gateway', 'inventory', 'orders-db']);
  shop.fix();
  for (const root of ['orders-db', 'inventory', 'bank-gateway']) {
    await cardOf(page, root, /Recovered/).waitFor(RECOVERY);
  }
  shop.break('bank-gateway');

  await cardOf(page, 'bank-gateway', /Still failing/).waitFor(ROOT);
  expect(await rootsOf(service)).toEqual(['bank-gateway', 'inventory', 'orders-db']);
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
