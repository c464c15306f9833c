import { gzipSync } from 'node:zlib';

/** A small request of a sender that needs much time or memory if it is decoded without limits. */
export interface IngestBomb {
  readonly name: string;
  readonly path: string;
  /** Without the API key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The status of the answer: 413 for too many of something, 400 for nesting, 200 where a large item is rejected alone. */
  readonly status: number;
}

const MIB = 1024 * 1024;
/** Slightly less than the limit of the size, so that other limits must hold. */
const LARGEST_OTLP = 20 * MIB - 1024;

/** Every bomb. They differ in what they have too many of. */
export function createIngestBombs(): IngestBomb[] {
  return [...otlpJsonBombs(), ...otlpProtobufBombs(), ...eventBombs()];
}

function otlpJsonBombs(): IngestBomb[] {
  const inLogs = (size: number, before: string, piece: string, after = '') => {
    const text = filled(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[${before}`, piece, `${after}]}]}]}`, size);
    return { path: '/v1/logs', text };
  };
  const [spans, points] = [
    '{"resourceSpans":[{"scopeSpans":[{"spans":[',
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[',
  ];
  const texts: Readonly<Record<string, { path: string; text: Buffer; status?: number }>> = {
    '22 million empty log records': inLogs(64 * MIB, '{}', ',{}'),
    'empty log records': inLogs(LARGEST_OTLP, '{}', ',{}'),
    'empty spans': { path: '/v1/traces', text: filled(`${spans}{}`, ',{}', ']}]}]}', LARGEST_OTLP) },
    'empty data points': {
      path: '/v1/metrics',
      text: filled(`${points}{"gauge":{"dataPoints":[{}`, ',{}', ']}}]}]}]}', LARGEST_OTLP),
    },
    'empty metrics': { path: '/v1/metrics', text: filled(`${points}{}`, ',{}', ']}]}]}', LARGEST_OTLP) },
    'empty resources': { path: '/v1/logs', text: filled('{"resourceLogs":[{}', ',{}', ']}', LARGEST_OTLP) },
    'empty scopes': {
      path: '/v1/logs',
      text: filled('{"resourceLogs":[{"scopeLogs":[{}', ',{}', ']}]}', LARGEST_OTLP),
    },
    'unknown members': { path: '/v1/logs', text: filled('{"a":1', ',"a":1', '}', LARGEST_OTLP) },
    'an unknown list': { path: '/v1/logs', text: filled('{"a":[1', ',1', ']}', LARGEST_OTLP) },
    'a span with millions of attributes': {
      path: '/v1/traces',
      text: filled(`${spans}{"attributes":[{}`, ',{}', ']}]}]}]}', LARGEST_OTLP),
      status: 200,
    },
    'a span with millions of links': {
      path: '/v1/traces',
      text: filled(`${spans}{"links":[{}`, ',{}', ']}]}]}]}', LARGEST_OTLP),
      status: 200,
    },
    'a log record with a long body': {
      ...inLogs(LARGEST_OTLP, '{"severityNumber":17,"body":{"stringValue":"', 'x', '"}}'),
      status: 200,
    },
    'spans with many long integers': {
      path: '/v1/traces',
      text: filled(`${spans}{}`, `,{"x":[${'9007199254740993,'.repeat(20_000)}0]}`, ']}]}]}', LARGEST_OTLP),
      status: 400, // no span in it can be used
    },
    'nested lists': { ...inLogs(LARGEST_OTLP, '{"body":', '{"arrayValue":{"values":['), status: 400 },
  };
  return Object.entries(texts).map(([name, { path, text, status = 413 }]) =>
    gzipped({ name: `OTLP/JSON: ${name}`, path, type: 'application/json', text, status }),
  );
}

function otlpProtobufBombs(): IngestBomb[] {
  const [resource, scope, item] = [1, 2, 2];
  const empty = (tag: number) => Uint8Array.of(tag * 8 + 2, 0);
  const repeated = (piece: Uint8Array, size = LARGEST_OTLP) => Buffer.alloc(size - (size % piece.length), piece);
  const bodies: Readonly<Record<string, { path: string; bytes: Uint8Array; status?: number }>> = {
    '33 million empty spans': {
      path: '/v1/traces',
      bytes: nested([resource, scope], repeated(empty(item), 64 * MIB - 1024)),
    },
    'empty spans': { path: '/v1/traces', bytes: nested([resource, scope], repeated(empty(item))) },
    'empty metrics': { path: '/v1/metrics', bytes: nested([resource, scope], repeated(empty(item))) },
    'empty data points': { path: '/v1/metrics', bytes: nested([resource, scope, item, 5], repeated(empty(1))) },
    'empty resources': { path: '/v1/logs', bytes: repeated(empty(1)) },
    'empty scopes': { path: '/v1/logs', bytes: nested([resource], repeated(empty(2))) },
    'unknown fields': { path: '/v1/logs', bytes: nested([resource, scope], repeated(Uint8Array.of(9 * 8, 1))) },
    'a span with millions of attributes': {
      path: '/v1/traces',
      bytes: nested([resource, scope, item], repeated(empty(9))),
      status: 200,
    },
    'log records with many attributes': {
      path: '/v1/logs',
      bytes: nested([resource, scope], repeated(nested([item], repeated(attribute('a'), MIB - 64)))),
      status: 200,
    },
    'nested maps': {
      path: '/v1/logs',
      bytes: nested([resource, scope, item, 5, ...Array.from({ length: 3_000 }, () => [6, 1, 2]).flat()], empty(1)),
      status: 400,
    },
  };
  return Object.entries(bodies).map(([name, { path, bytes, status = 413 }]) =>
    gzipped({ name: `OTLP/protobuf: ${name}`, path, type: 'application/x-protobuf', text: bytes, status }),
  );
}

/** These formats are sent without compression. */
function eventBombs(): IngestBomb[] {
  const plain = (name: string, path: string, text: Buffer, status: number, type = 'application/json') => ({
    name,
    path,
    headers: { 'content-type': type },
    body: Uint8Array.from(text),
    status,
  });
  const batch = 'application/cloudevents-batch+json';
  return [
    plain(
      'Alertmanager: empty alerts',
      '/v1/alertmanager',
      filled('{"version":"4","alerts":[{}', ',{}', ']}', 16 * MIB),
      413,
    ),
    plain(
      'Alertmanager: an alert with many labels',
      '/v1/alertmanager',
      filled('{"version":"4","alerts":[{"labels":{"a":""', ',"a":""', '}}]}', 16 * MIB),
      413,
    ),
    plain('CloudEvents: empty events', '/v1/cloudevents', filled('[{}', ',{}', ']', MIB), 413, batch),
    plain('generic: empty events', '/v1/generic', filled('[{}', ',{}', ']', MIB), 413),
    plain('generic: nested lists', '/v1/generic', filled('', '[', '', MIB), 400),
  ];
}

interface Sent {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly text: Uint8Array;
  readonly status: number;
}

function gzipped({ name, path, type, text, status }: Sent): IngestBomb {
  const headers = { 'content-type': type, 'content-encoding': 'gzip' };
  return { name, path, headers, body: Uint8Array.from(gzipSync(text, { level: 1 })), status };
}

/** As many pieces as fit into `size` bytes. */
function filled(before: string, piece: string, after: string, size: number): Buffer {
  const times = Math.floor((size - before.length - after.length) / piece.length);
  return Buffer.concat([Buffer.from(before), Buffer.alloc(times * piece.length, piece), Buffer.from(after)]);
}

/** A protobuf message in embedded messages with these field numbers, the outermost first. */
function nested(path: readonly number[], message: Uint8Array): Uint8Array {
  const headers: Uint8Array[] = [];
  let length = message.length;
  for (const tag of path.toReversed()) {
    const header = Uint8Array.of(tag * 8 + 2, ...varint(length));
    headers.unshift(header);
    length += header.length;
  }
  return Buffer.concat([...headers, message]);
}

function attribute(key: string): Uint8Array {
  return nested([6, 1], Buffer.from(key));
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
