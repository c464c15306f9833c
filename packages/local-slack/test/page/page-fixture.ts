import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../../../../test/support/browser.ts';
import type { LocalSlackOptions } from '../../src/local-slack.ts';
import { type Connection, client, type Fixture, startFixture } from '../fixture.ts';

/** An app with a Home tab, two commands and both kinds of shortcuts. */
const MANIFEST = `
display_information:
  name: Hello World
  description: Says hello to everyone
features:
  bot_user:
    display_name: Hello
  app_home:
    home_tab_enabled: true
  slash_commands:
    - command: /hello
      description: Says hello
      usage_hint: "[name]"
    - command: /help
      description: Tells what it can do
  shortcuts:
    - name: Greet
      type: global
      callback_id: greet
      description: Greets everyone
    - name: Answer
      type: message
      callback_id: answer
      description: Answers the message
oauth_config:
  scopes:
    bot: [chat:write, commands, channels:read, channels:history, channels:join, users:read, app_mentions:read]
settings:
  event_subscriptions:
    bot_events: [app_home_opened]
  interactivity:
    is_enabled: true
  socket_mode_enabled: true
`;

export const startAppWithHome = (options: Partial<LocalSlackOptions> = {}): Promise<Fixture> =>
  startFixture({ manifest: MANIFEST, ...options });

/** Opens the page. An error in the page fails the test. */
type OpenPage = (
  fixture: Pick<Fixture, 'slack'>,
  query?: string,
  options?: PageOptions,
) => Promise<Page & AsyncDisposable>;

interface PageOptions extends BrowserContextOptions {
  /** The time in the page; default: the machine's. */
  readonly now?: Date;
}

/** Connects to the browser before the first test of the file, or of the `describe`, and disconnects after the last one. */
export function createPageOpener(): OpenPage {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  return (fixture, query, options) => openPage(browser, fixture, query, options);
}

async function openPage(
  browser: Browser,
  { slack }: Pick<Fixture, 'slack'>,
  query = '',
  { now, ...options }: PageOptions = {},
): Promise<Page & AsyncDisposable> {
  const page = await browser.newPage({ timezoneId: 'Asia/Tokyo', locale: 'en-US', ...options });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.setDefaultTimeout(30_000);
  if (now !== undefined) {
    await page.clock.setFixedTime(now);
  }
  await page.goto(`${slack.url}${query}`);
  await page.getByRole('heading', { level: 2, name: /^#|^Hello|^You are in no/ }).waitFor();
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await page.close();
      expect(errors).toEqual([]);
    },
  });
}

export const composer = (page: Page): Locator => page.getByRole('textbox', { name: 'Message #playground' });
export const timeline = (page: Page): Locator => page.getByRole('log', { name: '#playground' });
export const sidebar = (page: Page): Locator => page.getByRole('navigation', { name: 'Workspace' });

export const plain = (text: string): object => ({ type: 'plain_text', text });
export const option = (value: string): object => ({ value, text: plain(value) });
export const section = (text: string): object => ({ type: 'section', text: { type: 'mrkdwn', text } });

export const post = (fixture: Fixture, blocks: readonly object[], text = 'fallback'): Promise<unknown> =>
  client(fixture.slack).apiCall('chat.postMessage', { channel: 'C0PLAYGRND', text, blocks: [...blocks] });

export const publishHome = (fixture: Fixture, user: string, blocks: readonly object[]): Promise<unknown> =>
  client(fixture.slack).apiCall('views.publish', { user_id: user, view: { type: 'home', blocks } });

/** Opens a modal in response to `/hello`, which the page sends. */
export async function openModal(fixture: Fixture, page: Page, connection: Connection, view: object): Promise<void> {
  await composer(page).fill('/hello');
  await composer(page).press('Enter');
  const triggerId = (): unknown => connection.received.at(-1)?.payload?.trigger_id;
  await expect.poll(triggerId).toBeTypeOf('string');
  await client(fixture.slack).apiCall('views.open', { trigger_id: triggerId(), view });
}

/** Shows the panel of another program and opens it. */
export async function openPanel(fixture: Fixture, page: Page, panel: { readonly title: string }): Promise<Locator> {
  await fetch(new URL('/local/panel', fixture.slack.url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(panel),
  });
  await sidebar(page).getByRole('button', { name: panel.title }).click();
  return page.getByRole('complementary', { name: panel.title });
}

/** Whether the element has the focus. */
export const hasFocus = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === element.ownerDocument.activeElement);
