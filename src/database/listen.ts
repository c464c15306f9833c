import { Client, type ClientConfig, escapeIdentifier } from 'pg';
import type { Logger } from 'pino';
import { createRealClock } from '../runtime/clock.ts';
import { createLoop } from '../runtime/loop.ts';
import { describeConnectFailure } from './errors.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const RECONNECT_MS = 1_000;

/**
 * Calls `handler` for each notification on the channel, and after each connect, because notifications may have been missed.
 * Uses a connection of its own and reconnects after a loss.
 */
export function startListening(
  connection: ClientConfig,
  channel: string,
  handler: () => void,
  logger: Logger,
): AsyncDisposable {
  async function listenUntilLost(stopping: AbortSignal): Promise<number> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const client = new Client({ ...connection, keepAlive: true, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client.once('end', end);
    client.on('error', (error) => logger.warn({ reason: describeConnectFailure(error) }, 'a connection was lost'));
    client.on('notification', handler);
    stopping.addEventListener('abort', () => end(), { once: true });
    try {
      await client.connect();
      await client.query(`listen ${escapeIdentifier(channel)}`);
      handler();
      await ended;
    } catch (error) {
      logger.debug({ reason: describeConnectFailure(error) }, 'cannot listen for notifications now');
    }
    await client.end().catch(() => undefined);
    return RECONNECT_MS;
  }

  const loop = createLoop({
    name: `listen to ${channel}`,
    step: listenUntilLost,
    retry: { firstMs: RECONNECT_MS, longestMs: RECONNECT_MS },
    logger,
    clock: createRealClock(),
  });
  loop.start();
  return loop;
}
