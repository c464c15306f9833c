import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from './service-error.ts';
import type { ServiceName } from './services.ts';

/** A way to break the shop. */
export interface Fault {
  readonly name: string;
  readonly title: string;
  /** The service with the fault, which Tocsin should name as the root. */
  readonly root: ServiceName;
  /**
   * Runs before the root handles a request. A throw fails the request.
   *
   * @param signal aborted once the caller no longer waits
   */
  readonly strike: (signal: AbortSignal) => void | Promise<void>;
}

const SLOW_STATEMENT_MS = 3000;
const BURST_SHARE = 0.6;

export const faults: readonly Fault[] = [
  {
    name: 'payments',
    title: 'every charge fails, as after a bad release',
    root: 'payments',
    strike: () => {
      throw new ServiceError('MissingMerchantAccount', 500, 'no merchant account for currency EUR');
    },
  },
  {
    name: 'orders-db',
    title: `a slow database: each statement takes ${SLOW_STATEMENT_MS / 1000} s, its caller gives up earlier`,
    root: 'orders-db',
    strike: async (signal) => {
      try {
        await delay(SLOW_STATEMENT_MS, undefined, { signal });
      } catch (cause) {
        throw new ServiceError('StatementCanceled', 503, 'statement canceled: the client gave up waiting', { cause });
      }
    },
  },
  {
    name: 'inventory',
    title: `an error burst in a leaf: ${BURST_SHARE * 100} % of its calls fail`,
    root: 'inventory',
    strike: () => {
      if (Math.random() < BURST_SHARE) {
        throw new RangeError('stock count of bell is negative');
      }
    },
  },
  {
    name: 'bank-gateway',
    title: 'a dependency of two callers fails: payments and refunds',
    root: 'bank-gateway',
    strike: () => {
      throw new ServiceError('CardNetworkUnavailable', 503, 'the card network refuses connections');
    },
  },
];
