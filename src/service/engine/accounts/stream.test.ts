import { describe, expect, it } from 'vitest';
import { fractionOf } from '../../../../test/support/simulated-shop.ts';
import { createPool, type Pool } from './baseline.ts';
import { createStream, look, lookWell, type Stream, strongest } from './stream.ts';

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

describe('a place whose rare failures come in bursts, mixed with requests that the bursts do not reach', () => {
  const burst = marksOf('x..xx.x.xx..x');

  it.each([
    { what: 'one more burst', marks: burst, isSure: false },
    { what: 'an outage of three quarters of its requests', marks: marksOf('xxx.'.repeat(12)), isSure: true },
    { what: 'a total outage', marks: marksOf('x'.repeat(14)), isSure: true },
  ])('is at fault after $what: $isSure', ({ marks, isSure }) => {
    const pool = createPool();
    const stream = createStream();
    let most = 0;
    for (let count = 0; count < 8; count += 1) {
      lookWell(stream, 800, 0, pool);
      lookAll(stream, burst, pool);
      most = count < 2 ? 0 : Math.max(most, strongest(stream));
    }
    lookWell(stream, 800, 0, pool);
    lookAll(stream, marks, pool);

    expect(most).toBeLessThan(THRESHOLD);
    expect(strongest(stream) >= THRESHOLD).toBe(isSure);
  });
});

it('opens nothing at a young place that loses a tenth to a third of its requests from the first one on', () => {
  for (const share of [0.1, 0.2, 0.3]) {
    const pool = createPool();
    for (let place = 0; place < 10; place += 1) {
      const stream = createStream();
      let most = 0;
      for (let index = 0; index < 500; index += 1) {
        look(stream, fractionOf(index, `${share} ${place}`) < share ? 'failed' : null, 0, pool);
        most = Math.max(most, strongest(stream));
      }

      expect(most).toBeLessThan(17);
    }
  }
});

/** @param text x for a failed request, a dot for a good one */
function marksOf(text: string): (string | null)[] {
  return text.split('').map((each) => (each === 'x' ? 'failed' : null));
}

function lookAll(stream: Stream, marks: readonly (string | null)[], pool: Pool): void {
  for (const found of marks) {
    look(stream, found, 1_000, pool);
  }
}

function times<Value>(length: number, value: Value): Value[] {
  return Array.from({ length }, () => value);
}
