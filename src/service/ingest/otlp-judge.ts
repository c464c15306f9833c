import { foldSignals } from '../core/fold.ts';
import { judgeLogs } from '../core/judge-logs.ts';
import { judgeMetrics, type MetricState } from '../core/judge-metrics.ts';
import { judgeSpans } from '../core/judge-spans.ts';
import { type CallState, countCalls, sumCalls } from '../core/service-calls.ts';
import type { SignalBatch } from '../core/signal.ts';
import { type Decoded, type Decoding, MalformedMessageError } from './decoded.ts';
import { RequestTooLargeError } from './limits.ts';
import * as fromJson from './otlp-json.ts';
import * as fromProtobuf from './otlp-protobuf.ts';
import type { Encoding, TelemetryKind } from './otlp-response.ts';

/** Items that are judged in one step. */
const ITEMS_PER_STEP = 500;

/** What judging remembers between requests. */
export interface JudgeState {
  readonly metrics: MetricState;
  readonly calls: CallState;
}

/** The content of a request. */
export interface Judged {
  readonly batch: SignalBatch;
  readonly decoded: Decoded<unknown>;
}

/**
 * Decodes a request in steps, then judges its items. A request that cannot be decoded changes no state.
 *
 * @throws {MalformedMessageError} @throws {RequestTooLargeError}
 */
export function* judgeRequest(
  body: Uint8Array,
  { kind, encoding, now }: { readonly kind: TelemetryKind; readonly encoding: Encoding; readonly now: Date },
  state: JudgeState,
): Generator<void, Judged> {
  const from = encoding === 'json' ? fromJson : fromProtobuf;
  switch (kind) {
    case 'traces': {
      const decoded = yield* readable(from.decodeTraces(body));
      const parts = yield* inParts(decoded.items, (spans) => ({
        signals: judgeSpans(spans, now),
        calls: countCalls(spans, state.calls),
      }));
      const signals = foldSignals(parts.flatMap((part) => part.signals));
      return { batch: { signals, calls: sumCalls(parts.flatMap(({ calls }) => calls)) }, decoded };
    }
    case 'metrics': {
      const decoded = yield* readable(from.decodeMetrics(body));
      return { batch: { signals: judgeMetrics(decoded.items, state.metrics, now), calls: [] }, decoded };
    }
    case 'logs': {
      const decoded = yield* readable(from.decodeLogs(body));
      const parts = yield* inParts(decoded.items, (records) => judgeLogs(records, now));
      return { batch: { signals: foldSignals(parts.flat()), calls: [] }, decoded };
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

function* inParts<Item, Part>(
  items: readonly Item[],
  judge: (items: readonly Item[]) => Part,
): Generator<void, Part[]> {
  const parts: Part[] = [];
  for (let start = 0; start < items.length; start += ITEMS_PER_STEP) {
    parts.push(judge(items.slice(start, start + ITEMS_PER_STEP)));
    yield;
  }
  return parts;
}
