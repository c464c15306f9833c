import type { Browser, Page } from 'playwright-core';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { launchBrowser } from './browser.ts';
import { lendSession, signIn, type Visitor } from './dashboard.ts';
import { startTestService, type TestService } from './test-service.ts';

interface OpenOptions {
  /** The API key to sign in with; absent: the read-write key. */
  readonly key?: string;
  /** Who the reader says they are. */
  readonly name?: string;
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly javaScriptEnabled?: boolean;
  readonly permissions?: string[];
  /** Of the reader, like `Asia/Tokyo`. */
  readonly timezoneId?: string;
}

export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** What the browser complained about. */
  readonly complaints: readonly string[];
}

export interface DashboardInBrowser extends AsyncDisposable {
  readonly tocsin: TestService;
  readonly url: string;
  /** @param path below `/dashboard` */
  open(path: string, options?: OpenOptions): Promise<OpenedPage>;
}

interface DashboardOptions {
  /** Of the service's clock. */
  readonly aheadMs?: number;
  /** The service names the address that it is reached at, so that what it shows can be used. */
  readonly namesOwnAddress?: boolean;
  readonly getFromAmazon?: (url: URL) => Promise<string>;
  readonly webhooks?: { readonly allowPrivateAddresses: boolean };
}

/** The service over HTTP, and a browser to look at its dashboard. */
export async function startDashboard({
  namesOwnAddress = false,
  ...options
}: DashboardOptions = {}): Promise<DashboardInBrowser> {
  await using stack = new AsyncDisposableStack();
  const browser: Browser = stack.adopt(await launchBrowser(), (opened) => opened.close());
  const door = stack.use(await openFrontDoor('127.0.0.1', 0));
  const tocsin = stack.use(await startTestService({ ...options, ...(namesOwnAddress && { publicUrl: door.url }) }));
  door.handlers.service = tocsin.service.fetch;
  /** Sign-in is limited, so each person signs in once. */
  const visitors = new Map<string, Promise<Visitor>>();
  const visitorOf = (key: string, name: string) => {
    const visitor = visitors.get(`${name} ${key}`) ?? signIn(tocsin, key, name);
    visitors.set(`${name} ${key}`, visitor);
    return visitor;
  };
  const started = stack.move();
  return {
    tocsin,
    url: door.url,
    async open(path, { key = tocsin.readWriteKey, name = '', width = 1280, height = 900, ...context } = {}) {
      const opened = await browser.newContext({ viewport: { width, height }, ...context });
      await lendSession(opened, door.url, await visitorOf(key, name));
      const page = await opened.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') {
          complaints.push(message.text());
        }
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`${door.url}/dashboard${path}`);
      return { page, complaints, [Symbol.asyncDispose]: () => opened.close() };
    },
    async [Symbol.asyncDispose]() {
      tocsin.service.endStreams();
      await started.disposeAsync();
    },
  };
}
