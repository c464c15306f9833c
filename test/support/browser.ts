import { type Browser, chromium } from 'playwright-core';
import { shared } from './shared.ts';

/** Opens a separate connection to the browser of this run. Closing it closes its pages, not the browser. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.connect((await shared('browser')).url);
}
