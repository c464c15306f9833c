import type { LessonDecision } from '../core/lesson.ts';
import type { TelemetryItem } from '../core/telemetry-item.ts';
import type { Decision } from '../engine/grouping/decisions.ts';

/**
 * The input of correlation, in order. Every process appends telemetry and decisions of people; the process that
 * correlates appends ticks. Replaying the log after a snapshot gives the same incidents again.
 */
export type LogEntry =
  | { readonly kind: 'telemetry'; readonly at: number; readonly reports: readonly Report[] }
  | { readonly kind: 'decision'; readonly decision: Decision | LessonDecision }
  | { readonly kind: 'tick'; readonly tick: Tick };

/** What one sender reported. */
export interface Report {
  /** Integration or key; null: it is not limited. */
  readonly sender: string | null;
  readonly items: readonly TelemetryItem[];
}

/** What the correlating process saw besides the telemetry. */
export interface Tick {
  /** Milliseconds since 1970; never goes back. */
  readonly at: number;
  /** Incidents that were closed since the last tick. */
  readonly closed: readonly { readonly number: number; readonly at: number }[];
  /** What the state may take, if that is less than all of the memory of a process: it has other partitions too. */
  readonly budgetBytes?: number;
}
