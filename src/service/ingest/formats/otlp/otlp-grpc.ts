import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { INGEST_LIMITS } from '../../limits.ts';
import { readFailure, retryDetails, writeFrame } from './grpc-message.ts';
import { MEDIA_TYPES } from './otlp-response.ts';

/** Calls at the same time on one connection. */
const MAX_STREAMS = 100;
/** A call on which nothing moves for so long is broken off. */
const IDLE_MS = 30_000;
/** Calls in flight may finish for so long when the process stops. */
const DRAIN_MS = 10_000;
const PREFIX_BYTES = 5;

/** The path of OTLP/HTTP for each method (opentelemetry-proto, `collector/<kind>/v1`). */
const PATHS: Readonly<Record<string, string>> = {
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export': '/v1/traces',
  '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export': '/v1/metrics',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export': '/v1/logs',
};

export const GRPC_METHODS: readonly string[] = Object.keys(PATHS);

/** Status codes of gRPC. */
const GRPC = { ok: 0, invalid: 3, exhausted: 8, unimplemented: 12, internal: 13 } as const;

/** A call that cannot be handed on. */
class CallError extends Error {
  override readonly name = 'CallError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface OtlpGrpc extends AsyncDisposable {
  readonly port: number;
}

/**
 * Receives OTLP over gRPC without TLS: unary calls, gzip or not. A call is handed on as the same request of OTLP/HTTP, so
 * keys, limits, back-pressure and metrics are the same.
 *
 * @param fetch serves `/v1/traces`, `/v1/metrics` and `/v1/logs`
 * @throws what listening on the port throws
 */
export async function openOtlpGrpc(
  host: string,
  port: number,
  fetch: (request: Request) => Promise<Response>,
): Promise<OtlpGrpc> {
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer({ settings: { maxConcurrentStreams: MAX_STREAMS }, maxSessionMemory: 64 });
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => stream.destroy());
    stream.setTimeout(IDLE_MS, () => stream.destroy());
    void serve(stream, headers, fetch);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // not a socket file
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      const timer = setTimeout(() => {
        for (const session of sessions) {
          session.destroy();
        }
      }, DRAIN_MS);
      for (const session of sessions) {
        session.close(); // after the calls in flight
      }
      await closed;
      clearTimeout(timer);
    },
  };
}

async function serve(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  try {
    const { request, broken } = await toRequest(stream, headers);
    const response = await fetch(request);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (broken.by !== null) {
      fail(stream, broken.by.status, broken.by.message, null);
    } else if (response.ok) {
      succeed(stream, bytes);
    } else {
      const { code, message } = readFailure(bytes);
      fail(stream, code ?? GRPC.internal, message, Number(response.headers.get('retry-after')) || null);
    }
  } catch (error) {
    const { status, message } = error instanceof CallError ? error : { status: GRPC.internal, message: 'internal' };
    fail(stream, status, message, null);
  }
}

/** @throws {CallError} */
async function toRequest(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<{ readonly request: Request; readonly broken: Broken }> {
  const path = PATHS[headers[':path'] ?? ''];
  if (headers[':method'] !== 'POST' || path === undefined) {
    throw new CallError(
      GRPC.unimplemented,
      'this is an endpoint of OTLP: TraceService, MetricsService and LogsService',
    );
  }
  if (!/^application\/grpc(?:\+proto)?$/.test(headers['content-type'] ?? '')) {
    throw new CallError(GRPC.invalid, 'the content type must be application/grpc');
  }
  const encoding = String(headers['grpc-encoding'] ?? 'identity');
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new CallError(GRPC.unimplemented, 'the encoding must be gzip or identity');
  }
  const chunks = readChunks(stream);
  const { isCompressed, length, rest } = await readPrefix(chunks);
  if (isCompressed && encoding === 'identity') {
    throw new CallError(GRPC.invalid, 'a compressed message needs grpc-encoding');
  }
  if (length > INGEST_LIMITS.otlpBytes) {
    throw new CallError(
      GRPC.exhausted,
      `a message may have at most ${INGEST_LIMITS.otlpBytes} bytes: send less at once`,
    );
  }
  const forwarded = ['authorization', 'x-api-key', 'traceparent', 'x-request-id'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const broken: Broken = { by: null };
  const request = new Request(`http://otlp.invalid${path}`, {
    method: 'POST',
    headers: {
      ...Object.fromEntries(forwarded),
      'content-type': MEDIA_TYPES.protobuf,
      'content-length': String(length),
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    },
    body: ReadableStream.from(readMessage(rest, chunks, length, broken)),
    duplex: 'half',
  });
  return { request, broken };
}

/** Why the message could not be read to its end, for whoever answers; null: it could. */
interface Broken {
  by: CallError | null;
}

async function* readChunks(stream: ServerHttp2Stream): AsyncGenerator<Buffer> {
  yield* stream as AsyncIterable<Buffer>; // no encoding is set
}

/** @throws {CallError} */
async function readPrefix(chunks: AsyncGenerator<Buffer>) {
  let read: Buffer = Buffer.alloc(0);
  while (read.byteLength < PREFIX_BYTES) {
    const { done, value } = await chunks.next();
    if (done === true) {
      throw new CallError(GRPC.invalid, 'the call has no message');
    }
    read = Buffer.concat([read, value]);
  }
  const [flag = 0] = read;
  return { isCompressed: flag === 1, length: read.readUInt32BE(1), rest: read.subarray(PREFIX_BYTES) };
}

/** Exactly one message. Another length breaks the request off, which is answered as such. */
async function* readMessage(
  rest: Buffer,
  chunks: AsyncGenerator<Buffer>,
  length: number,
  broken: Broken,
): AsyncGenerator<Uint8Array> {
  let size = rest.byteLength;
  if (size > 0 && size <= length) {
    yield new Uint8Array(rest);
  }
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > length) {
      break;
    }
    yield new Uint8Array(chunk);
  }
  if (size !== length) {
    broken.by = new CallError(GRPC.invalid, 'the call must have exactly one message');
    throw broken.by;
  }
}

function succeed(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed) {
    return;
  }
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(GRPC.ok) }));
  stream.end(writeFrame(message));
}

/** @param retryAfterSeconds when the sender may try again; null: it must not */
function fail(stream: ServerHttp2Stream, status: number, message: string, retryAfterSeconds: number | null): void {
  if (stream.destroyed || stream.headersSent) {
    return;
  }
  const details =
    retryAfterSeconds === null ? {} : { 'grpc-status-details-bin': retryDetails(status, message, retryAfterSeconds) };
  const trailers = { 'grpc-status': String(status), 'grpc-message': encodeURIComponent(message), ...details };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
  stream.resume(); // what is still sent
}
