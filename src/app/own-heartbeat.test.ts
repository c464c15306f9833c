import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../test/support/logger.ts';
import { createOwnHeartbeat } from './own-heartbeat.ts';

/** A monitor elsewhere, and a clock whose timers the test fires. */
async function startMonitor(statuses: readonly number[] = []) {
  const calls: (string | undefined)[] = [];
  const called = { next: Promise.withResolvers<void>() };
  const server = createServer((request, response) => {
    response.writeHead(statuses[calls.length] ?? 200).end('OK');
    calls.push(request.url);
    called.next.resolve();
    called.next = Promise.withResolvers<void>();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timers: { readonly ms: number; readonly fire: () => void }[] = [];
  const waiting: ((ms: number) => void)[] = [];
  const clock = {
    now: () => new Date(),
    after(ms: number, fire: () => void) {
      timers.push({ ms, fire });
      waiting.shift()?.(ms);
      return () => undefined;
    },
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/secret`,
    calls,
    clock,
    /** Resolves with its delay once the next timer is set. */
    nextTimer: () => new Promise<number>((resolve) => void waiting.push(resolve)),
    fire: () => timers.at(-1)?.fire(),
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

describe('the own heartbeat', () => {
  it('is sent every minute while everything is healthy, and withheld while something is not', async () => {
    await using monitor = await startMonitor();
    let problem: string | null = null;
    const { url, clock } = monitor;
    const findProblem = () => Promise.resolve(problem);
    await using heartbeat = createOwnHeartbeat({ url, findProblem, logger: silentLogger, clock });
    const first = monitor.nextTimer();
    heartbeat.start();
    const delays = [await first];

    for (const next of ['slack: no connection', null]) {
      problem = next;
      const set = monitor.nextTimer();
      monitor.fire();
      delays.push(await set);
    }

    expect(monitor.calls).toEqual(['/ping/secret', '/ping/secret']);
    expect(delays).toEqual([60_000, 60_000, 60_000]);
  });

  it('is tried again soon when the monitor refuses it', async () => {
    await using monitor = await startMonitor([503]);
    const { url, clock } = monitor;
    await using heartbeat = createOwnHeartbeat({
      url,
      findProblem: () => Promise.resolve(null),
      logger: silentLogger,
      clock,
    });
    const set = monitor.nextTimer();
    heartbeat.start();

    expect(await set).toBeLessThanOrEqual(10_000);
  });
});
