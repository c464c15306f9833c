import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { LocalSlackOptions } from '../../src/local-slack.ts';
import { client, type Fixture, startFixture } from '../fixture.ts';

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

/** Opens the page. An error in the page fails the test. `now` sets the clock of the browser. */
export async function openPage(
  browser: Browser,
  { slack }: Pick<Fixture, 'slack'>,
  query = '',
  { now, ...options }: BrowserContextOptions & { readonly now?: Date } = {},
): Promise<Page & AsyncDisposable> {
  const page = await browser.newPage({ timezoneId: 'Asia/Tokyo', locale: 'en-US', ...options });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.setDefaultTimeout(10_000);
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

/** Whether the element has the focus. */
export const hasFocus = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === element.ownerDocument.activeElement);
