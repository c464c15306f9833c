import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { Metadata, status } from '@grpc/grpc-js';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { PbfReader } from 'pbf';
import { describe, expect, it } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { type OtlpGrpc, openOtlpGrpc } from '../../src/service/ingest/formats/otlp/otlp-grpc.ts';
import { INGEST_LIMITS } from '../../src/service/ingest/limits.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const EXPORT_TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

async function startGrpc(fetch?: (request: Request) => Promise<Response>) {
  await using stack = new AsyncDisposableStack();
  const tocsin = stack.use(await startTestService());
  const grpc = stack.use(await openOtlpGrpc('127.0.0.1', 0, fetch ?? ((request) => tocsin.service.fetch(request))));
  const disposables = stack.move();
  return { tocsin, grpc, [Symbol.asyncDispose]: () => disposables.disposeAsync() };
}

async function exportFailedSpan({ port }: OtlpGrpc, key: string, compression: 'gzip' | 'none'): Promise<void> {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  const exporter = new OTLPTraceExporter({
    url: `http://127.0.0.1:${port}`,
    metadata,
    // What the enum of the package is at run time.
    compression: compression as never,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'payments' }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const span = provider.getTracer('test').startSpan('POST /charge', { kind: SpanKind.SERVER });
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'no stock' });
  span.end();
  await provider.forceFlush();
  await provider.shutdown();
}

async function signals(tocsin: TestService): Promise<SignalList['signals']> {
  return SignalList.parse(await (await tocsin.call('GET', '/signals')).json()).signals;
}

it.each(['gzip', 'none'] as const)(
  'takes what the OpenTelemetry SDK exports over gRPC, compression %s',
  async (compression) => {
    await using service = await startGrpc();

    await exportFailedSpan(service.grpc, service.tocsin.readWriteKey, compression);

    expect(await signals(service.tocsin)).toMatchObject([
      { type: 'trace', service: 'payments', summary: 'POST /charge fails (no stock)' },
    ]);
  },
);

/** One call, byte by byte. */
async function call(
  session: ClientHttp2Session,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly message: string; readonly details: string | undefined }> {
  const stream = session.request({
    ':method': 'POST',
    ':path': EXPORT_TRACES,
    'content-type': 'application/grpc',
    ...headers,
  });
  const found: Record<string, string | string[] | number | undefined> = {};
  stream.on('response', (received) => Object.assign(found, received));
  stream.on('trailers', (received) => Object.assign(found, received));
  stream.resume();
  stream.end(body);
  await once(stream, 'close');
  const details = found['grpc-status-details-bin'];
  return {
    status: Number(found['grpc-status']),
    message: decodeURIComponent([found['grpc-message'] ?? ''].join('')),
    details: details === undefined ? undefined : [details].join(''),
  };
}

function frame(message: Uint8Array, { flag = 0, length = message.byteLength } = {}): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flag);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}

const EMPTY = frame(Buffer.alloc(0));

describe('a call', () => {
  async function answer(
    body: Buffer,
    headers: Readonly<Record<string, string>> = {},
    fetch?: (request: Request) => Promise<Response>,
  ) {
    await using service = await startGrpc(fetch);
    const session = connect(`http://127.0.0.1:${service.grpc.port}`);
    try {
      return await call(session, body, { authorization: `Bearer ${service.tocsin.readWriteKey}`, ...headers });
    } finally {
      session.close();
    }
  }

  it.each([
    ['an empty request', EMPTY, {}, status.OK],
    ['a wrong key', EMPTY, { authorization: 'Bearer nonsense' }, status.UNAUTHENTICATED],
    ['another method', EMPTY, { ':path': '/grpc.health.v1.Health/Check' }, status.UNIMPLEMENTED],
    ['another encoding', EMPTY, { 'grpc-encoding': 'snappy' }, status.UNIMPLEMENTED],
    ['another content type', EMPTY, { 'content-type': 'application/grpc+json' }, status.INVALID_ARGUMENT],
    ['no message', Buffer.alloc(0), {}, status.INVALID_ARGUMENT],
    ['two messages', Buffer.concat([EMPTY, EMPTY]), {}, status.INVALID_ARGUMENT],
    ['half a message', frame(Buffer.alloc(4), { length: 8 }), {}, status.INVALID_ARGUMENT],
    ['no protobuf', frame(Buffer.from('hello')), {}, status.INVALID_ARGUMENT],
    ['no gzip', frame(Buffer.from('hello'), { flag: 1 }), { 'grpc-encoding': 'gzip' }, status.INVALID_ARGUMENT],
    ['too many bytes', frame(Buffer.alloc(1), { length: INGEST_LIMITS.otlpBytes + 1 }), {}, status.RESOURCE_EXHAUSTED],
  ])('with %s is answered so that a sender knows what to do', async (_, body, headers, expected) => {
    const { status: found, details } = await answer(body, headers);

    expect(found).toBe(expected);
    expect(details).toBeUndefined(); // do not retry
  });

  it('of exactly the limit is read', async () => {
    const body = frame(Buffer.alloc(INGEST_LIMITS.otlpBytes));

    const { status: found, message } = await answer(body);

    expect([found, message]).toEqual([status.INVALID_ARGUMENT, expect.stringContaining('malformed')]); // zeros
  });

  it.each([
    [429, status.RESOURCE_EXHAUSTED, 8],
    [503, status.UNAVAILABLE, 14],
  ])('that is refused for now with %i says when to retry', async (http, expected, code) => {
    const body = Buffer.concat([Buffer.from([0x08, code, 0x12, 4]), Buffer.from('busy')]); // google.rpc.Status
    const refuse = async () => new Response(body, { status: http, headers: { 'retry-after': '7' } });

    const { status: found, message, details } = await answer(EMPTY, {}, refuse);

    expect([found, message]).toEqual([expected, 'busy']);
    expect(readRetryDelay(details ?? '')).toEqual({ type: 'type.googleapis.com/google.rpc.RetryInfo', seconds: 7 });
  });
});

function readRetryDelay(details: string): { readonly type: string; readonly seconds: number } {
  const found = { type: '', seconds: 0 };
  const read = (bytes: Uint8Array, visit: (tag: number, pbf: PbfReader) => void) =>
    new PbfReader(bytes).readFields((tag, _, pbf) => visit(tag, pbf), null);
  read(Buffer.from(details, 'base64'), (statusTag, rpc) => {
    if (statusTag !== 3) return;
    read(rpc.readBytes(), (anyTag, any) => {
      if (anyTag === 1) found.type = any.readString();
      else if (anyTag === 2) {
        read(any.readBytes(), (_tag, info) =>
          read(info.readBytes(), (__, duration) => {
            found.seconds = duration.readVarint();
          }),
        );
      }
    });
  });
  return found;
}
