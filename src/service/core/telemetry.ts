/**
 * Telemetry as the rules see it: OpenTelemetry's model cut down to what judging needs, whatever encoding it came in.
 * Times are nanoseconds since 1970 as bigint: a Number is off by hundreds of them.
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

/** The service of a sender that gave no name. */
export const UNKNOWN_SERVICE = 'unknown';

/** Who sent it. */
export interface Resource {
  /** `service.name`, or `UNKNOWN_SERVICE`. */
  readonly service: string;
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
  /** null: the first span of its trace. */
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Attributes;
  readonly status: SpanStatus;
  readonly statusMessage: string;
  /** Attributes of its last `exception` event, or null. */
  readonly exception: Attributes | null;
}

export const TEMPORALITIES = ['unspecified', 'delta', 'cumulative'] as const;
export type Temporality = (typeof TEMPORALITIES)[number];

export interface Metric {
  readonly name: string;
  readonly unit: string;
  /** `histogram` stands for every kind that has a sum and a count. */
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly temporality: Temporality;
  readonly isMonotonic: boolean;
}

export interface MetricPoint {
  readonly resource: Resource;
  readonly metric: Metric;
  readonly attributes: Attributes;
  /** 0n when the sender gave none. */
  readonly startNanos: bigint;
  readonly timeNanos: bigint;
  /** The reading of a gauge or a sum; the sum of a histogram. */
  readonly value: number;
  /** Measurements in a histogram; 1 for the others. */
  readonly count: number;
}

export interface LogRecord {
  readonly resource: Resource;
  /** null when the sender gave no time at all. */
  readonly timeNanos: bigint | null;
  /** 1 to 24, 0 when not given. */
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: AttributeValue;
  readonly attributes: Attributes;
  readonly traceId: string | null;
  readonly spanId: string | null;
}

/** The time in nanoseconds as a Date, never later than `now`: a sender's clock that runs ahead must not reach into the future. */
export function observedAt(nanos: bigint, now: Date): Date {
  return new Date(Math.min(Number(nanos / 1_000_000n), now.getTime()));
}
