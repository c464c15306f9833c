import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from './service-error.ts';
import type { PlaceName } from './services.ts';

/** A way to break the shop. Each does one or more of what its fields tell. */
export interface Fault {
  readonly name: string;
  readonly title: string;
  /** Where the fault is, which Tocsin should name as the root. null: nowhere, Tocsin should open no incident. */
  readonly root: PlaceName | null;
  /** The one bad instance of the root, from 0. Absent: all. */
  readonly instance?: number;
  /**
   * Runs before the root handles a request; without a root, before anybody does. A throw fails the request.
   *
   * @param signal aborted once the caller no longer waits
   */
  readonly strike?: (signal: AbortSignal) => void | Promise<void>;
  /** The root's process is gone: it refuses connections and sends no telemetry. */
  readonly isGone?: true;
  /** How much longer each request to the root is on its way, in milliseconds. */
  readonly networkMs?: number;
}

const SLOW_STATEMENT_MS = 3000;
const BURST_SHARE = 0.6;
const SLOW_NETWORK_MS = 600;
const NOISE_SHARE = 0.02;

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
  {
    name: 'gone',
    title: 'the process of orders-db is gone: connections to it are refused',
    root: 'orders-db',
    isGone: true,
  },
  {
    name: 'slow-network',
    title: `a slow network: each request to catalog is ${SLOW_NETWORK_MS / 1000} s longer on its way`,
    root: 'catalog',
    networkMs: SLOW_NETWORK_MS,
  },
  {
    name: 'vendor',
    title: 'a vendor fails: card-network, which sends no telemetry, answers 503',
    root: 'card-network',
    strike: () => {
      throw new ServiceError('Unavailable', 503, 'try again later');
    },
  },
  {
    name: 'one-instance',
    title: 'one of the two instances of catalog fails every request',
    root: 'catalog',
    instance: 1,
    strike: () => {
      throw new TypeError('the price list of this instance is empty');
    },
  },
  {
    name: 'noise',
    title: `steady noise: ${NOISE_SHARE * 100} % of the requests of every service fail by themselves`,
    root: null,
    strike: () => {
      if (Math.random() < NOISE_SHARE) {
        throw new ServiceError('Conflict', 500, 'somebody else was faster');
      }
    },
  },
];

/** What Tocsin should do about a fault. */
export function expectationOf({ root }: Fault): string {
  return root === null ? 'no incident' : `root: ${root}`;
}
