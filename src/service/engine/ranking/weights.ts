import type { Evidence } from '../../core/evidence.ts';
import type { Family } from '../../core/telemetry-item.ts';

/** Weight of a family as evidence that its service is the root, each with its reason. */
export const WEIGHTS: Readonly<Record<Family, number>> = {
  /** People lost these requests here, and each is blamed on one place only. */
  harmed_requests: 4,
  /** The same, of failures that their callers got over. */
  tolerated_failures: 2,
  /** Time that was lost in the place or on the way to it, and nowhere deeper. */
  lost_time: 2.5,
  /** No request comes in any more, so nothing else can show what is wrong. */
  requests_stopped: 3,
  /** An error line that nobody wrote before is written where something new went wrong. */
  new_error_log: 3,
  /** A line that every run used to write is missing: the code of this very service takes another path. */
  log_stopped: 3,
  /** Only the service itself uses up its CPU and memory. */
  resource: 3,
  /** Time lost between two services is the network of one of the two; the share of its edges says of which. */
  network_gap: 2.5,
  /** A change right before a failure is its most usual cause. */
  change: 2,
  /** A known error line, more often than usual: callers of a failing service write those too. */
  error_log: 1.2,
  /** A rising share of failures as a metric: measured at the service that answers. */
  failure_metric: 1.2,
  /** Failed calls travel to all callers: one alone says little about where they begin. */
  failed_calls: 1,
  /** A step is missing: its own code, or the callee that fails before it. */
  step_stopped: 1,
  /** Time spent in the service itself, without its callees; also rises when the host is busy. */
  self_time: 1,
  /** Latency as a metric holds that of the callees. */
  latency_metric: 2,
  /** An alert says that somebody cares, not where it begins. */
  alert: 1,
  /** A slow span that others judged holds the time of the callees. */
  slow_trace: 0.8,
  /** Fewer requests are more often the effect of a failing caller than a cause. */
  traffic_drop: 0.5,
};

/** More evidence of one family adds less and less: the score grows with this power of its sum. */
export const DAMPING = 0.7;

/** Share of a caller's explained evidence that its callee gets as credit: half, as the caller may be at fault itself. */
export const CREDIT = 0.5;

/** Calls over which the effects of a failing service are followed. */
export const MAX_HOPS = 3;

/** Evidence that a failing callee explains counts this much less. */
export const EXPLAINED = 0.8;

/** What all instances of a service show counts half: it may be their load, or a failure of the whole service. */
export const ALIKE = 0.5;

/** Measured: a root is right in about 6 of 10 cases below this confidence, in 8 of 10 up to 0.6, and in 9 of 10 above (316 cases). */
export const UNSURE_BELOW = 0.25;

/** How much evidence counts. */
export function worthOf({ family, strength, rarity }: Evidence): number {
  return WEIGHTS[family] * strength * rarity;
}
