import { describe, expect, it } from 'vitest';
import { createPool } from './baseline.ts';
import { createStream, look, lookWell, strongest } from './stream.ts';

/** A place with ten requests a minute opens an incident from about this sum on. */
const THRESHOLD = 15;

describe('a place that never failed, beside others that hardly ever do', () => {
  it.each([
    { marks: [true, false, true], isSure: false },
    { marks: [true, true, true], isSure: false },
    { marks: Array.from({ length: 6 }, () => true), isSure: true },
    { marks: [true, true, false, false, true, true, false, false, true], isSure: true },
  ])('is at fault after $marks: $isSure', ({ marks, isSure }) => {
    const pool = createPool();
    lookWell(createStream(), 20_000, 0, pool);
    const stream = createStream();
    lookWell(stream, 400, 0, pool);

    for (const isHit of marks) {
      look(stream, isHit ? 'failed' : null, 1_000, pool);
    }

    expect(strongest(stream) >= THRESHOLD).toBe(isSure);
  });
});

describe('a place whose rare failures come in runs of four, beside one whose failures come alone', () => {
  it.each([
    { kind: 'failed', isSure: false },
    { kind: 'slow', isSure: true },
  ])('is at fault after six lost requests of kind $kind: $isSure', ({ kind, isSure }) => {
    const pool = createPool();
    const other = createStream();
    for (let index = 0; index < 50; index += 1) {
      look(other, 'failed', 0, pool);
      lookWell(other, 100, 0, pool);
    }
    const stream = createStream();
    for (const found of [...times(200, null), ...times(4, 'failed'), ...times(40, null), ...times(4, 'failed')]) {
      look(stream, found, 0, pool);
    }
    for (const found of [...times(40, null), ...times(6, kind)]) {
      look(stream, found, 1_000, pool);
    }

    expect(strongest(stream) >= THRESHOLD).toBe(isSure);
  });
});

it('finds an outage of a young place although others had long ones, which are runs of failures too', () => {
  const pool = createPool();
  for (const other of times(3, null).map(() => createStream())) {
    for (const found of [...times(20, null), ...times(100, 'failed'), null]) {
      look(other, found, 0, pool);
    }
  }
  const stream = createStream();
  for (const found of [...times(40, null), ...times(30, 'failed')]) {
    look(stream, found, 1_000, pool);
  }

  expect(strongest(stream)).toBeGreaterThanOrEqual(THRESHOLD);
});

function times<Value>(length: number, value: Value): Value[] {
  return Array.from({ length }, () => value);
}
