import { gzipSync } from 'node:zlib';
import { PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../../../test/support/finish.ts';
import type { Decoded } from '../../decoded.ts';
import { createIncomingBodies } from '../../incoming-bodies.ts';
import { INGEST_LIMITS, RequestTooLargeError } from '../../limits.ts';
import { createOtlpHandler } from './otlp-http.ts';
import * as fromJson from './otlp-json.ts';
import * as fromProtobuf from './otlp-protobuf.ts';
import type { Encoding } from './otlp-response.ts';

/** Each limit is tested at the limit and one beyond it, in both encodings where both have it. */
const { items, itemBytes, itemValues, attributes, valueDepth, otherFields, otlpBytes } = INGEST_LIMITS;

const ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];

function many<Value>(count: number, value: Value): Value[] {
  return Array.from({ length: count }, () => value);
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** An embedded message that contains the messages. */
function field(tag: number, ...messages: readonly Uint8Array[]): Uint8Array {
  const writer = new PbfWriter();
  writer.writeBytesField(tag, Buffer.concat(messages));
  return writer.finish();
}

function texts(tag: number, text: string): Uint8Array {
  return field(tag, Buffer.from(text));
}

const EMPTY = new Uint8Array();

describe('a request may have 50,000', () => {
  const requests: Readonly<Record<string, Record<Encoding, (count: number) => Decoded<unknown>>>> = {
    spans: {
      json: (n) => finish(fromJson.decodeTraces(json({ resourceSpans: [{ scopeSpans: [{ spans: many(n, {}) }] }] }))),
      protobuf: (n) => finish(fromProtobuf.decodeTraces(field(1, field(2, ...many(n, field(2, EMPTY)))))),
    },
    'log records': {
      json: (n) => finish(fromJson.decodeLogs(json({ resourceLogs: [{ scopeLogs: [{ logRecords: many(n, {}) }] }] }))),
      protobuf: (n) => finish(fromProtobuf.decodeLogs(field(1, field(2, ...many(n, field(2, EMPTY)))))),
    },
    'data points, in any number of metrics': {
      json: (n) => {
        const metrics = [many(1, {}), many(n - 1, {})].map((dataPoints) => ({ gauge: { dataPoints } }));
        return finish(fromJson.decodeMetrics(json({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })));
      },
      protobuf: (n) => {
        const metrics = [1, n - 1].map((count) => field(2, field(5, ...many(count, field(1, EMPTY)))));
        return finish(fromProtobuf.decodeMetrics(field(1, field(2, ...metrics))));
      },
    },
    metrics: {
      json: (n) =>
        finish(fromJson.decodeMetrics(json({ resourceMetrics: [{ scopeMetrics: [{ metrics: many(n, {}) }] }] }))),
      protobuf: (n) => finish(fromProtobuf.decodeMetrics(field(1, field(2, ...many(n, field(2, EMPTY)))))),
    },
    scopes: {
      json: (n) => finish(fromJson.decodeTraces(json({ resourceSpans: [{ scopeSpans: many(n, {}) }] }))),
      protobuf: (n) => finish(fromProtobuf.decodeTraces(field(1, ...many(n, field(2, EMPTY))))),
    },
    resources: {
      json: (n) => finish(fromJson.decodeTraces(json({ resourceSpans: many(n, {}) }))),
      protobuf: (n) => finish(fromProtobuf.decodeTraces(Buffer.concat(many(n, field(1, EMPTY))))),
    },
  };

  it.each(Object.entries(requests).flatMap(([what, by]) => ENCODINGS.map((encoding) => ({ what, encoding, by }))))(
    '$what in $encoding',
    ({ by, encoding }) => {
      expect(() => by[encoding](items)).not.toThrow();
      expect(() => by[encoding](items + 1)).toThrow(RequestTooLargeError);
    },
  );
});

it.each(ENCODINGS)('says in %s how many items are allowed, and stores none of too many', async (encoding) => {
  const batches: unknown[] = [];
  const handle = createOtlpHandler({
    now: () => new Date(),
    bodies: createIncomingBodies(),
    accept: async (batch) => void batches.push(batch),
  });
  const bodies = {
    json: json({ resourceLogs: [{ scopeLogs: [{ logRecords: many(items + 1, { severityNumber: 17 }) }] }] }),
    protobuf: field(1, field(2, ...many(items + 1, field(2, Uint8Array.of(2 * 8, 17))))),
  };
  const type = { json: 'application/json', protobuf: 'application/x-protobuf' }[encoding];
  const headers = { 'content-type': type, 'content-encoding': 'gzip' };
  const request = new Request('http://localhost/', {
    method: 'POST',
    headers,
    body: Uint8Array.from(gzipSync(bodies[encoding])),
  });

  const response = await handle(request, 'logs', {
    sender: 'a key',
    onItems: () => undefined,
    onUnkept: () => undefined,
  });

  expect(response.status).toBe(413);
  expect(response.headers.get('content-type')).toBe(type);
  expect(await response.text()).toContain('a request may have at most 50000 items: send smaller batches');
  expect(batches).toEqual([]);
});

it('accepts a body of exactly the limit, and refuses one byte more', async () => {
  const handle = createOtlpHandler({ now: () => new Date(), bodies: createIncomingBodies(), accept: async () => {} });
  const send = async (bytes: number) => {
    const body = Uint8Array.from(gzipSync(`{}${' '.repeat(bytes - 2)}`));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const request = new Request('http://localhost/', { method: 'POST', headers, body });
    return (await handle(request, 'logs', { sender: 'a key', onItems: () => undefined, onUnkept: () => undefined }))
      .status;
  };

  expect(await send(otlpBytes)).toBe(200);
  expect(await send(otlpBytes + 1)).toBe(413);
});

/** Decodes a request with one log record. */
const oneRecord: Record<Encoding, (record: unknown) => Decoded<{ attributes: object; body: unknown }>> = {
  json: (record) => finish(fromJson.decodeLogs(json({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }))),
  protobuf: (record) => finish(fromProtobuf.decodeLogs(field(1, field(2, field(2, record as Uint8Array))))),
};

describe('an item that is too large is rejected alone', () => {
  it('by its bytes in JSON', () => {
    const record = (bytes: number) => ({
      severityText: 'x'.repeat(bytes - JSON.stringify({ severityText: '' }).length),
    });

    expect(oneRecord.json(record(itemBytes))).toMatchObject({ items: [{}], tooLarge: 0 });
    expect(oneRecord.json(record(itemBytes + 1))).toMatchObject({ items: [], tooLarge: 1 });
  });

  it('by its bytes in protobuf', () => {
    const record = (bytes: number) => texts(3, 'x'.repeat(bytes - 4)); // a tag and a length of three bytes

    expect(record(itemBytes)).toHaveLength(itemBytes);
    expect(oneRecord.protobuf(record(itemBytes))).toMatchObject({ items: [{}], tooLarge: 0 });
    expect(oneRecord.protobuf(record(itemBytes + 1))).toMatchObject({ items: [], tooLarge: 1 });
  });

  it('by its values in JSON', () => {
    const record = (values: number) => ({ unknown: many(values - 2, 1) }); // two brackets count too

    expect(oneRecord.json(record(itemValues))).toMatchObject({ items: [{}], tooLarge: 0 });
    expect(oneRecord.json(record(itemValues + 1))).toMatchObject({ items: [], tooLarge: 1 });
  });

  it('by its bytes as a data point', () => {
    const pointOf = (bytes: number) => texts(4_000, 'x'.repeat(bytes - 6)); // a tag and a length of three bytes each
    const decode = (point: Uint8Array) =>
      finish(fromProtobuf.decodeMetrics(field(1, field(2, field(2, field(5, field(1, point)))))));
    const asJson = (bytes: number) => {
      const point = { x: 'x'.repeat(bytes - JSON.stringify({ x: '' }).length) };
      const metrics = [{ gauge: { dataPoints: [point] } }];
      return finish(fromJson.decodeMetrics(json({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })));
    };

    expect([decode(pointOf(itemBytes)).tooLarge, asJson(itemBytes).tooLarge]).toEqual([0, 0]);
    expect([decode(pointOf(itemBytes + 1)).tooLarge, asJson(itemBytes + 1).tooLarge]).toEqual([1, 1]);
  });
});

describe('attributes and values', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `key ${index}`);
  const records: Record<Encoding, (names: readonly string[]) => unknown> = {
    json: (names) => ({ attributes: names.map((key) => ({ key, value: { stringValue: 'x' } })) }),
    protobuf: (names) => Buffer.concat(names.map((key) => field(6, texts(1, key), field(2, texts(1, 'x'))))),
  };

  it.each(ENCODINGS)('are dropped beyond 128 in %s, except the name of the service', (encoding) => {
    const read = (names: readonly string[]) =>
      Object.keys(oneRecord[encoding](records[encoding](names)).items[0]?.attributes ?? {});

    expect(read(keys(attributes))).toEqual(keys(attributes));
    expect(read(keys(attributes + 1))).toEqual(keys(attributes));
    expect(read([...keys(attributes), 'service.name'])).toEqual([...keys(attributes), 'service.name']);
  });

  it.each(ENCODINGS)('in a list are dropped beyond 128 in %s', (encoding) => {
    const list = (length: number) =>
      encoding === 'json'
        ? { body: { arrayValue: { values: many(length, { intValue: 1 }) } } }
        : field(5, field(5, ...many(length, field(1, Uint8Array.of(3 * 8, 1)))));

    expect(oneRecord[encoding](list(attributes)).items[0]?.body).toHaveLength(attributes);
    expect(oneRecord[encoding](list(attributes + 1)).items[0]?.body).toHaveLength(attributes);
  });

  it.each(ENCODINGS)('may be nested 32 levels deep in %s', (encoding) => {
    const inJson = (levels: number): object =>
      levels === 0 ? { intValue: 1 } : { arrayValue: { values: [inJson(levels - 1)] } };
    const inProtobuf = (levels: number): Uint8Array =>
      levels === 0 ? Uint8Array.of(3 * 8, 1) : field(5, field(1, inProtobuf(levels - 1)));
    const body = (levels: number) => (encoding === 'json' ? { body: inJson(levels) } : field(5, inProtobuf(levels)));

    expect(oneRecord[encoding](body(valueDepth)).items).toHaveLength(1);
    expect(() => oneRecord[encoding](body(valueDepth + 1))).toThrow('nested deeper than 32 levels');
  });

  it('may be maps nested 32 levels deep in JSON, which has four levels for each', () => {
    const nested = (levels: number): object =>
      levels === 0 ? { intValue: 1 } : { kvlistValue: { values: [{ key: 'a', value: nested(levels - 1) }] } };

    expect(oneRecord.json({ body: nested(valueDepth) }).items).toHaveLength(1);
  });
});

