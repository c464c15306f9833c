import { foldSignals } from '../core/fold.ts';
import type { LogRecord } from '../core/telemetry.ts';
import { type Decoded, type Decoding, MalformedMessageError } from './decoded.ts';
import { RequestTooLargeError } from './limits.ts';
import * as fromJson from './otlp-json.ts';
import * as fromProtobuf from './otlp-protobuf.ts';
import type { Encoding, TelemetryKind } from './otlp-response.ts';
import { type ReadTelemetry, readLogs, readMetrics, readSpans } from './read-telemetry.ts';

/** Items that are read in one step, and characters of their texts, which may be JSON: reading these takes some 30 ms at most. */
const ITEMS_PER_STEP = 500;
const CHARACTERS_PER_STEP = 500_000;

/** The content of a request. */
interface OtlpRequest {
  readonly batch: ReadTelemetry;
  readonly decoded: Decoded<unknown>;
}

/**
 * Decodes a request in steps, then reads its items.
 *
 * @throws {MalformedMessageError} @throws {RequestTooLargeError}
 */
export function* readOtlp(
  body: Uint8Array,
  { kind, encoding, now }: { readonly kind: TelemetryKind; readonly encoding: Encoding; readonly now: Date },
): Generator<void, OtlpRequest> {
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
      return { batch: yield* inParts(decoded.items, (records) => readLogs(records, now), charactersOf), decoded };
    }
  }
}

/** Everything that goes wrong while decoding is a fault of the body. */
function* readable<Item>(decoding: Decoding<Item>): Decoding<Item> {
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
