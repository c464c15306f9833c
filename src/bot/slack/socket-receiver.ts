import { type App, type Logger as BoltLogger, SocketModeReceiver } from '@slack/bolt';
import type { WebClientOptions } from '@slack/web-api';
import type { Logger } from 'pino';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { slackErrorCode } from './errors.ts';
import { intakeAsApp } from './http-receiver.ts';
import type { Intake } from './inbound.ts';
import { type BotReceiver, stopReceiver } from './receiver.ts';

/** Slack refreshes one connection at a time, and what is sent while none is up is lost: so there are two. */
const SOCKETS = 2;
const HELLO_TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;

/**
 * Socket Mode. The library's own reconnecting waits five seconds each time and, when Slack is away meanwhile, ends in a
 * rejection that nobody can catch; so it is off, and reconnecting is done here: at once, then with growing pauses.
 */
export function createSocketReceiver(options: {
  appToken: string;
  /** A new object each time: the library writes into it. */
  clientOptions: () => WebClientOptions;
  intake: Intake;
  boltLogger: BoltLogger;
  logger: Logger;
  clock: Clock;
}): BotReceiver {
  const { intake, logger, clock } = options;
  const stopping = new AbortController();
  const sockets = Array.from({ length: SOCKETS }, () => createSocket());
  let keeping: Promise<unknown> = Promise.resolve();

  function createSocket(): SocketModeReceiver {
    return new SocketModeReceiver({
      appToken: options.appToken,
      autoReconnectEnabled: false,
      logger: options.boltLogger,
      installerOptions: { clientOptions: options.clientOptions() },
    });
  }

  /** Ends when the receiver stops. */
  async function keepConnected(socket: SocketModeReceiver, onConnected: () => void): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!stopping.signal.aborted) {
      try {
        await connect(socket);
        onConnected();
        retryMs = FIRST_RETRY_MS;
        const ended = new Promise((resolve) => socket.client.once('disconnected', resolve));
        await (stopping.signal.aborted ? socket.client.disconnect() : ended);
      } catch (error) {
        if (!stopping.signal.aborted) {
          logger.warn({ reason: slackErrorCode(error), retryMs }, 'no Socket Mode connection, trying again');
        }
        await sleep(clock, retryMs * (0.75 + Math.random() / 2), stopping.signal);
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
      }
    }
  }

  /** @throws when Slack does not open a connection or does not greet */
  async function connect(socket: SocketModeReceiver): Promise<void> {
    const callOff = clock.after(HELLO_TIMEOUT_MS, () => void socket.client.disconnect());
    try {
      await socket.start();
    } finally {
      callOff();
    }
  }

  const connected = new Set<SocketModeReceiver>();
  for (const socket of sockets) {
    socket.client.on('connected', () => connected.add(socket));
    socket.client.on('disconnected', () => connected.delete(socket));
  }

  return {
    requestListener: null,
    init(app: App) {
      for (const socket of sockets) {
        socket.init(intakeAsApp(app, intake));
      }
    },
    /** Resolves with the first connection, and does not wait longer than a greeting may take. */
    async start() {
      const first = Promise.withResolvers<void>();
      keeping = Promise.all(sockets.map((socket) => keepConnected(socket, first.resolve)));
      await Promise.race([first.promise, sleep(clock, HELLO_TIMEOUT_MS)]);
    },
    isConnected: () => connected.size > 0,
    openSockets: () => connected.size,
    stop: () =>
      stopReceiver(intake, async () => {
        stopping.abort();
        await Promise.all(sockets.map((socket) => socket.client.disconnect()));
        await keeping;
      }),
  };
}
