import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Database } from '../../src/database/database.ts';

const QUIET_LOOKS = 4;
const LONGEST_MS = 120_000;

/** Detects when all parts are idle, so that only a change of the clock causes more work. */
export interface IdleWatch extends Disposable {
  /** @throws Error when the parts do not become idle */
  settle(databases: readonly Database[]): Promise<void>;
}

/** Watches the HTTP requests of the whole process, and the queries of the given databases. */
export function createIdleWatch(): IdleWatch {
  const underWay = new Set<object>();
  const requestOf = (message: unknown): object => (message as { request: object }).request; // as undici documents it
  const begin = (message: unknown) => void underWay.add(requestOf(message));
  const end = (message: unknown) => void underWay.delete(requestOf(message));
  const watched = [
    ['undici:request:create', begin],
    ['undici:request:headers', end],
    ['undici:request:error', end],
  ] as const;
  for (const [name, listener] of watched) {
    subscribe(name, listener);
  }

  return {
    async settle(databases) {
      const endMs = performance.now() + LONGEST_MS;
      for (let quietLooks = 0; quietLooks < QUIET_LOOKS; ) {
        await (quietLooks % 2 === 0 ? setTimeout(1) : setImmediate());
        const isQuerying = databases.some((each) => each.pools().some(({ used, pending }) => used + pending > 0));
        quietLooks = underWay.size > 0 || isQuerying ? 0 : quietLooks + 1;
        if (performance.now() > endMs) {
          throw new Error(`still busy: ${underWay.size} requests, queries: ${isQuerying}`);
        }
      }
    },
    [Symbol.dispose]() {
      for (const [name, listener] of watched) {
        unsubscribe(name, listener);
      }
    },
  };
}
