import { type App, type Logger as BoltLogger, SocketModeReceiver } from '@slack/bolt';
import type { WebClientOptions } from '@slack/web-api';
import type { Logger } from 'pino';
import { backoffMs } from '../../runtime/backoff.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { classifySlackFailure } from './errors.ts';
import { type BotReceiver, stopReceiver } from './receiver.ts';
import { asApp, type Requests } from './requests.ts';

/** Two connections: Slack refreshes one at a time, and drops requests while none is open. */
const SOCKETS = 2;
const HELLO_TIMEOUT_MS = 10_000;
const RETRY = { firstMs: 500, longestMs: 15_000 };

/**
 * Receives requests by Socket Mode. The library's own reconnecting is off: it waits five seconds each time and causes an
 * unhandled rejection while Slack is down. One loop reopens missing connections instead, at once at first, then with a
 * shared backoff that respects `Retry-After`.
 */
export function createSocketReceiver(options: {
  appToken: string;
  /** A new object each time: the library writes into it. */
  clientOptions: () => WebClientOptions;
  requests: Requests;
  boltLogger: BoltLogger;
  logger: Logger;
  clock: Clock;
}): BotReceiver {
  const { requests, logger, clock } = options;
  const stopping = new AbortController();
  const connected = new Set<SocketModeReceiver>();
  const sockets = Array.from({ length: SOCKETS }, createSocket);
  let keeping: Promise<unknown> = Promise.resolve();

  function createSocket(): SocketModeReceiver {
    const socket = new SocketModeReceiver({
      appToken: options.appToken,
      autoReconnectEnabled: false,
      logger: options.boltLogger,
      installerOptions: { clientOptions: options.clientOptions() },
    });
    socket.client.on('connected', () => connected.add(socket));
    socket.client.on('disconnected', () => connected.delete(socket));
    return socket;
  }

  /** Ends when the receiver stops. */
  async function keepConnected(onConnected: () => void): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const missing = sockets.find((socket) => !connected.has(socket));
      try {
        if (missing === undefined) {
          await anyDisconnected();
          continue;
        }
        await connect(missing);
        failures = 0;
        onConnected();
      } catch (error) {
        failures += 1;
        await pauseAfter(error, failures);
      }
    }
  }

  /** Resolves early when the receiver stops. */
  function anyDisconnected(): Promise<void> {
    return new Promise((resolve) => {
      const onDisconnected = (): void => {
        for (const { client } of sockets) {
          client.off('disconnected', onDisconnected);
        }
        stopping.signal.removeEventListener('abort', onDisconnected);
        resolve();
      };
      for (const { client } of sockets) {
        client.on('disconnected', onDisconnected);
      }
      stopping.signal.addEventListener('abort', onDisconnected);
    });
  }

  async function pauseAfter(error: unknown, failures: number): Promise<void> {
    const failure = classifySlackFailure(error);
    const askedMs = failure.kind === 'rate-limited' ? failure.retryAfterMs : 0;
    const delayMs = Math.max(askedMs, backoffMs(RETRY, failures, Math.random()));
    if (!stopping.signal.aborted) {
      logger.warn({ reason: failure.error, delayMs }, 'no Socket Mode connection; retrying');
    }
    await sleep(clock, delayMs, stopping.signal);
  }

  /** @throws when Slack does not open a connection or does not greet */
  async function connect(socket: SocketModeReceiver): Promise<void> {
    const cancel = clock.after(HELLO_TIMEOUT_MS, () => void socket.client.disconnect());
    try {
      await socket.start();
    } finally {
      cancel();
    }
  }

  return {
    requestListener: null,
    init(app: App) {
      for (const socket of sockets) {
        socket.init(asApp(app, requests));
      }
    },
    /** Resolves with the first connection, or when the first attempt times out. */
    async start() {
      const { promise: first, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(HELLO_TIMEOUT_MS, resolve);
      keeping = keepConnected(resolve);
      await first;
      cancel();
    },
    isConnected: () => connected.size > 0,
    openSockets: () => connected.size,
    stop: () =>
      stopReceiver(requests, async () => {
        stopping.abort();
        await Promise.all(sockets.map((socket) => socket.client.disconnect()));
        await keeping;
      }),
  };
}
