import { PbfReader } from 'pbf';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLosableDatabase, type LosableDatabase } from '../support/losable-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** OTLP senders understand only `google.rpc.Status` in the encoding of their request. */
let database: LosableDatabase;
let tocsin: TestService;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
  database = cleanup.use(await createLosableDatabase());
  tocsin = cleanup.use(await startTestService({ database, rateLimitPerMinute: 1 })); // 5,000 items
});
afterAll(() => cleanup.disposeAsync());

const PROTOBUF = 'application/x-protobuf';

interface Refusal {
  readonly why: string;
  readonly send: (contentType: string) => Promise<Response>;
  readonly status: number;
  /** From google/rpc/code.proto. */
  readonly code: number;
  readonly says: string;
  readonly header?: string;
}

function send(path: string, contentType: string, key?: string | null): Promise<Response> {
  return tocsin.call('POST', path, {
    body: '',
    headers: { 'content-type': contentType },
    ...(key === undefined ? {} : { key }),
  });
}

/** The order matters, because the database does not come back. */
const refusals: readonly Refusal[] = [
  {
    why: 'without a key',
    send: (contentType) => send('/traces', contentType, null),
    status: 401,
    code: 16,
    says: 'send an API key',
    header: 'www-authenticate',
  },
  {
    why: 'with a key that may only read',
    send: (contentType) => send('/metrics', contentType, tocsin.readOnlyKey),
    status: 403,
    code: 7,
    says: 'scope ingest',
    header: 'www-authenticate',
  },
  {
    why: 'by another method',
    send: (contentType) => tocsin.call('PUT', '/logs', { body: '', headers: { 'content-type': contentType } }),
    status: 405,
    code: 12,
    says: 'POST',
    header: 'allow',
  },
  {
    why: 'too fast',
    send: async (contentType) => {
      await tocsin.call('POST', '/traces', { body: manySpans(10_000) });
      return send('/traces', contentType);
    },
    status: 429,
    code: 8,
    says: 'slow down',
    header: 'retry-after',
  },
  {
    why: 'while the database is away',
    send: async (contentType) => {
      database.lose();
      return send('/traces', contentType);
    },
    status: 503,
    code: 14,
    says: 'try again',
    header: 'retry-after',
  },
];

it.each(refusals)('answers $why with an OTLP status', async ({ send, status, code, says, header = '' }) => {
  const json = await send('application/json');
  const protobuf = await send(PROTOBUF);

  expect([json.status, protobuf.status]).toEqual([status, status]);
  expect(json.headers.get('content-type')).toBe('application/json');
  expect(await json.json()).toEqual({ code, message: expect.stringContaining(says) });
  expect(protobuf.headers.get('content-type')).toBe(PROTOBUF);
  expect(readStatus(await protobuf.arrayBuffer())).toEqual({ code, message: expect.stringContaining(says) });
  expect([json, protobuf].map(({ headers }) => headers.has(header))).toEqual([true, true]);
});

function readStatus(body: ArrayBuffer): Record<string, unknown> {
  const read = (tag: number, status: Record<string, unknown>, pbf: PbfReader) => {
    if (tag === 1) {
      status.code = pbf.readVarint();
    } else if (tag === 2) {
      status.message = pbf.readString();
    }
  };
  return new PbfReader(body).readFields(read, {});
}

/** Successful spans. */
function manySpans(count: number): object {
  const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), startTimeUnixNano: '1', endTimeUnixNano: '2' };
  return { resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: count }, () => span) }] }] };
}
