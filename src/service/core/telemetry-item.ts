import type { KnownIncident } from './known-incident.ts';
import type { ResourceAttribute, ResourceAttributes } from './resource-attributes.ts';

/** Telemetry as the engine takes it: normalised, with event time in milliseconds since 1970. */
export type TelemetryItem = SpanItem | LogItem | MetricItem | AlertItem | ChangeItem;

/** A consumer works like a server, but nobody waits for it: it takes messages from a queue. */
export type SpanRole = 'server' | 'consumer' | 'client' | 'internal' | 'unknown';

export interface SpanItem {
  readonly kind: 'span';
  readonly service: string;
  /** When the span ended. */
  readonly at: number;
  readonly durationMs: number;
  /** Span name without variable parts. */
  readonly operation: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly role: SpanRole;
  readonly isFailed: boolean;
  /**
   * The answer was that the request is wrong or not allowed, or nobody waited for it any more (`cancelled`): what usually follows did
   * not. Absent: neither.
   */
  readonly isRejected?: true | 'cancelled';
  /** A call or a step of which neither a status nor a response tells how it ended. Absent: one does, or it is no such span. */
  readonly isUntold?: true;
  /** Service at the other end as the span names it, or null. */
  readonly peer: string | null;
  /** Fingerprint of the stored signal that a failed span is part of. */
  readonly signal?: string;
  /** Where the service ran: a pod, a host. Absent: the sender does not say. */
  readonly instance?: string;
  /** What else its sender says about where the service ran. Absent: nothing. */
  readonly attributes?: ResourceAttributes;
  /** How many spans it stands for, when its sender sends a sample. Absent: one. */
  readonly weight?: number;
}

export type LogSeverity = 'info' | 'warning' | 'error' | 'critical';

export interface LogItem {
  readonly kind: 'log';
  readonly service: string;
  readonly at: number;
  readonly severity: LogSeverity;
  readonly text: string;
  readonly traceId: string | null;
  readonly spanId: string | null;
  /** Fingerprint of the stored signal that an error line is part of. */
  readonly signal?: string;
}

/** What a metric measures; decides which direction is bad. */
export type MetricMeaning =
  | 'duration'
  | 'client_duration'
  | 'utilization'
  | 'unavailability'
  | 'failures'
  | 'backlog'
  | 'traffic';

export interface MetricItem {
  readonly kind: 'metric';
  readonly service: string;
  readonly at: number;
  /** Name and attributes: with the instance, they have one baseline. */
  readonly series: string;
  readonly instance: string | null;
  readonly name: string;
  readonly meaning: MetricMeaning;
  /** The called service, if `service` measured its calls to another. Absent: it measured itself. */
  readonly peer?: string;
  /** Seconds for durations, 0 to 1 for utilization and unavailability. */
  readonly value: number;
  /** How many measurements `value` is the mean of. Absent: not known, or in `total`. */
  readonly count?: number;
  /** Present when `value` is a running total; the difference to the last one is judged. */
  readonly total?: MetricTotal;
}

export interface MetricTotal {
  /** When the total was zero, in milliseconds since 1970. */
  readonly startedAt: number;
  /** How many measurements `value` sums up: their mean is judged. null: a counter, its increase is judged. */
  readonly count: number | null;
}

/** Where an alert was before, as it is stored when the alert arrives. */
export interface AlertHistory {
  /** The open incident that has it. Absent: there is none. */
  readonly home?: KnownIncident;
  /** Number of the last closed incident that had it. Absent: there is none, or an open one has it. */
  readonly previous?: number;
}

/** Keys of rules: an alert joins the incident of one that inhibits what it is inhibited by. */
export interface Inhibition {
  readonly inhibits?: readonly string[];
  readonly inhibitedBy?: readonly string[];
}

/** An observation that another system has judged. */
export interface AlertItem extends AlertHistory, Inhibition {
  readonly kind: 'alert';
  readonly service: string;
  readonly at: number;
  readonly instance: string | null;
  readonly fingerprint: string;
  readonly family: Family;
  readonly peer: string | null;
  readonly subject: string;
  /** Where in its service it fires, see `locateAlert`. Absent: the service says it. */
  readonly place?: string;
  /** 0 to 1, by the sender's severity or score. */
  readonly strength: number;
  readonly traceId: string | null;
  /** Whether its sender says that it is over; null: this sender never says so. */
  readonly hasEnded: boolean | null;
}

/** A deployment or a change of configuration. */
export interface ChangeItem {
  readonly kind: 'change';
  readonly service: string;
  readonly at: number;
  readonly subject: string;
}

/** Evidence of one sort; quantiles of one metric are one family. */
export const FAMILIES = [
  'harmed_requests',
  'tolerated_failures',
  'lost_time',
  'requests_stopped',
  'new_error_log',
  'error_log',
  'log_stopped',
  'failed_calls',
  'step_stopped',
  'self_time',
  'network_gap',
  'resource',
  'latency_metric',
  'failure_metric',
  'traffic_drop',
  'slow_trace',
  'alert',
  'change',
] as const;
export type Family = (typeof FAMILIES)[number];

/** Where evidence comes from. */
export type Origin = 'trace' | 'log' | 'metric' | 'alert' | 'change';

/** What requests lost at one place, since the first of them. */
export interface Lost {
  /** `error`: it failed them. `rejected`: it refused to serve them. `silent`: it did not answer, or slowly and without a span. `self`: it took long. `way`: time or answers were lost on the way to it. */
  readonly kind: 'error' | 'rejected' | 'silent' | 'self' | 'way';
  /** Requests that lost something, and all that went through the place meanwhile. */
  readonly requests: number;
  readonly total: number;
  /** How many of them failed; the others were slow. */
  readonly failed: number;
  /** Mean time beyond the usual. */
  readonly extraMs: number;
  /** In the last minute. */
  readonly perMinute: number;
  /**
   * The place at which they were lost, if the service explains it from outside: its calls to that place are lost (`silent`,
   * `way`), or the calls of that place to it (`error`, `self`). Absent: they were lost at the service itself.
   */
  readonly lostAt?: string;
  /** From the place over its callers to where the requests entered: how most of them came. */
  readonly path: readonly PathStep[];
}

export interface PathStep {
  readonly service: string;
  /** Requests that were lost and came this way. */
  readonly requests: number;
}

/** What instances of several services may share, the narrowest first. */
export const FATEFUL = ['pod', 'host', 'zone', 'region'] as const satisfies readonly ResourceAttribute[];
export type Fateful = (typeof FATEFUL)[number];

/**
 * Something that several services run on, and where alone each of them loses requests at the same time; or a `server` that
 * several databases or queues are parts of.
 */
export interface Fate {
  readonly attribute: Fateful | 'server';
  readonly value: string;
  /** Nothing answers from there any more. */
  readonly isSilent: boolean;
}
