import { setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig, escapeIdentifier } from 'pg';
import type { Logger } from 'pino';
import { describeConnectFailure } from './errors.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const RECONNECT_MS = 1_000;

/**
 * Calls `handler` when something was notified on the channel, and after each connect, since something may have been
 * missed until then. It has a connection of its own, which comes back by itself.
 */
export function startListening(
  connection: ClientConfig,
  channel: string,
  handler: () => void,
  logger: Logger,
): AsyncDisposable {
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));

  async function listenOnce(): Promise<void> {
    const client = new Client({ ...connection, keepAlive: true, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    const lost = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', (error) => logger.warn({ reason: describeConnectFailure(error) }, 'a connection was lost'));
    client.on('notification', handler);
    try {
      await client.connect();
      await client.query(`listen ${escapeIdentifier(channel)}`);
      handler();
      await Promise.race([lost, stopped]);
    } catch (error) {
      logger.debug({ reason: describeConnectFailure(error) }, 'cannot listen for notifications now');
    }
    await client.end().catch(() => undefined);
  }

  async function listenOn(): Promise<void> {
    while (!stop.signal.aborted) {
      await listenOnce();
      await setTimeout(RECONNECT_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  const listening = listenOn();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await listening;
    },
  };
}
