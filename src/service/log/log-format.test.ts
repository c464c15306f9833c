import fc from 'fast-check';
import { expect, it } from 'vitest';
import { spanItem } from '../../../test/support/span-item.ts';
import type { TelemetryItem } from '../core/telemetry-item.ts';
import type { LogEntry } from './log-entry.ts';
import { decodeEntry, encodeEntry } from './log-format.ts';

const hex = (digits: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'.split('')), { minLength: digits, maxLength: digits })
    .map((all) => all.join(''));
const traceId = fc.oneof({ weight: 9, arbitrary: hex(32) }, { weight: 1, arbitrary: fc.string() });
const at = fc.double({ noNaN: true });
const word = fc.string();
const signal = fc.oneof(fc.constant({}), fc.record({ signal: word }));

const span = fc
  .tuple(
    fc.record({
      kind: fc.constant('span' as const),
      service: word,
      at,
      durationMs: fc.double(),
      operation: word,
      traceId,
      spanId: hex(16),
      parentSpanId: fc.option(hex(16)),
      role: fc.constantFrom('server', 'client', 'internal', 'unknown'),
      isFailed: fc.boolean(),
      peer: fc.option(word),
    }),
    signal,
    fc.oneof(fc.constant({}), fc.constant({ isRejected: true }), fc.constant({ isRejected: 'cancelled' })),
    fc.oneof(fc.constant({}), fc.constant({ isUntold: true })),
    fc.oneof(fc.constant({}), fc.record({ attributes: fc.record({ version: word, pod: word }, { requiredKeys: [] }) })),
  )
  .map(([item, ...more]): object => Object.assign(item, ...more));
const log = fc
  .tuple(
    fc.record({
      kind: fc.constant('log' as const),
      service: word,
      at,
      severity: fc.constantFrom('info', 'warning', 'error', 'critical'),
      text: word,
      traceId: fc.option(hex(32)),
      spanId: fc.option(hex(16)),
    }),
    signal,
  )
  .map(([item, more]) => ({ ...item, ...more }));
const metric = fc
  .tuple(
    fc.record({
      kind: fc.constant('metric' as const),
      service: word,
      at,
      series: word,
      instance: fc.option(word),
      name: word,
      meaning: fc.constantFrom('duration', 'backlog', 'traffic'),
      value: fc.double(),
    }),
    fc.oneof(fc.constant({}), fc.record({ total: fc.record({ startedAt: fc.nat(), count: fc.option(fc.nat()) }) })),
    fc.oneof(fc.constant({}), fc.record({ count: fc.nat() })),
    fc.oneof(fc.constant({}), fc.record({ peer: word })),
  )
  .map(([item, ...more]): object => Object.assign(item, ...more));
const change = fc.record({ kind: fc.constant('change' as const), service: word, at: fc.nat(), subject: word });

const report = fc.record({
  sender: fc.option(word),
  items: fc
    .tuple(fc.array(change), fc.array(span), fc.array(log), fc.array(metric))
    .map((kinds) => kinds.flat() as TelemetryItem[]),
});

it('gives back every entry as it was', () => {
  fc.assert(
    fc.property(fc.array(report), fc.nat(), (reports, receivedAt) => {
      const entry: LogEntry = { kind: 'telemetry', at: receivedAt, reports };

      expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
    }),
  );
});

it('writes what spans say of where they ran so that a version without it reads the rest', () => {
  const plain = [0, 1].map((index) => spanItem({ traceId: `${index}`, spanId: `${index}` }));
  const spans = plain.map((span, index) => (index === 0 ? { ...span, attributes: { version: '1.4.2' } } : span));
  const metrics: TelemetryItem[] = [
    { kind: 'metric', service: 'a', at: 1, series: 's', instance: null, name: 'n', meaning: 'traffic', value: 2 },
  ];
  const entryOf = (items: TelemetryItem[]): LogEntry => ({
    kind: 'telemetry',
    at: 0,
    reports: [{ sender: null, items }],
  });
  const bytes = encodeEntry(entryOf([...spans, ...metrics]));
  const end = 5 + bytes.readUInt32LE(1);
  const head = JSON.parse(bytes.toString('utf8', 5, end)) as object;
  const knownHead = Buffer.from(JSON.stringify({ ...head, hasLater: undefined }));
  const start = Buffer.from(bytes.subarray(0, 5));
  start.writeUInt32LE(knownHead.length, 1);

  const asRead = decodeEntry(Buffer.concat([start, knownHead, bytes.subarray(end)]));

  expect(decodeEntry(bytes)).toEqual(entryOf([...spans, ...metrics]));
  expect(asRead).toEqual(entryOf([...plain, ...metrics]));
});

it('gives back ticks and decisions', () => {
  const entry: LogEntry = { kind: 'tick', tick: { at: 5_000, closed: [{ number: 3, at: 4_000 }] } };

  expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
});

it('stores a span in less than 80 bytes when its names repeat', () => {
  const items = Array.from(
    { length: 1_000 },
    (_, index): TelemetryItem => ({
      kind: 'span',
      service: `service-${index % 10}`,
      at: 1_760_000_000_000 + index,
      durationMs: index / 7,
      operation: `GET /things/${index % 20}`,
      traceId: index.toString(16).padStart(32, '0'),
      spanId: index.toString(16).padStart(16, '0'),
      parentSpanId: null,
      role: 'server',
      isFailed: false,
      peer: null,
    }),
  );

  const { length } = encodeEntry({ kind: 'telemetry', at: 0, reports: [{ sender: 'key', items }] });

  expect(length / items.length).toBeLessThan(80);
});

it('refuses an entry that is cut off or of another format', () => {
  const items: TelemetryItem[] = [
    { kind: 'log', service: 'a', at: 1, severity: 'info', text: 'b', traceId: null, spanId: null },
  ];
  const bytes = encodeEntry({ kind: 'telemetry', at: 0, reports: [{ sender: null, items }] });

  expect(() => decodeEntry(bytes.subarray(0, -1))).toThrow('cut off');
  expect(() => decodeEntry(Buffer.from('{"kind":"tick"}'))).toThrow('format 123');
});
