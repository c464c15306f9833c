import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { HANG_MS } from '../support/hang.ts';
import { openSlackPage, timeline } from '../support/slack-page.ts';
import { spawnLine } from '../support/tocsin-process.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Time of the shop, its exporters and the engine, on a machine that does much else. */
const WHILE = { timeout: HANG_MS };

/** What the section "Try it" tells a newcomer to do. */
async function readTryIt() {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, section = ''] = /^## Try it\n([\s\S]*?)^## /m.exec(readme) ?? [];
  const [commands = [], [breakShop = ''] = []] = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) =>
    block.trim().split(/\s*\n\s*/),
  );
  const [, sentences = ''] = /^3\. ([\s\S]*?)\n\n/m.exec(section) ?? [];
  return { start: commands.at(-1) ?? '', breakShop, sentences: sentences.replaceAll(/\s+/g, ' ') };
}

/** A terminal in which a command runs until Ctrl-C. */
function openTerminal(line: string, env: Readonly<Record<string, string>>) {
  const child = spawnLine(line, env);
  const ended = once(child, 'close');
  const printed: string[] = [];
  createInterface({ input: child.stdout }).on('line', (each) => printed.push(each));
  child.stderr.resume();
  const interrupt = async () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGINT');
      await ended;
    }
  };
  return {
    printed,
    type: (typed: string) => child.stdin.write(`${typed}\n`),
    interrupt,
    [Symbol.asyncDispose]: interrupt,
  };
}

type Terminal = ReturnType<typeof openTerminal>;

/** Does what the sentences say, in their order: code is typed, what is bold is clicked. */
async function follow(sentences: string, page: Page, shop: Terminal): Promise<void> {
  const card = timeline(page).getByRole('article').filter({ hasText: 'payments' }).first();
  const form = page.getByRole('dialog');
  const steps = sentences.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|says that it (\w+)|(write what fixed it)|(Ctrl-C)/g);
  for (const [, code, button, state, isNote] of steps) {
    if (code?.startsWith('/')) {
      await page.getByRole('textbox', { name: 'Message #incidents' }).fill(code);
      await page.keyboard.press('Enter');
      await timeline(page)
        .getByText(/^1 open incident/)
        .waitFor(WHILE);
    } else if (code !== undefined) {
      shop.type(code);
    } else if (button !== undefined) {
      const place = (await form.isVisible()) ? form : card;
      await place.getByRole('button', { name: new RegExp(`^${button}\\b`) }).click();
    } else if (state !== undefined) {
      await card.getByText(new RegExp(state, 'i')).first().waitFor(WHILE);
    } else if (isNote !== undefined) {
      await form.getByRole('textbox').fill('Set up the merchant account for EUR again.');
    } else {
      await shop.interrupt(); // Ctrl-C, the only step that is left
    }
  }
  await card
    .getByText(/Closed/)
    .first()
    .waitFor(WHILE);
}

it('leads a newcomer from the first command of the README to a resolved incident', async () => {
  const { start, breakShop, sentences } = await readTryIt();
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-readme-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const settings = { DATA_DIR: dataDir, PORT: '0', LOCAL_SLACK_PORT: '0', DRAIN_SECONDS: '0' };
  const tocsin = stack.use(openTerminal(start, settings));
  const addressOf = (name: string) =>
    tocsin.printed.flatMap((line) => new RegExp(`^${name} +(http:\\S+)`).exec(line)?.[1] ?? [])[0];
  await expect.poll(() => addressOf('Dashboard'), WHILE).toBeDefined();
  const [slackUrl = '', dashboardUrl = ''] = ['Slack', 'Dashboard'].map(addressOf);
  const browser = await launchBrowser();
  stack.defer(() => browser.close());
  const page = stack.use(await openSlackPage(browser, slackUrl));

  const shop = stack.use(openTerminal(breakShop, { ...settings, PORT: new URL(dashboardUrl).port }));
  await timeline(page)
    .getByRole('article')
    .filter({ hasText: /payments.*no merchant account for currency EUR/ })
    .first()
    .waitFor(WHILE);
  await follow(sentences, page, shop);
  const dashboard = await browser.newPage();
  await dashboard.goto(dashboardUrl);
  await dashboard.getByRole('button', { name: /^Sign in/ }).click();
  await dashboard.getByRole('link', { name: 'Closed' }).click();

  await dashboard
    .getByRole('link', { name: /payments.*no merchant account/ })
    .first()
    .click();
  await dashboard
    .getByRole('blockquote', { name: 'Resolution note' })
    .getByText('Set up the merchant account')
    .waitFor();
});
