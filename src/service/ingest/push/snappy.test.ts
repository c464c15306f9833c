import { expect, it } from 'vitest';
import { snap } from '../../../../test/support/push-encode.ts';
import { RequestTooLargeError } from '../limits.ts';
import { unsnap } from './snappy.ts';

/** Copies with overlap and both lengths of offsets, as the format's description has them. */
it('reads the copies of Snappy', () => {
  const block = Uint8Array.of(15, 0b1000, 97, 98, 99, 0b0001_0101, 3, 0b10, 9, 0, 0b11, 1, 0, 0, 0);

  expect(() => unsnap(block, 100)).toThrow('shorter');
  expect(Buffer.from(unsnap(Uint8Array.of(14, ...block.subarray(1)), 100)).toString()).toBe('abcabcabcabcaa');
});

it.each([
  ['ends in a literal', [5, 0b10000, 97]],
  ['copies what is not there', [5, 0b0000, 97, 0b0000_0001, 9]],
  ['is longer than it says', [1, 0b100, 97, 97]],
  ['ends in its length', [0x80]],
])('refuses a Snappy block that %s', (_name, bytes) => {
  expect(() => unsnap(Uint8Array.from(bytes), 100)).toThrow('the Snappy block');
});

it('creates nothing beyond the limit of a Snappy block', () => {
  const zeros = new Uint8Array(100);

  expect(unsnap(snap(zeros), 100)).toEqual(zeros);
  expect(() => unsnap(snap(zeros), 99)).toThrow(RequestTooLargeError);
});
