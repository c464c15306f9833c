import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of the browser that all tests of a run share, and starts it at the first request. */
    browserAddressUrl: string;
  }
}

/** A connection of its own to the browser of this run. Closing it closes its pages, not the browser. */
export async function launchBrowser(): Promise<Browser> {
  const response = await fetch(inject('browserAddressUrl'));
  const text = await response.text();
  if (!response.ok) {
    throw new Error(text);
  }
  return await chromium.connect(text);
}
