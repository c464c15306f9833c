import { expect, it, vi } from 'vitest';
import { createId } from '../../src/service/core/ids.ts';
import { appendIntegrationEvent } from '../../src/service/store/events/event-store.ts';
import { startNameServer } from '../support/name-server.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { addWebhook, answer, openTables, readWebhook, startWebhookReceiver } from '../support/webhook-receiver.ts';

const EVENTS = 200;
const BAD = Array.from({ length: 10 }, (_, index) => index);

/** Below this, the 99th percentile is good whatever it was before. */
const GOOD_MS = 500;

/** No event waits for the lookup (5 s) or the response (15 s) of another receiver. */
const WORST_MS = 4_000;

const events = ['integration.enabled'];

/** Records an event. Each is about something else, so that none waits for another. @returns its id */
async function emit(tocsin: TestService): Promise<string> {
  const db = await openTables(tocsin);
  const id = createId('int', new Date());
  const integration = { id, type: 'webhook', name: null, reason: null, failingSince: null };
  await db.transaction().execute((tx) => appendIntegrationEvent(tx, 'integration.enabled', integration, tocsin.now()));
  return id;
}

it('serves a healthy receiver as fast among thirty that fail as alone', async () => {
  await using names = await startNameServer(() => 'silent');
  const webhooks = { allowPrivateAddresses: true, nameServers: [names.address] };
  await using tocsin = await startTestService({ webhooks });
  await using hanging = await startWebhookReceiver(() => undefined);
  await using broken = await startWebhookReceiver(answer(500));
  const arrivals = new Map<string, number>();
  await using receiver = await startWebhookReceiver((response, webhook) => {
    arrivals.set(JSON.parse(webhook.body).data.integration.id, performance.now());
    response.writeHead(204).end();
  });
  const { id } = await addWebhook(tocsin, { url: receiver.url, events });

  /** Sends one event after the other. @returns milliseconds */
  async function measure(): Promise<{ p99: number; worst: number }> {
    const latencies: number[] = [];
    for (let count = 0; count < EVENTS; count += 1) {
      const startedAt = performance.now();
      const subject = await emit(tocsin);
      const arrivedAt = await vi.waitUntil(() => arrivals.get(subject), { timeout: 30_000, interval: 1 });
      latencies.push(arrivedAt - startedAt);
    }
    const slowestFirst = latencies.toSorted((one, other) => other - one);
    return { p99: slowestFirst[Math.floor(EVENTS / 100)] ?? Number.NaN, worst: slowestFirst[0] ?? Number.NaN };
  }

  const alone = await measure();
  await Promise.all(
    BAD.flatMap((index) => [
      addWebhook(tocsin, { url: `http://dead-${index}.example.com/`, events }),
      addWebhook(tocsin, { url: `${hanging.url}/${index}`, events }),
      addWebhook(tocsin, { url: `${broken.url}/${index}`, events }),
    ]),
  );
  const among = await measure();
  await vi.waitUntil(() => names.questions.length > 0 && hanging.received.length > 0 && broken.received.length > 0);

  expect(among.p99).toBeLessThan(Math.max(2 * alone.p99, GOOD_MS));
  expect(among.worst).toBeLessThan(WORST_MS);
  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: null, disabledAt: null });
});

it('makes one attempt at a time to a receiver that fails, however many events wait for it', async () => {
  await using tocsin = await startTestService({ webhooks: { allowPrivateAddresses: true } });
  let [running, most] = [0, 0];
  await using receiver = await startWebhookReceiver(async (response) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((done) => setImmediate(done)); // others would arrive meanwhile
    running -= 1;
    response.writeHead(400).end();
  });
  const { id } = await addWebhook(tocsin, { url: receiver.url, events });
  await emit(tocsin);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).lastError !== null, { timeout: 30_000 });
  const db = await openTables(tocsin);
  await db.transaction().execute(async (tx) => {
    for (let count = 0; count < 20; count += 1) {
      const integration = { id: `int_${count}`, type: 'webhook', name: null, reason: null, failingSince: null };
      await appendIntegrationEvent(tx, 'integration.enabled', integration, tocsin.now());
    }
  });

  await receiver.take(21);

  expect(most).toBe(1);
});
