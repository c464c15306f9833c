import type { Logger } from 'pino';
import { createRealClock } from '../runtime/clock.ts';
import { createLoop } from '../runtime/loop.ts';

const POLL_MS = 500;

/** Calls `handler` twice a second, where notifications cannot be had. */
export function startPolling(channel: string, handler: () => void, logger: Logger): AsyncDisposable {
  const loop = createLoop({
    name: `poll for ${channel}`,
    async step() {
      handler();
      return POLL_MS;
    },
    retry: { firstMs: POLL_MS, longestMs: POLL_MS },
    logger,
    clock: createRealClock(),
  });
  loop.start();
  return loop;
}
