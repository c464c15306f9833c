import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decrypt } from 'http_ece';
import { vi } from 'vitest';
import { z } from 'zod';
import { HANG_MS } from './hang.ts';
import { answerBy, type Fate, isTaken } from './provider-fates.ts';

const Payload = z.object({
  tag: z.string(),
  title: z.string(),
  body: z.string(),
  answerUrl: z.string().nullable(),
});

export interface ReceivedPush extends z.infer<typeof Payload> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A push service (RFC 8030) with one browser behind it, which decrypts what arrives (RFC 8291). */
export interface PushService extends AsyncDisposable {
  /** What the browser gives the page: its `PushSubscription` as JSON. */
  readonly subscription: string;
  readonly pushes: readonly ReceivedPush[];
  /** The answer to further messages; 201 at first, 410 after the browser has unsubscribed. */
  status: number;
  /** Called with what the browser gets. */
  onPush: (payload: object) => void;
  /** What becomes of a message that it accepts. */
  fateOf: (push: ReceivedPush) => Fate;
  take(count: number): Promise<readonly ReceivedPush[]>;
}

export async function startPushService(): Promise<PushService> {
  const pushes: ReceivedPush[] = [];
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  const authSecret = randomBytes(16).toString('base64url');
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (service.status !== 201) {
        response.writeHead(service.status).end();
        return;
      }
      const decrypted = decrypt(body, { version: 'aes128gcm', privateKey: browser, authSecret });
      const payload: unknown = JSON.parse(decrypted.toString());
      const push = { ...Payload.parse(payload), headers: request.headers };
      const fate = service.fateOf(push);
      if (isTaken(fate)) {
        pushes.push(push);
        service.onPush(Object(payload));
      }
      answerBy(fate, response, service.status);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const service: PushService = {
    subscription: JSON.stringify({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/push/1`,
      keys: { p256dh: browser.getPublicKey('base64url'), auth: authSecret },
    }),
    pushes,
    status: 201,
    onPush: () => undefined,
    fateOf: () => 'works',
    async take(count) {
      await vi.waitUntil(() => pushes.length >= count, { timeout: HANG_MS, interval: 10 });
      return pushes.slice(0, count);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return service;
}
