import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Timestamp } from '../contract/values.ts';
import { readCount, readId, readServiceName, readSignalType, readStatus, readTime } from './values.ts';

const instant = fc.date({ min: new Date('1974-01-01'), max: new Date('2999-12-31'), noInvalidDate: true });

describe('readTime', () => {
  it('reads all formats of an instant', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: -14 * 60, max: 14 * 60 }), (at, offsetMinutes) => {
        const iso = at.toISOString();
        const ms = at.getTime();
        const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1);
        const size = Math.abs(offsetMinutes);
        const zone = `${offsetMinutes < 0 ? '-' : '+'}${two(Math.trunc(size / 60))}:${two(size % 60)}`;

        const written = [
          iso,
          iso.toLowerCase(),
          iso.replace('T', ' ').replace('Z', ' UTC'),
          iso.slice(0, -1),
          local + zone,
          local + zone.replace(':', ''),
          ms,
          String(ms),
          ms / 1_000,
          String(ms / 1_000),
          `${ms}000`,
          `${ms}000000`,
          `${local}${zone}[Europe/Lisbon]`,
        ];

        expect(written.map(readTime)).toEqual(written.map(() => iso));
      }),
    );
  });

  it('reads whole Unix seconds of any year as seconds', () => {
    expect(readTime(0)).toBe('1970-01-01T00:00:00.000Z');
    expect(readTime(1_795_255_200)).toBe('2026-11-21T10:00:00.000Z');
  });

  it('reads HTTP dates', () => {
    expect(readTime('Sun, 22 Nov 2026 06:30:00 GMT')).toBe('2026-11-22T06:30:00.000Z');
  });

  it('keeps the milliseconds of a time with nanoseconds', () => {
    expect(readTime('2026-11-21T10:00:00.123456789Z')).toBe('2026-11-21T10:00:00.123Z');
  });

  it.each([
    '',
    'yesterday',
    '2026-13-45T10:00:00Z',
    '21.11.2026 10:00',
    '+010000-01-01T00:00:00Z',
    null,
    true,
    {},
    1e30,
  ])('rejects %j as a time', (value) => {
    expect(readTime(value)).toBeUndefined();
  });

  it('returns undefined or a time that the contract accepts, for any value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.double(), fc.maxSafeInteger()), (value) => {
        const time = readTime(value);

        expect(time === undefined || Timestamp.safeParse(time).success).toBe(true);
      }),
    );
  });
});

describe('readId', () => {
  it('keeps a string and converts an integer to a string', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.maxSafeInteger(), (text, integer) => {
        expect(readId(text)).toBe(text);
        expect(readId(integer)).toBe(`${integer}`);
      }),
    );
  });

  it.each([1.5, 2 ** 60, '', null, {}])('rejects %j as an id', (value) => {
    expect(readId(value)).toBeUndefined();
  });
});

describe('readCount', () => {
  it('reads a non-negative integer from a number or text', () => {
    expect([3, '3', 0, -1, '-1', 1.5, '', null].map(readCount)).toEqual([
      3,
      3,
      0,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('readStatus', () => {
  it.each(['closed', 'Closed', 'resolved', 'RESOLVED', ' done '])('reads %j as closed', (word) => {
    expect(readStatus(word)).toBe('closed');
  });

  it.each(['open', 'Open', 'active', 'acknowledged', 'triggered', 'unresolved', 'not closed', 'something else'])(
    'reads %j as open',
    (word) => {
      expect(readStatus(word)).toBe('open');
    },
  );

  it('rejects a status that is not a word', () => {
    expect([1, null, {}].map(readStatus)).toEqual([undefined, undefined, undefined]);
  });
});

describe('readServiceName', () => {
  it('reads a name or an object with a name, and a missing one as "unknown"', () => {
    expect(['checkout', { id: 4, name: 'checkout' }, null, '', 7].map(readServiceName)).toEqual([
      'checkout',
      'checkout',
      'unknown',
      'unknown',
      undefined,
    ]);
  });
});

describe('readSignalType', () => {
  it('reads the three types in any case, singular or plural, and rejects others', () => {
    expect(['trace', 'METRIC', 'Logs', 'event', null].map(readSignalType)).toEqual([
      'trace',
      'metric',
      'log',
      undefined,
      undefined,
    ]);
  });
});

function two(value: number): string {
  return String(value).padStart(2, '0');
}
