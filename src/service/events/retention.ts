import type { Logger } from 'pino';
import type { EventStore } from '../store/event-store.ts';

const PRUNE_EVERY_MS = 3_600_000;

/** Removes old events now and then, without keeping the process alive. */
export function startRetention(deps: { events: EventStore; now: () => Date; logger: Logger }): AsyncDisposable {
  const { events, now, logger } = deps;
  let running = prune();

  async function prune(): Promise<void> {
    try {
      await events.prune(now());
    } catch (err) {
      logger.warn({ err }, 'old events could not be removed');
    }
  }

  const timer = setInterval(() => {
    running = running.then(prune);
  }, PRUNE_EVERY_MS).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}
