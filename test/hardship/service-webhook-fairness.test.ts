import { expect, it, vi } from 'vitest';
import { createId } from '../../src/service/core/ids.ts';
import { appendIntegrationEvent } from '../../src/service/store/events/event-store.ts';
import { HANG_MS } from '../support/hang.ts';
import { startNameServer } from '../support/name-server.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import {
  addWebhook,
  answer,
  openTables,
  passTime,
  readWebhook,
  startWebhookReceiver,
} from '../support/webhook-receiver.ts';

const EVENTS = 20;
const BAD = Array.from({ length: 10 }, (_, index) => index);

const events = ['integration.enabled'];

/** Records an event. Each is about something else, so that none waits for another. @returns its id */
async function emit(tocsin: TestService): Promise<string> {
  const db = await openTables(tocsin);
  const id = createId('int', new Date());
  const integration = { id, type: 'webhook', name: null, reason: null, failingSince: null };
  await db.transaction().execute((tx) => appendIntegrationEvent(tx, 'integration.enabled', integration, tocsin.now()));
  return id;
}

it('serves a healthy receiver while thirty others hang or fail', async () => {
  await using names = await startNameServer(() => 'silent');
  const webhooks = { allowPrivateAddresses: true, nameServers: [names.address] };
  await using tocsin = await startTestService({ webhooks });
  await using hanging = await startWebhookReceiver(() => undefined);
  await using broken = await startWebhookReceiver(answer(500));
  const arrived: string[] = [];
  await using receiver = await startWebhookReceiver((response, webhook) => {
    arrived.push(JSON.parse(webhook.body).data.integration.id);
    response.writeHead(204).end();
  });
  const { id } = await addWebhook(tocsin, { url: receiver.url, events });

  await Promise.all(
    BAD.flatMap((index) => [
      addWebhook(tocsin, { url: `http://dead-${index}.example.com/`, events }),
      addWebhook(tocsin, { url: `${hanging.url}/${index}`, events }),
      addWebhook(tocsin, { url: `${broken.url}/${index}`, events }),
    ]),
  );
  await emit(tocsin);
  await vi.waitUntil(() => names.questions.length > 0 && hanging.received.length > 0 && broken.received.length > 0, {
    timeout: HANG_MS,
  });
  const sent: string[] = [];
  for (let count = 0; count < EVENTS; count += 1) {
    sent.push(await emit(tocsin));
    await vi.waitUntil(() => arrived.includes(sent.at(-1) ?? ''), { timeout: HANG_MS });
  }

  expect(arrived.slice(-EVENTS)).toEqual(sent);
  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: null, disabledAt: null });
});

it('serves at most eight failing receivers at a time', async () => {
  await using tocsin = await startTestService({ webhooks: { allowPrivateAddresses: true } });
  await using failing = await startWebhookReceiver(answer(500));
  await using receiver = await startWebhookReceiver();
  await Promise.all([
    addWebhook(tocsin, { url: receiver.url, events }),
    ...Array.from({ length: 20 }, (_, index) => addWebhook(tocsin, { url: `${failing.url}/${index}`, events })),
  ]);
  await emit(tocsin);
  await failing.take(20);
  await waitUntilLogged(tocsin, 21);

  failing.respond = () => undefined; // it hangs
  await passTime(tocsin, 10_000);
  await emit(tocsin);
  await receiver.take(2);
  await emit(tocsin);
  await receiver.take(3);

  expect(failing.received.length - 20).toBeGreaterThan(0);
  expect(failing.received.length - 20).toBeLessThanOrEqual(8);
});

async function waitUntilLogged(tocsin: TestService, count: number): Promise<void> {
  const db = await openTables(tocsin);
  const logged = () => db.selectFrom('webhook_attempts').select('id').execute();
  await vi.waitUntil(async () => (await logged()).length === count, { timeout: HANG_MS });
}

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
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).lastError !== null, { timeout: HANG_MS });
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
