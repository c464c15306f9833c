import type { ServerResponse } from 'node:http';
import { App } from '@slack/bolt';
import { expect, it, onTestFinished, vi } from 'vitest';
import { HANG_MS } from '../../../test/support/hang.ts';
import { silentLogger, silentSlackLogger } from '../../../test/support/logger.ts';
import { startLoopback } from '../../../test/support/loopback.ts';
import { clientOptions } from './clients.ts';
import { createRequests } from './requests.ts';
import { createSlackClock } from './slack-clock.ts';
import { createSocketReceiver } from './socket-receiver.ts';

const HELLO_TIMEOUT_MS = 10_000;

/** A receiver over a Slack that answers `apps.connections.open` as the test says, with timers that the test fires. */
async function startReceiver(answer: (response: ServerResponse) => void) {
  const slack = await startLoopback(answer);
  const timers = new Map<object, { readonly ms: number; readonly work: () => void }>();
  const now = () => new Date();
  const connection = {
    apiUrl: `${slack.url}/api/`,
    logger: silentSlackLogger,
    now,
    clock: createSlackClock(now),
    onAnswered: () => undefined,
  };
  const receiver = createSocketReceiver({
    appToken: 'xapp-1',
    clientOptions: () => clientOptions(connection),
    requests: createRequests(silentLogger, () => undefined),
    boltLogger: silentSlackLogger,
    logger: silentLogger,
    clock: {
      now,
      after(ms, work) {
        const timer = {};
        timers.set(timer, { ms, work });
        return () => void timers.delete(timer);
      },
    },
  });
  receiver.init(new App({ receiver: nothing, authorize: async () => ({}) }));
  const retryMs = () => [...timers.values()].map(({ ms }) => ms).filter((ms) => ms !== HELLO_TIMEOUT_MS);
  const started = receiver.start();
  onTestFinished(async () => {
    const stopped = receiver.stop();
    fire((ms) => ms === HELLO_TIMEOUT_MS);
    await Promise.all([started, stopped]);
    await slack[Symbol.asyncDispose]();
  });

  function fire(matches: (ms: number) => boolean): void {
    for (const [timer, { ms, work }] of timers) {
      if (matches(ms)) {
        timers.delete(timer);
        work();
      }
    }
  }
  return {
    receiver,
    calls: () => slack.requests.length,
    retryMs,
    /** Waits until the receiver pauses. @returns for how long, in milliseconds */
    nextPause: async () => {
      await vi.waitFor(() => expect(retryMs()).toHaveLength(1), { timeout: HANG_MS });
      return retryMs()[0] ?? 0;
    },
    endPause: () => fire((ms) => ms !== HELLO_TIMEOUT_MS),
  };
}

const nothing = { init: () => undefined, start: async () => undefined, stop: async () => undefined };

it('waits as long as Slack asks for, with one attempt for all connections', async () => {
  const { receiver, calls, nextPause, endPause } = await startReceiver((response) =>
    response.writeHead(429, { 'retry-after': '30' }).end(),
  );

  const pauses = [await nextPause()];
  const callsInPause = calls();
  endPause();
  await vi.waitFor(() => expect(calls()).toBe(2), { timeout: HANG_MS });
  pauses.push(await nextPause());

  expect(callsInPause).toBe(1);
  expect(pauses).toEqual([30_000, 30_000]);
  expect([receiver.isConnected(), receiver.openSockets?.()]).toEqual([false, 0]);
});

it('makes one attempt at a time', async () => {
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<ServerResponse>();
  const { calls, retryMs, nextPause } = await startReceiver(ask);

  const response = await isAsked;
  const whileOpen = [calls(), retryMs().length];
  response.writeHead(429, { 'retry-after': '1' }).end();
  await nextPause();

  expect(whileOpen).toEqual([1, 0]);
  expect(calls()).toBe(1);
});

it('backs off together for all connections while Slack is away', async () => {
  const { nextPause, endPause } = await startReceiver((response) => response.writeHead(503).end());

  const pauses: number[] = [];
  for (let tries = 0; tries < 4; tries += 1) {
    pauses.push(await nextPause());
    endPause();
  }

  const [first = 0, , , fourth = 0] = pauses;
  expect(first).toBeGreaterThanOrEqual(250);
  expect(first).toBeLessThanOrEqual(500);
  expect(fourth).toBeGreaterThanOrEqual(2_000);
  expect(fourth).toBeLessThanOrEqual(4_000);
});

it('ends its pause at once when it stops', async () => {
  const { receiver, nextPause, retryMs } = await startReceiver((response) =>
    response.writeHead(429, { 'retry-after': '600' }).end(),
  );
  await nextPause();

  await receiver.stop();

  expect(retryMs()).toEqual([]);
});
