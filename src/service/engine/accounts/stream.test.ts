import { describe, expect, it } from 'vitest';
import { createPool, type Pool } from './baseline.ts';
import { createStream, isOver, look, lookWell, openStream, type Stream, strongest } from './stream.ts';

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

/** @param text x for a failed request, a dot for a good one */
function lookAt(stream: Stream, text: string, pool: Pool): void {
  for (const each of text) {
    look(stream, each === 'x' ? 'failed' : null, 0, pool);
  }
}

function times<Value>(length: number, value: Value): Value[] {
  return Array.from({ length }, () => value);
}

describe('the end of a fault that loses every other request', () => {
  it.each([
    { well: 4, looks: 1, isEnd: false },
    { well: 12, looks: 1, isEnd: true },
    { well: 12, looks: 100_000, isEnd: false },
    { well: 60, looks: 100_000, isEnd: true },
  ])(
    'is found after $well good requests where one false end in $looks is accepted: $isEnd',
    ({ well, looks, isEnd }) => {
      expect(isOver(faultThen(Array.from({ length: well }, () => null)), looks)).toBe(isEnd);
    },
  );

  it('is not found while as many are lost', () => {
    expect(isOver(faultThen(Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 'failed' : null))), 1)).toBe(
      false,
    );
  });
});

/** A fault that is open, and what follows. */
function faultThen(following: readonly (string | null)[]): Stream {
  const pool = createPool();
  const stream = createStream();
  lookWell(stream, 400, 0, pool);
  for (let index = 0; index < 20; index += 1) {
    look(stream, index % 2 === 0 ? 'failed' : null, 1_000, pool);
  }
  openStream(stream, 1_000);
  for (const found of following) {
    look(stream, found, 2_000, pool);
  }
  return stream;
}

it('finds an outage amid which good requests are judged that came before it, from a sender that reports late', () => {
  const pool = createPool();
  const other = createStream();
  lookWell(other, 40, 0, pool);
  lookAt(other, 'xxx.xx.xxx.x.xxx.xx.', pool);
  const stream = createStream();
  lookWell(stream, 40, 0, pool);
  for (const found of times(14, 'failed')) {
    look(stream, found, 2_000, pool);
  }
  for (const found of times(4, null)) {
    look(stream, found, 1_000, pool);
  }
  for (const found of times(40, 'failed')) {
    look(stream, found, 3_000, pool);
  }

  expect(strongest(stream)).toBeGreaterThanOrEqual(THRESHOLD);
});

it.each([
  ['came since it began, from a sender that reports late', 2_500],
  ['have a time of minutes ago, by a clock that is off', -600_000],
])('believes good requests against a fault that %s', (_from, at) => {
  const pool = createPool();
  const stream = createStream();
  lookWell(stream, 40, 0, pool);
  for (const hitAt of [2_000, 3_000]) {
    look(stream, 'failed', hitAt, pool);
  }
  const before = strongest(stream);
  for (const found of times(40, null)) {
    look(stream, found, at, pool);
  }

  expect(strongest(stream)).toBeLessThan(before);
});
