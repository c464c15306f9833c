import { BY_HOST } from '../core/measured-service.ts';
import { nameService } from '../core/service-name.ts';
import {
  type Attributes,
  type AttributeValue,
  type LogRecord,
  type MetricPoint,
  type Resource,
  SPAN_KINDS,
  SPAN_STATUSES,
  type Span,
} from '../core/telemetry.ts';
import { clip, TEXT_LIMITS } from '../core/text.ts';
import { INGEST_LIMITS, RequestTooLargeError } from './limits.ts';

/** The body is not a valid message. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

const SERVICE_NAME = 'service.name';

/** What SDKs send when nobody has named the service: `unknown_service:node`. */
const SDK_DEFAULT = 'unknown_service';

/** The content of a request. */
export interface Decoded<Item> {
  readonly items: readonly Item[];
  /** Number of unusable items. */
  readonly rejected: number;
  /** Number of items with more than `itemBytes`, which were not read. */
  readonly tooLarge: number;
  /** The first unusable item, as it was sent; null: there is none. */
  readonly example: unknown;
  /** What of the request was not read, the first of it; null: nothing. */
  readonly unread: string | null;
}

/** Decodes a request in steps of less than a millisecond, unless an item is large. It counts before it creates. */
export type Decoding<Item> = Generator<void, Decoded<Item>>;

/** A pause costs time, so there is none after each small item. */
const STEP_BYTES = 32 * 1024;
/** An empty item takes about as long as this many bytes of another. */
const BYTES_PER_ITEM = 100;
const NO_PAUSE: Iterable<void> = [];
const ONE_PAUSE: Iterable<void> = [undefined];

export type Level = 'resources' | 'scopes' | 'metrics' | 'items';

/** Collects the items of a request. */
export interface Collector<Item> {
  /** Must be called before an entry of this level is read. @throws {RequestTooLargeError} */
  count(level: Level): void;
  /** @param item null: rejected @param sent gives it as it was sent */
  add(item: Item | null, sent: () => unknown): void;
  addTooLarge(): void;
  addUnread(what: string): void;
  /** @returns a pause when many bytes were read since the last one */
  pauseAfter(bytes: number): Iterable<void>;
  readonly decoded: Decoded<Item>;
}

export function createCollector<Item>(): Collector<Item> {
  const counts: Record<Level, number> = { resources: 0, scopes: 0, metrics: 0, items: 0 };
  const decoded = {
    items: [] as Item[],
    rejected: 0,
    tooLarge: 0,
    example: null as unknown,
    unread: null as string | null,
  };
  let bytesInStep = 0;
  return {
    count(level) {
      counts[level] += 1;
      if (counts[level] > INGEST_LIMITS.items) {
        throw new RequestTooLargeError(
          `a request may have at most ${INGEST_LIMITS.items} ${level}: send smaller batches`,
        );
      }
    },
    add(item, sent) {
      if (item === null) {
        decoded.rejected += 1;
        decoded.example ??= sent();
      } else {
        decoded.items.push(item);
      }
    },
    addTooLarge() {
      decoded.tooLarge += 1;
    },
    addUnread(what) {
      decoded.unread ??= what;
    },
    pauseAfter(bytes) {
      bytesInStep += bytes + BYTES_PER_ITEM;
      if (bytesInStep < STEP_BYTES) {
        return NO_PAUSE;
      }
      bytesInStep = 0;
      return ONE_PAUSE;
    },
    decoded,
  };
}

/**
 * Limits what an entry has besides the entries that it contains.
 *
 * @throws {RequestTooLargeError} from the returned function
 */
export function createFieldLimit(): (bytes?: number, values?: number) => void {
  const { otherFields, itemBytes, itemValues } = INGEST_LIMITS;
  let [fields, size, held] = [0, 0, 0];
  return (bytes = 0, values = 0) => {
    fields += 1;
    size += bytes;
    held += values;
    if (fields > otherFields || size > itemBytes || held > itemValues) {
      throw new RequestTooLargeError(
        `a resource, scope or metric may have ${otherFields} fields with ${itemBytes} bytes: send less at once`,
      );
    }
  };
}

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

export interface SentMetricPoint extends Omit<MetricPoint, 'value'> {
  readonly value: number | null;
}

export function toResource(attributes: Attributes): Resource {
  const name = attributes[SERVICE_NAME];
  const service = typeof name === 'string' ? clip(name.trim(), TEXT_LIMITS.service) : '';
  if (service !== '' && !service.startsWith(SDK_DEFAULT)) {
    return { service, attributes };
  }
  const otherwise = {
    'the SDK': service,
    [BY_HOST]: attributes['host.name'],
  };
  const other = nameService({ labels: attributes, otherwise });
  return { service: other.service, serviceBy: other.by, attributes };
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
    ...(sent.traceState === undefined || sent.traceState === '' ? {} : { traceState: sent.traceState }),
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

/** null without a time or a value. */
export function toMetricPoint({ value, ...point }: SentMetricPoint): MetricPoint | null {
  return point.timeNanos === 0n || value === null ? null : { ...point, value };
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

/** The attributes that were read so far. */
export interface AttributeList {
  readonly values: Record<string, AttributeValue>;
  count: number;
}

export function createAttributeList(): AttributeList {
  return { values: {}, count: 0 };
}

/** Drops attributes beyond the limit, except the name of the service. Sets own properties only, also for `__proto__`. */
export function setAttribute(list: AttributeList, key: string, value: AttributeValue): void {
  list.count += 1;
  if (list.count > INGEST_LIMITS.attributes && key !== SERVICE_NAME) {
    return;
  }
  if (key === '__proto__') {
    Object.defineProperty(list.values, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    list.values[key] = value;
  }
}

function isTraceId(hex: string): boolean {
  return /^[0-9a-f]{32}$/.test(hex) && !/^0+$/.test(hex);
}

function isSpanId(hex: string): boolean {
  return /^[0-9a-f]{16}$/.test(hex) && !/^0+$/.test(hex);
}
