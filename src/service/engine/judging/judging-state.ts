import type { Evidence } from '../../core/evidence.ts';
import type { MetricTotal } from '../../core/telemetry-item.ts';
import { type Accounts, createAccounts } from '../accounts/accounts.ts';
import { getOrCreate, senderKey } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { createTraceAssembly, type TraceAssembly } from '../requests/trace-assembly.ts';
import { createUsualTimes, type UsualTimes } from '../requests/usual-times.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { type Confirmations, createConfirmations } from './confirmations.ts';
import type { Series } from './judge-metric.ts';
import type { Firings } from './rarity.ts';
import type { Watch } from './tally.ts';

/** Calls from one service to another in one slot. */
export interface SeenCall {
  readonly sender: string;
  readonly caller: string;
  readonly callee: string;
  calls: number;
  failed: number;
}

/** All that judging knows. Plain data, see `toSnapshot`. */
export interface JudgingState {
  /** First slot that has not been judged. null before the first item. */
  nextSlot: number | null;
  /** Last slot of a span or log line. */
  busyUntil: number;
  readonly assembly: TraceAssembly;
  readonly times: UsualTimes;
  readonly accounts: Accounts;
  readonly arrivals: Arrivals;
  readonly watches: Map<string, Watch>;
  readonly series: Map<string, Series>;
  /** Key of the newest series of failures, by sender, service and series, whatever the instance. */
  readonly newestSeries: Map<string, string>;
  /** The last total of each series. */
  readonly totals: Map<string, MetricTotal & { readonly at: number; readonly value: number }>;
  readonly firings: Firings;
  readonly confirmations: Confirmations;
  /** Slots in which something was traced or logged. */
  busySlots: number;
  /** Error lines that some service of a sender writes in quiet time. */
  readonly knownErrors: Map<string, true>;
  /** Windows in which some alert fired. */
  readonly alertWindows: { count: number; last: number };
  /** When alerts ended, by fingerprint. */
  readonly endedAlerts: Map<string, number>;
  /** The slot in which a service was first heard of, by sender and service. */
  readonly services: Map<string, number>;
  /** An error line as it was written, by sender, service and feature. */
  readonly examples: Map<string, string>;
  /** Found since the last step: metrics and alerts are judged at once. */
  readonly found: Map<string, Evidence>;
  /** Services of metrics that were odd and are not any more, since the last step. */
  readonly working: Set<string>;
  /** Calls that metrics counted since the last step, by sender, caller and callee. */
  readonly calls: Map<string, SeenCall>;
  /** Fingerprints of the stored signals behind a failure, by service and feature, and by sender. */
  readonly signals: Map<string, Map<string, readonly string[]>>;
}

export function addSeenCalls(known: Map<string, SeenCall>, { calls, failed, ...about }: SeenCall): void {
  const key = senderKey(about.sender, about.caller, about.callee);
  const seen = getOrCreate(known, key, LIMITS.names, () => ({ ...about, calls: 0, failed: 0 }));
  seen.calls += calls;
  seen.failed += failed;
}

export function createJudgingState(): JudgingState {
  return {
    nextSlot: null,
    busyUntil: Number.NEGATIVE_INFINITY,
    assembly: createTraceAssembly(),
    times: createUsualTimes(),
    accounts: createAccounts(),
    arrivals: createArrivals(),
    watches: new Map(),
    series: new Map(),
    newestSeries: new Map(),
    totals: new Map(),
    firings: new Map(),
    confirmations: createConfirmations(),
    services: new Map(),
    busySlots: 0,
    knownErrors: new Map(),
    endedAlerts: new Map(),
    alertWindows: { count: 0, last: Number.NEGATIVE_INFINITY },
    examples: new Map(),
    found: new Map(),
    working: new Set(),
    calls: new Map(),
    signals: new Map(),
  };
}

/** Keeps evidence of a metric, an alert or a change for the next step. A newer or stronger one of its fingerprint replaces it. */
export function record(state: JudgingState, evidence: Evidence): void {
  const known = state.found.get(evidence.fingerprint);
  if (known === undefined || evidence.at >= known.at || evidence.strength > known.strength) {
    state.found.set(evidence.fingerprint, evidence);
  }
}
