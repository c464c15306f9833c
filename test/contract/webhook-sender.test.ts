import { expect, it } from 'vitest';
import type { ResolveName } from '../../src/service/webhooks/address-guard.ts';
import { createWebhookSender, type WebhookSenderOptions } from '../../src/service/webhooks/webhook-sender.ts';
import { startLoopback } from '../support/loopback.ts';
import { answer, startWebhookReceiver } from '../support/webhook-receiver.ts';

const NEVER = new AbortController().signal;
const NOW = new Date('2026-01-31T08:00:00Z');

function createSender(options: Partial<WebhookSenderOptions> = {}) {
  return createWebhookSender({ now: () => NOW, allowPrivateAddresses: true, ...options });
}

function messageTo(url: string) {
  return { url, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', id: 'evt_1', body: '{"type":"incident.opened"}' };
}

it.each([
  [200, { kind: 'delivered' }],
  [204, { kind: 'delivered' }],
  [410, { kind: 'gone' }],
  [404, { kind: 'failed', reason: 'answered 404', retryAfterMs: null }],
  [500, { kind: 'failed', reason: 'answered 500', retryAfterMs: null }],
])('gives the outcome of status %i', async (status, outcome) => {
  await using sender = createSender();
  await using receiver = await startWebhookReceiver(answer(status));

  expect(await sender.send(messageTo(receiver.url), NEVER)).toEqual(outcome);
  expect(receiver.received).toMatchObject([
    { headers: { 'content-type': 'application/json' }, body: '{"type":"incident.opened"}' },
  ]);
});

it('reads Retry-After', async () => {
  await using sender = createSender();
  await using receiver = await startWebhookReceiver(answer(503, { 'retry-after': '90' }));

  expect(await sender.send(messageTo(receiver.url), NEVER)).toEqual({
    kind: 'failed',
    reason: 'answered 503',
    retryAfterMs: 90_000,
  });
});

it.each([301, 302, 303, 307, 308])('does not follow a redirect by %i', async (status) => {
  await using sender = createSender();
  await using target = await startWebhookReceiver();
  await using receiver = await startWebhookReceiver(answer(status, { location: target.url }));

  const outcome = await sender.send(messageTo(receiver.url), NEVER);

  expect(outcome).toMatchObject({ kind: 'failed', reason: `answered ${status}, and redirects are not followed` });
  expect(target.received).toEqual([]);
});

it('times out', async () => {
  await using sender = createSender({ timeoutMs: 50 });
  await using receiver = await startWebhookReceiver(() => undefined);

  const outcome = await sender.send(messageTo(receiver.url), NEVER);

  expect(outcome).toEqual({ kind: 'failed', reason: 'gave no answer within 0.05 s', retryAfterMs: null });
});

it('reads only a small part of a response', async () => {
  await using sender = createSender();
  const closed = Promise.withResolvers<void>();
  await using receiver = await startWebhookReceiver((response) => {
    const chunk = Buffer.alloc(65_536);
    const write = () => {
      while (response.write(chunk)) {
        // while the reader keeps up
      }
    };
    response.on('drain', write).on('close', closed.resolve);
    write();
  });

  expect(await sender.send(messageTo(receiver.url), NEVER)).toEqual({ kind: 'delivered' });
  await closed.promise;
});

it('reports why it could not connect', async () => {
  await using sender = createSender();
  const gone = await startLoopback(() => undefined);
  await gone[Symbol.asyncDispose]();

  expect(await sender.send(messageTo(gone.url), NEVER)).toMatchObject({ reason: 'refused the connection' });
  expect(await sender.send(messageTo('mailto:ana@example.com'), NEVER)).toMatchObject({
    reason: 'the url must begin with https:// or http://',
  });
  expect(await sender.send(messageTo('no address'), NEVER)).toMatchObject({ reason: 'the url is invalid' });
});

it("throws the reason of the caller's abort", async () => {
  await using sender = createSender();
  await using receiver = await startWebhookReceiver(() => undefined);
  const leave = new AbortController();

  const sending = sender.send(messageTo(receiver.url), leave.signal);
  sending.catch(() => undefined);
  await receiver.take(1);
  leave.abort(new Error('stopping'));

  await expect(sending).rejects.toThrow('stopping');
});

it('connects to nothing when the name leads to a private address only', async () => {
  const resolveName: ResolveName = (_hostname, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
  await using receiver = await startWebhookReceiver();
  const message = messageTo(receiver.url.replace('127.0.0.1', 'hooks.example.com'));
  await using guarded = createSender({ allowPrivateAddresses: false, resolveName });

  expect(await guarded.send(message, NEVER)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('the url leads to an address that is not public'),
  });
  expect(receiver.received).toEqual([]);
});
