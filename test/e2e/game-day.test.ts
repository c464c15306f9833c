import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { WebClient } from '@slack/web-api';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { HANG_MS } from '../support/hang.ts';
import { spawnHere, startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

const COMMAND = ['--import', 'tsx', join('examples', 'shop', 'main.ts'), '--game-day'];

/** Runs a game day beside a running Tocsin until disposed of. Resolves once its panel is shown. */
async function attach({ url, localSlackUrl, dataDir }: TocsinProcess): Promise<AsyncDisposable> {
  const portOf = (address: string | null): string => new URL(address ?? '').port;
  const child = spawnHere(process.execPath, COMMAND, {
    DATA_DIR: dataDir,
    PORT: portOf(url),
    LOCAL_SLACK_PORT: portOf(localSlackUrl),
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const greeted = new Promise<void>((resolve) => {
    lines.on('line', (line) => line.startsWith('Game day') && resolve());
  });
  const failed = Promise.all([text(child.stderr), ended]).then(([stderr]) => {
    throw new Error(`the game day ended: ${stderr}`);
  });
  await Promise.race([greeted, failed]);
  return {
    async [Symbol.asyncDispose]() {
      failed.catch(() => {}); // stopped by us
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Posts the card a second time, like a bot that has lost its state. */
async function postDouble(slackUrl: string): Promise<void> {
  const web = new WebClient('xoxb-local-slack', { slackApiUrl: `${slackUrl}api/` });
  const { messages = [] } = await web.conversations.history({ channel: 'C0INCIDENT', include_all_metadata: true });
  const card = messages.find(({ metadata }) => metadata?.event_type === 'tocsin_card');
  await web.apiCall('chat.postMessage', {
    channel: 'C0INCIDENT',
    text: card?.text,
    blocks: card?.blocks,
    metadata: card?.metadata,
  });
}

const figure = (panel: Locator, label: string): Locator =>
  panel
    .locator('dl > div')
    .filter({ has: panel.page().getByText(label, { exact: true }) })
    .getByRole('definition');

async function violations(page: Page): Promise<unknown> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
}

it('breaks the shop from the page of a running Tocsin, and counts a duplicated card', async () => {
  await using tocsin = await startTocsin();
  const slackUrl = tocsin.localSlackUrl ?? '';
  await using browser = { chromium: await launchBrowser(), [Symbol.asyncDispose]: () => browser.chromium.close() };
  const page = await browser.chromium.newPage();
  await page.goto(slackUrl);
  {
    await using _gameDay = await attach(tocsin);
    await page.getByRole('button', { name: 'Game day' }).click();
    const panel = page.getByRole('complementary', { name: 'Game day' });
    const payments = panel.getByRole('button', { name: 'payments', exact: true });
    const before = await figure(panel, 'Incidents').textContent();

    await payments.click();
    await expect.poll(() => payments.getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => figure(panel, 'Posted').textContent(), { timeout: HANG_MS }).toBe('1');
    const after = await figure(panel, 'Doubled').textContent();
    await postDouble(slackUrl);

    await expect.poll(() => figure(panel, 'Doubled').textContent()).toBe('⚠ 1');
    expect([before, after]).toEqual(['0', '0']);
    expect(await violations(page)).toEqual([]);
  }
  await page.getByText('The program behind this panel has stopped.').waitFor();
});
