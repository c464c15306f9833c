/**
 * The parts of OpenTelemetry's data model that judging needs, independent of the encoding. Times are nanoseconds since
 * 1970 as bigint, because a Number would lose precision.
 */

/** 64-bit integers beyond the safe range of a Number are decimal strings, bytes are base64. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | readonly AttributeValue[]
  | { readonly [key: string]: AttributeValue };
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Service name of senders that give none. */
export const UNKNOWN_SERVICE = 'unknown';

/** The sender. */
export interface Resource {
  /** `service.name`, or what other attributes name, or `UNKNOWN_SERVICE`. */
  readonly service: string;
  /** What named the service, see `nameService`. Absent: `service.name`. */
  readonly serviceBy?: string;
  readonly attributes: Attributes;
}

export const SPAN_KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

export const SPAN_STATUSES = ['unset', 'ok', 'error'] as const;
export type SpanStatus = (typeof SPAN_STATUSES)[number];

export interface Span {
  readonly resource: Resource;
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  /** null for the root span of a trace. */
  readonly parentSpanId: string | null;
  /** As the protocol of the trace hands it on. Absent: empty. */
  readonly traceState?: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Attributes;
  readonly status: SpanStatus;
  readonly statusMessage: string;
  /** Attributes of the last `exception` event. */
  readonly exception: Attributes | null;
}

export const TEMPORALITIES = ['unspecified', 'delta', 'cumulative'] as const;
export type Temporality = (typeof TEMPORALITIES)[number];

export interface Metric {
  readonly name: string;
  readonly unit: string;
  /** `histogram` includes every kind that has a sum and a count. */
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly temporality: Temporality;
  readonly isMonotonic: boolean;
}

export interface MetricPoint {
  readonly resource: Resource;
  readonly metric: Metric;
  readonly attributes: Attributes;
  /** 0n when not given. */
  readonly startNanos: bigint;
  readonly timeNanos: bigint;
  /** Value of a gauge or sum; sum of a histogram. */
  readonly value: number;
  /** Number of measurements in a histogram; 1 for other kinds. */
  readonly count: number;
}

export interface LogRecord {
  readonly resource: Resource;
  /** null when not given. */
  readonly timeNanos: bigint | null;
  /** 1 to 24, 0 when not given. */
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: AttributeValue;
  /** What a structured body says in words. Absent: the body is the message. */
  readonly message?: string;
  readonly attributes: Attributes;
  readonly traceId: string | null;
  readonly spanId: string | null;
}

/** Converts nanoseconds to a Date. Times after `now`, from a clock that runs ahead, become `now`. */
export function observedAt(nanos: bigint, now: Date): Date {
  return new Date(Math.min(Number(nanos / 1_000_000n), now.getTime()));
}
