import { expect, it } from 'vitest';
import type { ResolveName } from '../../src/service/webhooks/name-resolver.ts';
import { createWebhookSender, type WebhookSenderOptions } from '../../src/service/webhooks/webhook-sender.ts';
import { startLoopback } from '../support/loopback.ts';
import { startNameServer } from '../support/name-server.ts';
import { answer, startWebhookReceiver } from '../support/webhook-receiver.ts';

const NEVER = new AbortController().signal;
const NOW = new Date('2026-01-31T08:00:00Z');

function createSender(options: Partial<WebhookSenderOptions> = {}) {
  return createWebhookSender({ now: () => NOW, allowPrivateAddresses: true, ...options });
}

function messageTo(url: string) {
  return { url, secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], id: 'evt_1', body: '{"type":"incident.opened"}' };
}

it.each([
  [200, { kind: 'delivered' }],
  [204, { kind: 'delivered' }],
  [410, { kind: 'gone' }],
  [404, { kind: 'failed', reason: 'answered 404', retryAfterMs: null, isUnavailable: false }],
  [408, { kind: 'failed', reason: 'answered 408', retryAfterMs: null, isUnavailable: true }],
  [500, { kind: 'failed', reason: 'answered 500', retryAfterMs: null, isUnavailable: true }],
])('gives the outcome of status %i', async (status, outcome) => {
  await using sender = createSender();
  await using receiver = await startWebhookReceiver(answer(status));

  const result = await sender.send(messageTo(receiver.url), NEVER);

  expect(result).toMatchObject({ httpStatus: status, excerpt: '', startedAt: NOW });
  expect(result.outcome).toEqual(outcome);
  expect(receiver.received).toMatchObject([
    { headers: { 'content-type': 'application/json' }, body: '{"type":"incident.opened"}' },
  ]);
});

it('reads Retry-After', async () => {
  await using sender = createSender();
  await using receiver = await startWebhookReceiver(answer(503, { 'retry-after': '90' }));

  const { outcome } = await sender.send(messageTo(receiver.url), NEVER);

  expect(outcome).toEqual({
    kind: 'failed',
    reason: 'answered 503',
    retryAfterMs: 90_000,
    isUnavailable: true,
  });
});

it.each([301, 302, 303, 307, 308])('does not follow a redirect by %i', async (status) => {
  await using sender = createSender();
  await using target = await startWebhookReceiver();
  await using receiver = await startWebhookReceiver(answer(status, { location: target.url }));

  const { outcome } = await sender.send(messageTo(receiver.url), NEVER);

  expect(outcome).toMatchObject({ kind: 'failed', reason: `answered ${status}, and redirects are not followed` });
  expect(target.received).toEqual([]);
});

it('times out', async () => {
  await using sender = createSender({ timeoutMs: 50 });
  await using receiver = await startWebhookReceiver(() => undefined);

  const { outcome } = await sender.send(messageTo(receiver.url), NEVER);

  expect(outcome).toEqual({
    kind: 'failed',
    reason: 'gave no answer within 0.05 s',
    retryAfterMs: null,
    isUnavailable: true,
  });
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

  expect((await sender.send(messageTo(receiver.url), NEVER)).outcome).toEqual({ kind: 'delivered' });
  await closed.promise;
});

it('reports why it could not connect', async () => {
  await using sender = createSender();
  const gone = await startLoopback(() => undefined);
  await gone[Symbol.asyncDispose]();

  expect((await sender.send(messageTo(gone.url), NEVER)).outcome).toMatchObject({ reason: 'refused the connection' });
  expect((await sender.send(messageTo('mailto:ana@example.com'), NEVER)).outcome).toMatchObject({
    reason: 'must begin with https:// or http://',
  });
  expect((await sender.send(messageTo('no address'), NEVER)).outcome).toMatchObject({ reason: 'is invalid' });
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
  const resolveName: ResolveName = async () => [{ address: '127.0.0.1', family: 4 }];
  await using receiver = await startWebhookReceiver();
  const message = messageTo(receiver.url.replace('127.0.0.1', 'hooks.example.com'));
  await using guarded = createSender({ allowPrivateAddresses: false, resolveName });

  expect((await guarded.send(message, NEVER)).outcome).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('leads to an address that is not public'),
  });
  expect(receiver.received).toEqual([]);
});

it('describes a name that cannot be resolved, and includes the lookup in the time limit', async () => {
  await using server = await startNameServer((name) => (name.startsWith('dead') ? 'silent' : 'unknown'));
  await using sender = createSender({ nameServers: [server.address], timeoutMs: 200 });
  const reasonFor = async (host: string) =>
    (await sender.send(messageTo(`https://${host}.example.com/`), NEVER)).outcome;

  expect(await reasonFor('gone')).toMatchObject({ reason: 'has an unknown host name' });
  expect(await reasonFor('dead')).toMatchObject({ reason: 'gave no answer within 0.2 s' });
});

it('keeps the beginning of the response, without what is secret in the address', async () => {
  await using sender = createSender();
  await using receiver = await startWebhookReceiver((response) => response.end('bad token t0p-s3cret: try again'));

  const { excerpt } = await sender.send(messageTo(`${receiver.url}?token=t0p-s3cret`), NEVER);

  expect(excerpt).toBe('bad token ***: try again');
});

it('does not wait for the end of a response', async () => {
  await using sender = createSender();
  await using receiver = await startWebhookReceiver((response) => response.writeHead(200).write('so far'));

  const { outcome, excerpt } = await sender.send(messageTo(receiver.url), NEVER);

  expect([outcome.kind, excerpt]).toEqual(['delivered', 'so far']);
});
