import type { Attributes, LogRecord, MetricPoint } from '../../core/telemetry.ts';
import { type Decoding, toLogRecord, toResource } from '../decoded.ts';
import type { IncomingFormat } from '../formats/format.ts';

/**
 * A format in which a product pushes logs or metrics. Everything is read like the records and points of OTLP; a format only
 * says how to decode, what to answer, and what to set at the sender.
 */
export interface PushFormat extends IncomingFormat {
  /** What is behind the path of the type; the first is where signals are pushed to. */
  readonly addresses: readonly [string, ...string[]];
  /** For one request. @throws {RefusedPushError} if the format is refused by its headers */
  readonly decoderFor: (request: PushedRequest) => PushDecoder;
  /** What clients ask before they push, by its address and method. */
  readonly greetings?: readonly Greeting[];
}

export interface PushedRequest {
  readonly headers: Headers;
  readonly path: string;
  readonly now: Date;
}

export type PushDecoder =
  | { readonly kind: 'logs'; readonly decode: (body: Uint8Array) => Decoding<LogRecord>; readonly answer: Answers }
  | {
      readonly kind: 'metrics';
      readonly decode: (body: Uint8Array) => Decoding<MetricPoint>;
      readonly answer: Answers;
    };

/** The answer to a request whose content is durable, as its clients expect it. */
export type Answers = () => Response;

interface Greeting {
  readonly address: string;
  readonly answer: Answers;
}

/** The format of a request is not read. The message says which, and what to do. */
export class RefusedPushError extends Error {
  override readonly name = 'RefusedPushError';
}

/** The sender names nothing by itself: its records do. */
const NOBODY = toResource({});

/** What a format tells about a line; the rest is read from the line, see `readLogLine`. */
export function toPushedRecord(
  pushed: Pick<LogRecord, 'body' | 'attributes'> & Partial<Pick<LogRecord, 'severityNumber'>> & { timeNanos: bigint },
): LogRecord {
  return toLogRecord(NOBODY, {
    severityNumber: 0,
    severityText: '',
    observedNanos: 0n,
    traceId: '',
    spanId: '',
    ...pushed,
  });
}

/** The attributes that are given: texts, without the empty ones. */
export function given(attributes: Readonly<Record<string, unknown>>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  );
}

/** A time as products write it: a date, or seconds, milliseconds, microseconds or nanoseconds since 1970; 0n: none. */
export function nanosOf(value: unknown): bigint {
  const isText = typeof value === 'string' && value !== '';
  if (isText && !/^\d+(?:\.\d+)?$/.test(value)) {
    const ms = Date.parse(value);
    return Number.isNaN(ms) || ms < 0 ? 0n : BigInt(ms) * 1_000_000n;
  }
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number' || !(number > 0) || number > 1e19) {
    return 0n;
  }
  const digits = Math.floor(Math.log10(number));
  const scale = digits >= 18 ? 1 : digits >= 15 ? 1e3 : digits >= 12 ? 1e6 : 1e9;
  return BigInt(Math.round(number * scale));
}
