import { ignoreOwnSpans } from '../../../../runtime/traced.ts';
import { BackPressureError } from '../../../core/errors.ts';
import type { SignalBatch } from '../../../core/signal.ts';
import type { Unkept } from '../../../core/unkept.ts';
import { MalformedMessageError } from '../../decoded.ts';
import type { IncomingBodies } from '../../incoming-bodies.ts';
import { INGEST_LIMITS, RequestTooLargeError } from '../../limits.ts';
import { isUtf8Text } from '../../media-type.ts';
import { UnreadableBodyError } from '../../request-body.ts';
import { readOtlp } from './otlp-request.ts';
import {
  type Encoding,
  failureResponse,
  findEncoding,
  MEDIA_TYPES,
  successResponse,
  type TelemetryKind,
  unkeptOf,
} from './otlp-response.ts';

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
  readonly bodies: IncomingBodies;
  /**
   * Resolves once the batch is durable.
   *
   * @throws {BackPressureError}
   */
  readonly accept: (batch: SignalBatch) => Promise<unknown>;
}

export interface OtlpCaller {
  /** Integration or key, see `senderOf`. */
  readonly sender: string;
  /** Called with the number of spans, points or records in the request. */
  readonly onItems: (items: number) => void;
  /** Called with what was not kept, although the answer is a success. */
  readonly onUnkept: (unkept: readonly Unkept[]) => void;
}

/**
 * Handles an authenticated OTLP/HTTP export request in either encoding.
 *
 * @throws {OverloadedError} @throws {ClientGoneError}
 */
type OtlpHandler = (request: Request, kind: TelemetryKind, caller: OtlpCaller) => Promise<Response>;

export function createOtlpHandler({ now, bodies, accept }: Deps): OtlpHandler {
  async function receive(
    request: Request,
    kind: TelemetryKind,
    encoding: Encoding,
    { sender, onItems, onUnkept }: OtlpCaller,
  ): Promise<Response> {
    const options = { sender, isGzip: isGzip(request.headers), limit: INGEST_LIMITS.otlpBytes };
    const { batch, decoded } = await bodies(request, options, (body) => {
      ignoreOwnSpans(body);
      return readOtlp(body, { kind, encoding, now: now() });
    }).catch((error: unknown) => {
      throw toRefusal(error);
    });
    onItems(decoded.items.length + decoded.rejected + decoded.tooLarge);
    if (batch.signals.length > 0 || batch.telemetry.length > 0) {
      await accept({ ...batch, sender });
    }
    onUnkept(unkeptOf(kind, decoded));
    return successResponse(encoding, kind, decoded);
  }

  return async (request, kind, caller) => {
    const encoding = findEncoding(request.headers);
    try {
      if (encoding === null) {
        throw new RefusedError(415, `the content type must be ${Object.values(MEDIA_TYPES).join(' or ')}`);
      }
      if (!isUtf8Text(request.headers)) {
        throw new RefusedError(415, 'the charset must be utf-8');
      }
      return await receive(request, kind, encoding, caller);
    } catch (error) {
      return toFailureResponse(error, encoding ?? 'json');
    }
  };
}

/** @throws {RefusedError} */
function isGzip(headers: Headers): boolean {
  const contentEncoding = (headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (contentEncoding !== 'gzip' && contentEncoding !== 'identity') {
    throw new RefusedError(415, 'the content encoding must be gzip or identity');
  }
  return contentEncoding === 'gzip';
}

function toRefusal(error: unknown): unknown {
  if (error instanceof RequestTooLargeError) {
    return new RefusedError(413, error.message, { cause: error });
  }
  if (error instanceof MalformedMessageError) {
    return new RefusedError(400, `the body is malformed: ${error.message}`, { cause: error });
  }
  return error instanceof UnreadableBodyError ? new RefusedError(400, error.message, { cause: error }) : error;
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
