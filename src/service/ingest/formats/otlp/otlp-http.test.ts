import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { PbfReader, PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { BackPressureError } from '../../../core/errors.ts';
import type { SignalBatch } from '../../../core/signal.ts';
import { createIncomingBodies } from '../../incoming-bodies.ts';
import { createOtlpHandler } from './otlp-http.ts';
import { successResponse, type TelemetryKind } from './otlp-response.ts';

const NOW = new Date('2026-01-31T08:00:10.000Z');
const NANOS = '1769846400123456789';
const TRACE = 'a0'.repeat(16);

/** A handler and the batches that it passed on. */
function ingest(accept: (batch: SignalBatch) => Promise<void> = async () => {}) {
  const batches: SignalBatch[] = [];
  const receive = createOtlpHandler({
    now: () => NOW,
    bodies: createIncomingBodies(),
    accept: async (batch) => {
      batches.push(batch);
      await accept(batch);
    },
  });
  const handle = (request: Request, kind: TelemetryKind) =>
    receive(request, kind, { sender: 'a key', onItems: () => undefined, onUnkept: () => undefined });
  return { batches, handle };
}

function post(body: string | Uint8Array, headers: Readonly<Record<string, string>>): Request {
  return new Request('http://localhost/v1/traces', {
    method: 'POST',
    body: Uint8Array.from(Buffer.from(body)),
    headers,
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' };

function traces(spans: readonly unknown[], service = 'payments'): string {
  const attributes = [{ key: 'service.name', value: { stringValue: service } }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] });
}

function failedSpan(fields: Readonly<Record<string, unknown>> = {}) {
  return {
    traceId: TRACE,
    spanId: 'b1'.repeat(8),
    name: 'POST /charge',
    kind: 2,
    startTimeUnixNano: NANOS,
    endTimeUnixNano: NANOS,
    status: { code: 2 },
    ...fields,
  };
}

/** Fields of a flat protobuf message: numbers and texts. */
async function readFlat(response: Response): Promise<Record<number, unknown>> {
  const fields: Record<number, unknown> = {};
  const pbf = new PbfReader(new Uint8Array(await response.arrayBuffer()));
  pbf.readFields((tag) => {
    fields[tag] = pbf.type === 0 ? pbf.readVarint() : pbf.readString();
  }, undefined);
  return fields;
}

describe('an OTLP export request', () => {
  it('is answered in the encoding of the request', async () => {
    const { handle } = ingest();

    const json = await handle(post('{}', JSON_TYPE), 'logs');
    const protobuf = await handle(post('', PROTOBUF_TYPE), 'logs');

    expect([json.status, json.headers.get('content-type'), await json.text()]).toEqual([200, 'application/json', '{}']);
    expect([protobuf.status, protobuf.headers.get('content-type')]).toEqual([200, 'application/x-protobuf']);
    expect((await protobuf.arrayBuffer()).byteLength).toBe(0);
  });

  it('is refused with 415 in another type or compression', async () => {
    const { handle } = ingest();

    const ofType = await handle(post('{}', { 'content-type': 'text/plain' }), 'traces');
    const compressed = await handle(post('{}', { ...JSON_TYPE, 'content-encoding': 'br' }), 'traces');

    expect(ofType.status).toBe(415);
    expect(await ofType.json()).toMatchObject({ code: 3, message: expect.stringContaining('application/x-protobuf') });
    expect(compressed.status).toBe(415);
  });

  it('may be gzip, and may name a charset', async () => {
    const { handle, batches } = ingest();
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' };

    const answer = await handle(post(gzipSync(traces([failedSpan()])), headers), 'traces');

    expect(answer.status).toBe(200);
    expect(batches[0]?.signals).toHaveLength(1);
  });

  it('is refused with 413 when it would decompress to more than the limit', async () => {
    const { handle } = ingest();
    const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024));

    const answer = await handle(post(bomb, { ...PROTOBUF_TYPE, 'content-encoding': 'gzip' }), 'traces');

    expect(bomb.byteLength).toBeLessThan(100_000);
    expect(answer.status).toBe(413);
    expect(await readFlat(answer)).toMatchObject({ 1: 8 });
  });

  it('is refused with 413 without reading the rest when it is sent in chunks', async () => {
    const { handle } = ingest();
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    const request = new Request('http://localhost/', { method: 'POST', body, headers: PROTOBUF_TYPE, duplex: 'half' });

    const answer = await handle(request, 'traces');

    expect(answer.status).toBe(413);
    expect(pieces).toBeLessThan(70);
  });

  it.each([
    ['no JSON', '{"resourceSpans": [', JSON_TYPE],
    ['JSON of another shape', '{"resourceSpans": 5}', JSON_TYPE],
    ['text that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE],
    ['a field longer than the message', Buffer.from([0x0a, 0x7f]), PROTOBUF_TYPE],
    ['a field of another wire type', Buffer.from([0x08, 0x01]), PROTOBUF_TYPE],
    ['a group', Buffer.from([0x13]), PROTOBUF_TYPE],
    ['no gzip', Buffer.from('plain'), { ...PROTOBUF_TYPE, 'content-encoding': 'gzip' }],
    ['gzip that ends early', gzipSync('x'.repeat(999)).subarray(0, 12), { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('is refused with 400 and a Status when it is %s', async (_, body, headers) => {
    const { handle, batches } = ingest();

    const answer = await handle(post(body, headers), 'traces');

    expect(answer.status).toBe(400);
    const status = headers['content-type'] === 'application/json' ? answer.json() : readFlat(answer);
    expect(Object.values(Object(await status))).toEqual([3, expect.any(String)]);
    expect(batches).toEqual([]);
  });

  it.each([JSON_TYPE, PROTOBUF_TYPE])('survives any bytes (%o)', async (headers) => {
    const { handle } = ingest();
    const kinds = fc.constantFrom('traces', 'metrics', 'logs');

    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), kinds, async (bytes, kind) => {
        expect([200, 400]).toContain((await handle(post(bytes, headers), kind)).status);
      }),
    );
  });

  it('refuses deeply nested values instead of overflowing the stack', async () => {
    const { handle } = ingest();
    const depth = 100_000;
    const body = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${'{"arrayValue":{"values":['.repeat(depth)}${']}}'.repeat(depth)}}]}]}]}`;
    const path = [1, 2, 2, 5, ...Array.from({ length: 100 }, () => [5, 1]).flat()];
    const record = wrap(path, new Uint8Array());

    expect((await handle(post(body, JSON_TYPE), 'logs')).status).toBe(400);
    expect((await handle(post(record, PROTOBUF_TYPE), 'logs')).status).toBe(400);
  });

  it('reports how many spans were unusable and accepts the others', async () => {
    const { handle, batches } = ingest();
    const spans = [
      failedSpan(),
      failedSpan({ traceId: '0'.repeat(32) }),
      failedSpan({ spanId: 'zz' }),
      failedSpan({ endTimeUnixNano: 'yesterday' }),
    ];

    const answer = await handle(post(traces(spans), JSON_TYPE), 'traces');

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      partialSuccess: {
        rejectedSpans: '3',
        errorMessage: '3 of the traces without usable trace and span ids or times',
      },
    });
    expect(batches[0]?.signals).toMatchObject([{ occurrences: 1 }]);
  });

  it('reports the same in protobuf', async () => {
    const answer = successResponse('protobuf', 'traces', { rejected: 1, tooLarge: 0, unread: null, example: {} });

    expect(answer.status).toBe(200);
    expect((await readFlat(answer))[1]).toContain('1 of the traces without usable');
  });

  it('refuses a request of which it can use nothing, because few senders read more than the status', async () => {
    const { handle, batches } = ingest();

    const json = await handle(post(traces([failedSpan({ spanId: 'zz' })]), JSON_TYPE), 'traces');
    const protobuf = await handle(post(wrap([1, 2, 2], new Uint8Array()), PROTOBUF_TYPE), 'traces');

    expect([json.status, protobuf.status]).toEqual([400, 400]);
    expect(await json.json()).toMatchObject({ message: expect.stringContaining('1 of the traces without usable') });
    expect((await readFlat(protobuf))[2]).toContain('1 of the traces without usable');
    expect(batches).toEqual([]);
  });

  it('may have upper-case ids, enums by name and integers beyond 2^53 as numbers', async () => {
    const { handle, batches } = ingest();
    const body = traces([
      failedSpan({
        traceId: TRACE.toUpperCase(),
        kind: 'SPAN_KIND_SERVER',
        status: { code: 'STATUS_CODE_ERROR' },
        attributes: [{ key: 'charge.id', value: { intValue: 'LONG' } }],
        unknownField: { is: ['ignored'] },
      }),
    ])
      .replaceAll(`"${NANOS}"`, NANOS)
      .replace('"LONG"', '9007199254740993');

    await handle(post(body, JSON_TYPE), 'traces');

    expect(batches[0]?.signals).toMatchObject([
      {
        traceId: TRACE,
        observedAt: new Date('2026-01-31T08:00:00.123Z'),
        attributes: { 'charge.id': '9007199254740993', 'span.kind': 'server' },
      },
    ]);
  });

  it('is answered with 503 and Retry-After when storage is behind, and loses no calls', async () => {
    let isBehind = true;
    const { handle, batches } = ingest(async () => {
      if (isBehind) {
        throw new BackPressureError('signals cannot be stored now');
      }
    });
    const body = traces([
      failedSpan({ kind: 3, attributes: [{ key: 'peer.service', value: { stringValue: 'bank' } }] }),
    ]);

    const refused = await handle(post(body, JSON_TYPE), 'traces');
    isBehind = false;
    const taken = await handle(post(body, JSON_TYPE), 'traces');

    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toEqual({ code: 14, message: 'signals cannot be stored now' });
    expect(taken.status).toBe(200);
    expect(batches[1]).toEqual(batches[0]);
    expect(batches[1]?.telemetry).toMatchObject([{ kind: 'span', service: 'payments', peer: 'bank', isFailed: true }]);
  });

  it('throws internal errors', async () => {
    const { handle } = ingest(async () => {
      throw new TypeError('a bug');
    });

    await expect(handle(post(traces([failedSpan()]), JSON_TYPE), 'traces')).rejects.toThrow('a bug');
  });

  it('hands over what works without a signal', async () => {
    const { handle, batches } = ingest();

    await handle(post(traces([failedSpan({ status: { code: 1 } })]), JSON_TYPE), 'traces');

    expect(batches).toMatchObject([{ signals: [], telemetry: [{ kind: 'span', isFailed: false }] }]);
  });
});

/** `message` nested three levels deep. */
function wrap(path: readonly number[], message: Uint8Array): Uint8Array {
  return path.reduceRight((inner, tag) => {
    const writer = new PbfWriter();
    writer.writeBytesField(tag, inner);
    return writer.finish();
  }, message);
}
