import type { Family } from '../telemetry-item.ts';

/** What a family of evidence says about its service being the root; each with its reason. */
export const WEIGHTS: Readonly<Record<Family, number>> = {
  /** An error line never seen before is written where something new went wrong. */
  new_error_log: 3.2,
  /** A line that every request used to write is missing: the code takes another path here. */
  log_stopped: 3,
  /** Time is lost between two services: it is the network of one of the two. */
  network_gap: 1.9,
  /** Only the service itself uses its CPU and memory. */
  resource: 1.5,
  /** Fewer requests: more often the effect of a failing caller than a cause. */
  traffic_drop: 0.5,
  /** A known error line, more often than usual: callers write those too. */
  error_log: 1.4,
  /** Failed calls travel to all callers, so one says little about where they begin. */
  failed_calls: 1.2,
  /** A step that an operation always took is missing, or the callee of it failed earlier. */
  step_stopped: 1,
  /** Time spent in the service itself, its callees taken out. */
  self_time: 1.5,
  /** Latency as a metric holds that of the callees. */
  latency_metric: 1,
  failure_metric: 1.2,
  /** A slow span, judged by others: holds the time of the callees. */
  slow_trace: 0.8,
  /** An alert says that somebody cares, not where it begins. */
  alert: 1,
  /** A change right before a failure is the most usual cause of all. */
  change: 2,
};
