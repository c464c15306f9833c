import type { Evidence } from '../../core/telemetry-item.ts';
import type { Series } from './judge-metric.ts';
import type { MetricTotals } from './metric-total.ts';
import type { Firings } from './rarity.ts';
import { createSpanAssembly, type SpanAssemblyState } from './span-assembly.ts';
import type { Watch } from './tally.ts';

export interface JudgeState {
  /** First slot that has not been judged. null before the first item. */
  nextSlot: number | null;
  readonly assembly: SpanAssemblyState;
  readonly watches: Map<string, Watch>;
  readonly series: Map<string, Series>;
  readonly totals: MetricTotals;
  readonly firings: Firings;
  /** Slots in which something was traced or logged. */
  busySlots: number;
  /** Error lines that some service writes in quiet time. */
  readonly knownErrors: Map<string, true>;
  /** Windows in which some alert fired. */
  readonly alertWindows: { count: number; last: number };
  /** When alerts ended, by fingerprint. */
  readonly endedAlerts: Map<string, number>;
  /** Every service that was heard of. */
  readonly services: Set<string>;
  /** Found since the last step: metrics and alerts are judged at once. */
  readonly found: Map<string, Evidence>;
  /** Fingerprints of the stored signals behind a failure, by service and feature. */
  readonly signals: Map<string, readonly string[]>;
}

export function createJudgeState(): JudgeState {
  return {
    nextSlot: null,
    assembly: createSpanAssembly(),
    watches: new Map(),
    series: new Map(),
    totals: new Map(),
    firings: new Map(),
    services: new Set(),
    busySlots: 0,
    knownErrors: new Map(),
    endedAlerts: new Map(),
    alertWindows: { count: 0, last: Number.NEGATIVE_INFINITY },
    found: new Map(),
    signals: new Map(),
  };
}
