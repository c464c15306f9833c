import { foldSignals } from '../core/fold.ts';
import { type Decoded, type Decoding, MalformedMessageError } from './decoded.ts';
import { RequestTooLargeError } from './limits.ts';
import * as fromJson from './otlp-json.ts';
import * as fromProtobuf from './otlp-protobuf.ts';
import type { Encoding, TelemetryKind } from './otlp-response.ts';
import { type ReadTelemetry, readLogs, readMetrics, readSpans } from './read-telemetry.ts';

/** Items that are read in one step. */
const ITEMS_PER_STEP = 500;

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
      return { batch: yield* inParts(decoded.items, (records) => readLogs(records, now)), decoded };
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

function* inParts<Item>(
  items: readonly Item[],
  read: (items: readonly Item[]) => ReadTelemetry,
): Generator<void, ReadTelemetry> {
  const parts: ReadTelemetry[] = [];
  for (let start = 0; start < items.length; start += ITEMS_PER_STEP) {
    parts.push(read(items.slice(start, start + ITEMS_PER_STEP)));
    yield;
  }
  return {
    signals: foldSignals(parts.flatMap(({ signals }) => signals)),
    telemetry: parts.flatMap(({ telemetry }) => telemetry),
  };
}
