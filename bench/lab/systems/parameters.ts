import type { Family } from '../vocabulary/vocabulary.ts';
import type { PlaceKind } from './system.ts';

type Range = readonly [number, number];

/** What systems of a family are drawn from. Shares are 0 to 1, times milliseconds. */
export interface Parameters {
  /** Median time of an operation's own work. */
  readonly workMs: Readonly<Record<PlaceKind, Range>>;
  /** Spread of that, as sigma of a log-normal distribution. */
  readonly sigma: Range;
  readonly instances: Range;
  readonly operations: Range;
  /** Steps of one request at most, about. */
  readonly mostSteps: Range;
  readonly parallelShare: number;
  readonly optionalShare: number;
  readonly queuedShare: number;
  readonly retriedShare: number;
  /** Share of operations with a database, and of operations that call a vendor. */
  readonly databaseShare: number;
  readonly vendorShare: number;
  /** One is drawn for each call. */
  readonly timeoutsMs: readonly number[];
  /** Shares of systems whose services mostly name their peers, tell the kind of a span, send metrics, send logs. */
  readonly namesPeers: number;
  readonly tellsKind: number;
  readonly sendsMetrics: number;
  readonly sendsLogs: number;
  /** Usual shares of failures without a fault: one is drawn for each system. */
  readonly noise: readonly number[];
  readonly requestsPerSecond: Range;
}

export const PARAMETERS: Readonly<Record<Family, Parameters>> = {
  open: {
    workMs: { service: [1.5, 40], database: [0.8, 20], cache: [0.2, 1], vendor: [30, 250], queue: [0.5, 4] },
    sigma: [0.15, 0.6],
    instances: [1, 4],
    operations: [1, 3],
    mostSteps: [6, 36],
    parallelShare: 0.25,
    optionalShare: 0.12,
    queuedShare: 0.08,
    retriedShare: 0.2,
    databaseShare: 0.45,
    vendorShare: 0.08,
    timeoutsMs: [1_000, 2_000, 3_000, 5_000, 10_000, 30_000],
    namesPeers: 0.75,
    tellsKind: 0.5,
    sendsMetrics: 0.6,
    sendsLogs: 0.85,
    noise: [0, 0.001, 0.005, 0.015],
    requestsPerSecond: [0.7, 8],
  },
  held: {
    workMs: { service: [4, 150], database: [2, 60], cache: [0.3, 3], vendor: [60, 600], queue: [1, 8] },
    sigma: [0.1, 0.9],
    instances: [1, 6],
    operations: [1, 4],
    mostSteps: [4, 28],
    parallelShare: 0.45,
    optionalShare: 0.18,
    queuedShare: 0.14,
    retriedShare: 0.35,
    databaseShare: 0.3,
    vendorShare: 0.14,
    timeoutsMs: [800, 1_500, 4_000, 15_000, 20_000],
    namesPeers: 0.65,
    tellsKind: 0.35,
    sendsMetrics: 0.45,
    sendsLogs: 0.7,
    noise: [0, 0.0005, 0.003, 0.01, 0.03],
    requestsPerSecond: [0.4, 12],
  },
};
