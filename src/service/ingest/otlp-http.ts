import { BackPressureError } from '../core/errors.ts';
import type { SignalBatch } from '../core/signal.ts';
import { MalformedMessageError } from './decoded.ts';
import * as fromJson from './otlp-json.ts';
import * as fromProtobuf from './otlp-protobuf.ts';
import {
  type Encoding,
  failureResponse,
  findEncoding,
  MEDIA_TYPES,
  successResponse,
  type TelemetryKind,
} from './otlp-response.ts';
import { type ReadTelemetry, readLogs, readMetrics, readSpans } from './read-telemetry.ts';
import { BodyTooLargeError, readBody, UnreadableBodyError } from './request-body.ts';

const BODY_LIMIT_BYTES = 64 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

/** The request is invalid; sending it again does not help. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: 400 | 413 | 415;
  constructor(status: 400 | 413 | 415, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

interface Deps {
  readonly now: () => Date;
  /**
   * Resolves once the batch is durable.
   *
   * @throws {BackPressureError}
   */
  readonly accept: (batch: SignalBatch) => Promise<void>;
}

/**
 * Handles an authenticated OTLP/HTTP export request in either encoding.
 *
 * @param onItems called with the number of spans, points or records in the request
 */
type OtlpHandler = (request: Request, kind: TelemetryKind, onItems?: (items: number) => void) => Promise<Response>;

export function createOtlpHandler({ now, accept }: Deps): OtlpHandler {
  async function receive(
    request: Request,
    kind: TelemetryKind,
    encoding: Encoding,
    onItems: (items: number) => void,
  ): Promise<Response> {
    const body = await read(request);
    const { batch, count, rejected } = judge(body, kind, encoding, now());
    onItems(count + rejected);
    if (batch.signals.length > 0 || batch.telemetry.length > 0) {
      await accept(batch);
    }
    return successResponse(encoding, kind, rejected);
  }

  return async (request, kind, onItems = () => undefined) => {
    const encoding = findEncoding(request.headers);
    try {
      if (encoding === null) {
        throw new RefusedError(415, `the content type must be ${Object.values(MEDIA_TYPES).join(' or ')}`);
      }
      return await receive(request, kind, encoding, onItems);
    } catch (error) {
      return toFailureResponse(error, encoding ?? 'json');
    }
  };
}

/** @throws {RefusedError} */
async function read(request: Request): Promise<Uint8Array> {
  const contentEncoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (contentEncoding !== 'gzip' && contentEncoding !== 'identity') {
    throw new RefusedError(415, 'the content encoding must be gzip or identity');
  }
  try {
    return await readBody(request, contentEncoding === 'gzip', BODY_LIMIT_BYTES);
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) {
      throw new RefusedError(413, cause.message, { cause });
    }
    throw cause instanceof UnreadableBodyError ? new RefusedError(400, cause.message, { cause }) : cause;
  }
}

/** The batch of a request, and how many of its items were usable and unusable. */
function judge(
  body: Uint8Array,
  kind: TelemetryKind,
  encoding: Encoding,
  now: Date,
): { batch: ReadTelemetry; count: number; rejected: number } {
  const from = encoding === 'json' ? fromJson : fromProtobuf;
  switch (kind) {
    case 'traces': {
      const { items, rejected } = decode(from.decodeTraces, body);
      return { batch: readSpans(items, now), count: items.length, rejected };
    }
    case 'metrics': {
      const { items, rejected } = decode(from.decodeMetrics, body);
      return { batch: readMetrics(items), count: items.length, rejected };
    }
    case 'logs': {
      const { items, rejected } = decode(from.decodeLogs, body);
      return { batch: readLogs(items, now), count: items.length, rejected };
    }
  }
}

/** @throws {RefusedError} for any malformed body */
function decode<Items>(reader: (body: Uint8Array) => Items, body: Uint8Array): Items {
  try {
    return reader(body);
  } catch (cause) {
    const detail = cause instanceof MalformedMessageError ? `: ${cause.message}` : '';
    throw new RefusedError(400, `the body is malformed${detail}`, { cause });
  }
}

function toFailureResponse(error: unknown, encoding: Encoding): Response {
  if (error instanceof RefusedError) {
    return failureResponse(encoding, error.status, error.message);
  }
  if (error instanceof BackPressureError) {
    const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
    return failureResponse(encoding, 503, error.message, headers);
  }
  throw error;
}
