import { describe, expect, it } from 'vitest';
import { createPool, createStream, look, lookWell, strongest } from './stream.ts';

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
      look(stream, isHit, 1_000, pool);
    }

    expect(strongest(stream) >= THRESHOLD).toBe(isSure);
  });
});
