import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the address of the browser that all tests of a run share. The first request starts the browser. */
    browserAddressUrl: string;
  }
}

/** Opens a separate connection to the browser of this run. Closing it closes its pages, not the browser. */
export async function launchBrowser(): Promise<Browser> {
  const response = await fetch(inject('browserAddressUrl'));
  const text = await response.text();
  if (!response.ok) {
    throw new Error(text);
  }
  return await chromium.connect(text);
}
