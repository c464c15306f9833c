import type { Page, Worker } from 'playwright-core';
import { vi } from 'vitest';
import { HANG_MS } from './hang.ts';
import type { PushService } from './push-service.ts';

/** A notification as the worker shows it. */
export interface ShownNotification {
  readonly title: string;
  readonly body?: string;
  readonly tag: string;
  readonly requireInteraction?: boolean;
  readonly silent?: boolean;
  readonly actions?: readonly { readonly action: string; readonly title: string }[];
}

/** What a person sees of a page whose browser was subscribed to push messages. */
export interface PushBrowser {
  /** What is on the screen. What has the same tag is there once. */
  shown(): Promise<readonly ShownNotification[]>;
  /** Waits for it. */
  waitForShown(title: RegExp): Promise<ShownNotification>;
  /** @param action of the notification; empty: the notification itself. @returns all addresses that were opened */
  click(tag: string, action: string): Promise<readonly string[]>;
  /** What a push service would deliver. */
  deliver(payload: object): Promise<void>;
}

type Show = (title: string, options: Omit<ShownNotification, 'title'>) => Promise<void>;

/** What the functions below use of a browser's global scope. */
interface Scope {
  readonly PushManager: { readonly prototype: object };
  readonly ServiceWorkerRegistration: { readonly prototype: { showNotification: Show } };
  readonly clients: object;
  dispatchEvent(event: Event): void;
  shown: Map<string, ShownNotification>;
  opened: string[];
}

/** Pages that are loaded from now on are subscribed to the service: the packaged browser needs a vendor's. */
export async function subscribeTo(page: Page, { subscription }: Pick<PushService, 'subscription'>): Promise<void> {
  await page.context().addInitScript((json) => {
    const { PushManager } = globalThis as unknown as Scope;
    Object.defineProperty(PushManager.prototype, 'subscribe', { value: async () => JSON.parse(json) });
  }, subscription);
}

/**
 * Delivers what the push service gets to the worker of the page, as the browser would. The packaged browser has no screen
 * for notifications: they are kept as a screen keeps them, once the browser has found nothing wrong with them but that.
 */
export async function openPushBrowser(page: Page, service: PushService): Promise<PushBrowser> {
  const context = page.context();
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(keepNotifications);
  const devTools = await context.newCDPSession(page);
  const registration = Promise.withResolvers<string>();
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
    if (first !== undefined) {
      registration.resolve(first.registrationId);
    }
  });
  await devTools.send('ServiceWorker.enable');
  const registrationId = await registration.promise;
  const { origin } = new URL(page.url());
  const browser: PushBrowser = {
    shown: () => worker.evaluate(listNotifications),
    waitForShown: (title) =>
      vi.waitUntil(async () => (await browser.shown()).find((each) => title.test(each.title)), { timeout: HANG_MS }),
    click: (tag, action) => clickIn(worker, tag, action),
    async deliver(payload) {
      await devTools.send('ServiceWorker.deliverPushMessage', {
        origin,
        registrationId,
        data: JSON.stringify(payload),
      });
    },
  };
  service.onPush = (payload) => void browser.deliver(payload);
  return browser;
}

/** Runs in the worker. */
function keepNotifications(): void {
  const scope = globalThis as unknown as Scope;
  scope.shown = new Map();
  scope.opened = [];
  const { prototype } = scope.ServiceWorkerRegistration;
  const show = prototype.showNotification;
  prototype.showNotification = async function showNotification(title, options) {
    const fault: unknown = await show.call(this, title, options).catch((error: unknown) => error);
    if (!/permission/i.test(String(fault))) {
      throw fault;
    }
    scope.shown.set(options.tag, { title, ...options });
  };
  Object.defineProperty(scope.clients, 'openWindow', { value: async (url: string) => void scope.opened.push(url) });
}

/** Runs in the worker. */
function listNotifications(): ShownNotification[] {
  const { shown } = globalThis as unknown as Scope;
  return JSON.parse(JSON.stringify([...shown.values()]));
}

function clickIn(worker: Worker, tag: string, action: string): Promise<readonly string[]> {
  return worker.evaluate(
    async ([clicked, pressed]) => {
      const scope = globalThis as unknown as Scope;
      const works: Promise<unknown>[] = [];
      const close = () => scope.shown.delete(clicked);
      const event = Object.assign(new Event('notificationclick'), {
        action: pressed,
        notification: { ...scope.shown.get(clicked), close },
        waitUntil: (work: Promise<unknown>) => works.push(work),
      });
      scope.dispatchEvent(event);
      await Promise.all(works);
      return scope.opened;
    },
    [tag, action] as const,
  );
}
