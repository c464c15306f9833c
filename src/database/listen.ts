import { escapeIdentifier } from 'pg';
import type { Logger } from 'pino';
import { createRealClock } from '../runtime/clock.ts';
import { createLoop } from '../runtime/loop.ts';
import { cut } from './cut.ts';
import { describeConnectFailure } from './errors.ts';
import { withLimit } from './limit.ts';
import type { Servers } from './servers.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const RECONNECT_MS = 1_000;

/**
 * Calls `handler` for each notification on the channel, and after each connect, because notifications may have been missed.
 * Uses a connection of its own and reconnects after a loss.
 */
export function startListening(
  servers: Servers,
  channel: string,
  handler: () => void,
  logger: Logger,
): AsyncDisposable {
  async function listenUntilLost(stopping: AbortSignal): Promise<number> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    stopping.addEventListener('abort', () => end(), { once: true });
    try {
      const client = await servers.connect({}, CONNECT_TIMEOUT_MS);
      client.once('end', end);
      client.on('notification', handler);
      try {
        await withLimit(
          CONNECT_TIMEOUT_MS,
          client.query(`listen ${escapeIdentifier(channel)}`),
          () => void cut(client),
        );
        handler();
        await ended;
      } finally {
        await cut(client);
      }
    } catch (error) {
      logger.debug({ reason: describeConnectFailure(error) }, 'cannot listen for notifications now');
    }
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
