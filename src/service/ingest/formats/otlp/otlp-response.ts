import { PbfWriter } from 'pbf';
import { type Unkept, unkept } from '../../../core/unkept.ts';
import type { Decoded } from '../../decoded.ts';
import { INGEST_LIMITS } from '../../limits.ts';
import { mediaTypeOf } from '../../media-type.ts';

/** The two encodings of OTLP/HTTP. A response has the encoding of its request. */
export type Encoding = 'protobuf' | 'json';
export const TELEMETRY_KINDS = ['traces', 'metrics', 'logs'] as const;
export type TelemetryKind = (typeof TELEMETRY_KINDS)[number];

export const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

/** The encoding of a request; null when it is unsupported. */
export function findEncoding(headers: Headers): Encoding | null {
  const mediaType = mediaTypeOf(headers);
  if (mediaType === MEDIA_TYPES.protobuf) {
    return 'protobuf';
  }
  return mediaType === MEDIA_TYPES.json ? 'json' : null;
}

const REJECTED_FIELD = { traces: 'rejectedSpans', metrics: 'rejectedDataPoints', logs: 'rejectedLogRecords' } as const;

const WHY_REJECTED = {
  traces: 'without usable trace and span ids or times',
  metrics: 'without a time or a value',
  logs: 'unusable',
} as const;

/** Why a request is refused that has content of another kind. */
export function describeOtherKind(other: TelemetryKind, kind: TelemetryKind): string {
  return `it has ${other}: send them to /v1/${other}, this is /v1/${kind}`;
}

type NotRead = Pick<Decoded<unknown>, 'rejected' | 'tooLarge' | 'unread' | 'example'>;

/** What of a request was not kept, and why. */
export function unkeptOf(kind: TelemetryKind, { rejected, tooLarge, unread, example }: NotRead): Unkept[] {
  const too = `${tooLarge} of the ${kind} larger than ${INGEST_LIMITS.itemBytes} bytes`;
  return [
    ...(rejected === 0
      ? []
      : [unkept('unusable', rejected, `${rejected} of the ${kind} ${WHY_REJECTED[kind]}`, example)]),
    ...(tooLarge === 0 ? [] : [unkept('too-large', tooLarge, too)]),
    ...(unread === null ? [] : [unkept('unread', 1, unread)]),
  ];
}

/**
 * `Export*ServiceResponse`: empty, or with `partial_success` (1: count, 2: message) when something was not kept. A count of 0
 * makes the message a warning.
 */
export function successResponse(encoding: Encoding, kind: TelemetryKind, decoded: NotRead): Response {
  const rejected = decoded.rejected + decoded.tooLarge;
  const errorMessage = unkeptOf(kind, decoded)
    .map(({ reason }) => reason)
    .join('; ');
  if (encoding === 'json') {
    const partialSuccess = { [REJECTED_FIELD[kind]]: String(rejected), errorMessage };
    return respond(encoding, 200, JSON.stringify(errorMessage === '' ? {} : { partialSuccess }));
  }
  const pbf = new PbfWriter();
  if (errorMessage !== '') {
    pbf.writeMessage(
      1,
      (_, writer) => {
        writer.writeVarintField(1, rejected);
        writer.writeStringField(2, errorMessage);
      },
      undefined,
    );
  }
  return respond(encoding, 200, pbf.finish());
}

const UNKNOWN = 2;

/** gRPC status codes (google/rpc/code.proto) by HTTP status. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3, // INVALID_ARGUMENT
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  405: 12, // UNIMPLEMENTED
  413: 8, // RESOURCE_EXHAUSTED
  415: 3,
  429: 8,
  499: 1, // CANCELLED
  500: 13, // INTERNAL
  503: 14, // UNAVAILABLE
};

/** `google.rpc.Status` (1: code, 2: message). */
export function failureResponse(
  encoding: Encoding,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const code = RPC_CODES[status] ?? UNKNOWN;
  if (encoding === 'json') {
    return respond(encoding, status, JSON.stringify({ code, message }), headers);
  }
  const pbf = new PbfWriter();
  pbf.writeVarintField(1, code);
  pbf.writeStringField(2, message);
  return respond(encoding, status, pbf.finish(), headers);
}

function respond(
  encoding: Encoding,
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Response {
  // `Response` needs bytes with a buffer of their own; the copy is small.
  const content = typeof body === 'string' ? body : Uint8Array.from(body);
  return new Response(content, { status, headers: { 'content-type': MEDIA_TYPES[encoding], ...headers } });
}
