import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The page of local Slack in a browser. An error in the page fails the test. */
export async function openSlackPage(
  browser: Browser,
  slackUrl: string,
  options: BrowserContextOptions = {},
): Promise<Page & AsyncDisposable> {
  const page = await browser.newPage({ timezoneId: 'Asia/Tokyo', locale: 'en-US', ...options });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.setDefaultTimeout(30_000);
  await page.goto(slackUrl);
  await page.getByRole('heading', { level: 2, name: /^#|^Hello|^You are in no/ }).waitFor();
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await page.close();
      expect(errors).toEqual([]);
    },
  });
}

export const timeline = (page: Page): Locator => page.getByRole('log', { name: '#incidents' });
