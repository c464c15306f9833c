import {
  type Attributes,
  type AttributeValue,
  type LogRecord,
  type MetricPoint,
  type Resource,
  SPAN_KINDS,
  SPAN_STATUSES,
  type Span,
  UNKNOWN_SERVICE,
} from '../core/telemetry.ts';
import { clip, TEXT_LIMITS } from '../core/text.ts';

/** The body is not a valid message. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

/** The content of a request. `rejected` counts the unusable items. */
export interface Decoded<Item> {
  readonly items: readonly Item[];
  readonly rejected: number;
}

/** Deeper attribute values are refused, because each level needs a stack frame. */
export const MAX_VALUE_DEPTH = 32;

/** A span as sent: ids are lower-case hex of any length, missing times are 0n, enums are numbers. */
export interface SentSpan extends Omit<Span, 'resource' | 'parentSpanId' | 'kind' | 'status'> {
  readonly parentSpanId: string;
  readonly kind: number;
  readonly status: number;
}

export interface SentLogRecord extends Omit<LogRecord, 'resource' | 'timeNanos' | 'traceId' | 'spanId'> {
  readonly timeNanos: bigint;
  readonly observedNanos: bigint;
  readonly traceId: string;
  readonly spanId: string;
}

export function toResource(attributes: Attributes): Resource {
  const name = attributes['service.name'];
  const service = typeof name === 'string' ? clip(name.trim(), TEXT_LIMITS.service) : '';
  return { service: service === '' ? UNKNOWN_SERVICE : service, attributes };
}

/** null without usable ids or times. */
export function toSpan(resource: Resource, sent: SentSpan): Span | null {
  if (!isTraceId(sent.traceId) || !isSpanId(sent.spanId) || sent.startNanos === 0n || sent.endNanos === 0n) {
    return null;
  }
  return {
    resource,
    traceId: sent.traceId,
    spanId: sent.spanId,
    parentSpanId: isSpanId(sent.parentSpanId) ? sent.parentSpanId : null,
    name: sent.name,
    kind: SPAN_KINDS[sent.kind] ?? 'unspecified',
    startNanos: sent.startNanos,
    endNanos: sent.endNanos,
    attributes: sent.attributes,
    status: SPAN_STATUSES[sent.status] ?? 'unset',
    statusMessage: sent.statusMessage,
    exception: sent.exception,
  };
}

/** null without a time. */
export function toMetricPoint(point: MetricPoint): MetricPoint | null {
  return point.timeNanos === 0n ? null : point;
}

export function toLogRecord(resource: Resource, { observedNanos, ...sent }: SentLogRecord): LogRecord {
  return {
    ...sent,
    resource,
    timeNanos: sent.timeNanos || observedNanos || null,
    traceId: isTraceId(sent.traceId) ? sent.traceId : null,
    spanId: isSpanId(sent.spanId) ? sent.spanId : null,
  };
}

export type MutableAttributes = Record<string, AttributeValue>;

/** Sets own properties only, also for the key `__proto__`. */
export function setAttribute(attributes: MutableAttributes, key: string, value: AttributeValue): void {
  if (key === '__proto__') {
    Object.defineProperty(attributes, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    attributes[key] = value;
  }
}

function isTraceId(hex: string): boolean {
  return /^[0-9a-f]{32}$/.test(hex) && !/^0+$/.test(hex);
}

function isSpanId(hex: string): boolean {
  return /^[0-9a-f]{16}$/.test(hex) && !/^0+$/.test(hex);
}
