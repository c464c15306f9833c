import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startShop } from '../../examples/shop/shop.ts';
import { createServiceClient } from '../../src/client/service-client.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

const NOTE = '  Rolled back payments to 1.2.2 <&> *see* `run-42`\n\tüñí → 🟢  ';
/** From the first failing request to a card: exporters, correlation and polling take their seconds. */
const CARD_TIMEOUT_MS = 30_000;

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe.each([
  { transport: 'Socket Mode', settings: {} },
  { transport: 'signed HTTP', settings: { SLACK_SIGNING_SECRET: 'a-secret-of-this-test' } },
])('answering an incident from Slack over $transport', ({ settings }) => {
  it('goes from a broken shop to a closed card, and on to the next incident', { timeout: 120_000 }, async () => {
    await using tocsin = await startTocsin(settings);
    await using page = await openSlack(tocsin);
    const apiKey = (await readFile(join(tocsin.dataDir, 'keys/shop.key'), 'utf8')).trim();
    await using service = createServiceClient({ baseUrl: `${tocsin.url}/v1`, apiKey });
    await using shop = await startShop({ endpoint: tocsin.url, apiKey });
    const messages = page.getByRole('log').getByRole('listitem');

    shop.break('payments');
    const card = messages.filter({ hasText: '#1 payments' }).first();
    await card.waitFor({ timeout: CARD_TIMEOUT_MS });
    expect(await card.textContent()).toMatch(/Open, not acknowledged[\s\S]*Root service\s+payments[\s\S]*\d+ signals/);

    await page.getByRole('textbox', { name: 'Message #incidents' }).fill('/incidents open');
    await page.keyboard.press('Enter');
    const list = messages.filter({ hasText: '1 open incident' });
    await list.waitFor();
    expect(await list.textContent()).toMatch(/Only visible to you[\s\S]*#1 payments/);

    await card.getByRole('button', { name: 'Acknowledge' }).click();
    await messages.filter({ hasText: 'You acknowledged #1' }).waitFor();
    await card.getByText('Acknowledged by ana@example.com').waitFor();
    expect(await card.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);

    await card.getByRole('button', { name: 'Resolve' }).click();
    const modal = page.getByRole('dialog', { name: 'Resolve incident' });
    await modal.getByRole('textbox', { name: 'Resolution note' }).fill(NOTE);
    await modal.getByRole('button', { name: 'Resolve' }).click();
    await messages.filter({ hasText: 'You closed #1' }).waitFor();
    await card.getByText('Closed').waitFor();
    expect(await card.textContent()).toContain('Rolled back payments to 1.2.2 <&>');

    const { incidents, total } = await service.listIncidents();
    expect(total).toBe(1);
    const incident = await service.getIncident(incidents[0]?.id ?? '');
    expect(incident).toMatchObject({
      status: 'closed',
      root_service: 'payments',
      acknowledged_by: 'ana@example.com',
      resolved_by: 'ana@example.com',
      resolution_note: NOTE,
    });
    expect(incident.services).toEqual(expect.arrayContaining(['payments', 'checkout', 'web']));

    shop.break('inventory');
    await messages.filter({ hasText: '#2 inventory' }).first().waitFor({ timeout: CARD_TIMEOUT_MS });
    expect(await messages.filter({ hasText: 'Root service' }).count()).toBe(2);
  });
});

async function openSlack(tocsin: TocsinProcess): Promise<Page & AsyncDisposable> {
  const page = await browser.newPage();
  await page.goto(tocsin.localSlackUrl ?? '');
  return Object.assign(page, { [Symbol.asyncDispose]: () => page.close() });
}
