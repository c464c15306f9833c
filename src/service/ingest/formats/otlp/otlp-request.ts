import { foldSignals } from '../../../core/fold.ts';
import type { LogRecord } from '../../../core/telemetry.ts';
import { type Decoded, type Decoding, MalformedMessageError } from '../../decoded.ts';
import { RequestTooLargeError } from '../../limits.ts';
import { type ReadTelemetry, readLogs, readMetrics, readSpans } from '../../read-telemetry.ts';
import * as fromJson from './otlp-json.ts';
import * as fromProtobuf from './otlp-protobuf.ts';
import { describeOtherKind, type Encoding, TELEMETRY_KINDS, type TelemetryKind, unkeptOf } from './otlp-response.ts';

/** Items that are read in one step, and characters of their texts, which may be JSON: reading these takes some 30 ms at most. */
const ITEMS_PER_STEP = 500;
const CHARACTERS_PER_STEP = 500_000;

/** The content of a request. */
interface OtlpRequest {
  readonly batch: ReadTelemetry;
  readonly decoded: Decoded<unknown>;
}

/** How a request is read. */
interface Expected {
  readonly kind: TelemetryKind;
  readonly encoding: Encoding;
  readonly now: Date;
}

/**
 * Decodes a request in steps, then reads its items. Protobuf does not say what it holds, so a request that cannot be used is
 * decoded as the other kinds, to name the right address.
 *
 * @throws {MalformedMessageError} also if nothing in it can be used
 * @throws {RequestTooLargeError}
 */
export function* readOtlp(body: Uint8Array, expected: Expected): Generator<void, OtlpRequest> {
  const { kind, encoding } = expected;
  try {
    const request = yield* readAs(body, expected);
    if (request.decoded.items.length === 0 && request.decoded.rejected > 0) {
      const reasons = unkeptOf(kind, request.decoded).map(({ reason }) => reason);
      throw new MalformedMessageError(`nothing in it can be used: ${reasons.join('; ')}`);
    }
    return request;
  } catch (error) {
    const isDoubtful = error instanceof MalformedMessageError && encoding === 'protobuf';
    const other = isDoubtful ? yield* findOtherKind(body, kind) : null;
    throw other === null ? error : new MalformedMessageError(describeOtherKind(other, kind));
  }
}

const DECODERS = {
  traces: fromProtobuf.decodeTraces,
  metrics: fromProtobuf.decodeMetrics,
  logs: fromProtobuf.decodeLogs,
} as const satisfies Record<TelemetryKind, unknown>;

/** The other kind as which the body makes sense; null: it makes none. */
function* findOtherKind(body: Uint8Array, kind: TelemetryKind): Generator<void, TelemetryKind | null> {
  for (const other of TELEMETRY_KINDS.filter((each) => each !== kind)) {
    try {
      const { items, rejected } = yield* DECODERS[other](body);
      // Only log records may lack a time. One that does could be anything.
      const isTimed = items.some((item) => !('timeNanos' in item) || item.timeNanos !== null);
      if (isTimed && rejected === 0) {
        return other;
      }
    } catch {
      // it is not of this kind either
    }
  }
  return null;
}

function* readAs(body: Uint8Array, { kind, encoding, now }: Expected): Generator<void, OtlpRequest> {
  const from = encoding === 'json' ? fromJson : fromProtobuf;
  switch (kind) {
    case 'traces': {
      const decoded = yield* readable(from.decodeTraces(body));
      return { batch: yield* inParts(decoded.items, (spans) => readSpans(spans, now)), decoded };
    }
    case 'metrics': {
      const decoded = yield* readable(from.decodeMetrics(body));
      return { batch: readMetrics(decoded.items), decoded };
    }
    case 'logs': {
      const decoded = yield* readable(from.decodeLogs(body));
      return { batch: yield* readRecords(decoded.items, now), decoded };
    }
  }
}

/** Reads log records in steps. */
export function readRecords(records: readonly LogRecord[], now: Date): Generator<void, ReadTelemetry> {
  return inParts(records, (some) => readLogs(some, now), charactersOf);
}

/** Everything that goes wrong while decoding is a fault of the body. */
export function* readable<Item>(decoding: Decoding<Item>): Decoding<Item> {
  try {
    return yield* decoding;
  } catch (cause) {
    if (cause instanceof RequestTooLargeError || cause instanceof MalformedMessageError) {
      throw cause;
    }
    throw new MalformedMessageError('it cannot be decoded', { cause });
  }
}

function charactersOf({ body }: LogRecord): number {
  return typeof body === 'string' ? body.length : 0;
}

/** @param sizeOf characters that reading an item takes time for */
function* inParts<Item>(
  items: readonly Item[],
  read: (items: readonly Item[]) => ReadTelemetry,
  sizeOf: (item: Item) => number = () => 0,
): Generator<void, ReadTelemetry> {
  const parts: ReadTelemetry[] = [];
  let part: Item[] = [];
  let size = 0;
  for (const [index, item] of items.entries()) {
    part.push(item);
    size += sizeOf(item);
    if (part.length === ITEMS_PER_STEP || size >= CHARACTERS_PER_STEP || index === items.length - 1) {
      parts.push(read(part));
      [part, size] = [[], 0];
      yield;
    }
  }
  return {
    signals: foldSignals(parts.flatMap(({ signals }) => signals)),
    telemetry: parts.flatMap(({ telemetry }) => telemetry),
  };
}
