import fc from 'fast-check';
import { PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../../../test/support/finish.ts';
import { textOf } from '../../../core/text.ts';
import { decodeLogs, decodeMetrics, decodeTraces } from './otlp-protobuf.ts';

type Write = (writer: PbfWriter) => void;

function message(write: Write): Uint8Array {
  const writer = new PbfWriter();
  write(writer);
  return writer.finish();
}

function nest(tag: number, write: Write): Write {
  return (writer) => writer.writeBytesField(tag, message(write));
}

function fixed64(tag: number, value: bigint): Write {
  return (writer) => {
    writer.writeTag(tag, 1);
    writer.writeFixed32(Number(value & 0xffff_ffffn));
    writer.writeFixed32(Number((value >> 32n) & 0xffff_ffffn));
  };
}

function all(...writes: readonly Write[]): Write {
  return (writer) => {
    for (const write of writes) write(writer);
  };
}

/** An `int64` attribute `n`, as a varint of up to ten bytes. */
function int64Attribute(value: bigint): Write {
  const bits = BigInt.asUintN(64, value);
  const groups = Math.max(1, Math.ceil(bits.toString(2).length / 7));
  const bytes = Array.from({ length: groups }, (_, index) => {
    const group = Number((bits >> BigInt(7 * index)) & 0x7fn);
    return index === groups - 1 ? group : group | 0x80;
  });
  const anyValue = Uint8Array.from([(3 << 3) | 0, ...bytes]);
  return nest(6, (writer) => {
    writer.writeStringField(1, 'n');
    writer.writeBytesField(2, anyValue);
  });
}

/** A request with one log record. */
function logs(record: Write): Uint8Array {
  return message(nest(1, nest(2, nest(2, record))));
}

const resource = nest(
  1,
  nest(1, (writer) => {
    writer.writeStringField(1, 'service.name');
    nest(2, (value) => value.writeStringField(1, 'payments'))(writer);
  }),
);

const span = all(
  (writer) => writer.writeBytesField(1, new Uint8Array(16).fill(1)),
  (writer) => writer.writeBytesField(2, new Uint8Array(8).fill(2)),
  fixed64(7, 1n),
  fixed64(8, 2n),
  nest(15, (writer) => writer.writeVarintField(3, 2)),
);

function attempt(read: () => number): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

describe('the protobuf reader', () => {
  it('reads every time to the nanosecond', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 64n - 1n), (nanos) => {
        expect(finish(decodeLogs(logs(fixed64(1, nanos)))).items[0]?.timeNanos).toBe(nanos);
      }),
    );
  });

  it('reads every 64-bit integer exactly', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
        const read = textOf(finish(decodeLogs(logs(int64Attribute(value)))).items[0]?.attributes.n);
        expect(read).toBe(value.toString());
      }),
    );
  });

  it('accepts attributes with any name', () => {
    const record = nest(6, (writer) => {
      writer.writeStringField(1, '__proto__');
      nest(
        2,
        nest(6, (value) => nest(1, (entry) => entry.writeStringField(1, 'polluted'))(value)),
      )(writer);
    });

    const { attributes } = finish(decodeLogs(logs(record))).items[0] ?? {};

    expect(Object.keys(attributes ?? {})).toEqual(['__proto__']);
    expect(attributes).not.toHaveProperty('polluted');
  });

  it('assigns the resource to a span even if it comes after the span', () => {
    const request = message(nest(1, all(nest(2, nest(2, span)), resource)));

    expect(finish(decodeTraces(request)).items[0]?.resource.service).toBe('payments');
  });

  it('skips unknown fields', () => {
    const unknown = all(fixed64(4_000, 5n), (writer) => writer.writeStringField(4_001, 'new'));
    const request = message(all(unknown, nest(1, all(resource, unknown, nest(2, nest(2, all(span, unknown)))))));

    expect(finish(decodeTraces(request)).items).toHaveLength(1);
  });

  it('refuses a truncated request, unless it ends between two resources', () => {
    const one = message(nest(1, all(resource, nest(2, nest(2, span)))));
    const two = Buffer.concat([one, one]);

    const readable = Array.from({ length: two.length }, (_, length) => length).filter(
      (length) => typeof attempt(() => finish(decodeTraces(two.subarray(0, length))).items.length) === 'number',
    );

    expect(readable).toEqual([0, one.length]);
  });

  it('reads or refuses a request with any changed byte', () => {
    const request = message(nest(1, all(resource, nest(2, nest(2, span)))));
    const changes = fc.record({ at: fc.nat({ max: request.length - 1 }), byte: fc.integer({ min: 0, max: 255 }) });

    fc.assert(
      fc.property(fc.array(changes, { minLength: 1, maxLength: 4 }), (changed) => {
        const bytes = Uint8Array.from(request);
        for (const { at, byte } of changed) bytes[at] = byte;
        const outcome = attempt(() => finish(decodeTraces(bytes)).items.length);
        expect(outcome instanceof Error || outcome === 0 || outcome === 1).toBe(true);
      }),
    );
  });

  it('ignores a point without a recorded value, and counts one without a time as rejected', () => {
    const point = (flags: number, nanos: bigint) =>
      nest(
        1,
        all(fixed64(3, nanos), (writer) => {
          writer.writeDoubleField(4, 1);
          writer.writeVarintField(8, flags);
        }),
      );
    const request = message(nest(1, nest(2, nest(2, nest(5, all(point(0, 7n), point(1, 7n), point(0, 0n)))))));

    expect(finish(decodeMetrics(request))).toMatchObject({ items: [{ value: 1, timeNanos: 7n }], rejected: 1 });
  });
});