describe('a resource, scope or metric', () => {
  const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));
  const numbers = (count: number) => Buffer.concat(many(count, Uint8Array.of(9 * 8, 1)));
  const places: Readonly<Record<string, Record<Encoding, (count: number) => Decoded<unknown>>>> = {
    request: {
      json: (n) => finish(fromJson.decodeMetrics(json({ resourceMetrics: [], ...names(n - 1) }))),
      protobuf: (n) => finish(fromProtobuf.decodeMetrics(numbers(n))),
    },
    resource: {
      json: (n) => finish(fromJson.decodeMetrics(json({ resourceMetrics: [names(n)] }))),
      protobuf: (n) => finish(fromProtobuf.decodeMetrics(field(1, numbers(n)))),
    },
    scope: {
      json: (n) => finish(fromJson.decodeMetrics(json({ resourceMetrics: [{ scopeMetrics: [names(n)] }] }))),
      protobuf: (n) => finish(fromProtobuf.decodeMetrics(field(1, field(2, numbers(n))))),
    },
    metric: {
      json: (n) => {
        const metrics = [names(n)];
        return finish(fromJson.decodeMetrics(json({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })));
      },
      protobuf: (n) =>
        finish(
          fromProtobuf.decodeMetrics(field(1, field(2, field(2, Buffer.concat(many(n, Uint8Array.of(15 * 8, 1))))))),
        ),
    },
  };

  it.each(Object.entries(places).flatMap(([place, by]) => ENCODINGS.map((encoding) => ({ place, encoding, by }))))(
    'may have 64 other fields: $place in $encoding',
    ({ by, encoding }) => {
      expect(() => by[encoding](otherFields)).not.toThrow();
      expect(() => by[encoding](otherFields + 1)).toThrow(RequestTooLargeError);
    },
  );

  it.each(ENCODINGS)('may have 1 MiB of other fields in %s', (encoding) => {
    const decode = (bytes: number) =>
      encoding === 'json'
        ? finish(fromJson.decodeTraces(json({ resourceSpans: [{ x: 'x'.repeat(bytes - 2) }] }))) // without the quotes
        : finish(fromProtobuf.decodeTraces(field(1, texts(9, 'x'.repeat(bytes)))));

    expect(() => decode(itemBytes)).not.toThrow();
    expect(() => decode(itemBytes + 1)).toThrow(RequestTooLargeError);
  });
});
