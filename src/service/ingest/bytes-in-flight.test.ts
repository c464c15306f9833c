import { expect, it } from 'vitest';
import { OverloadedError } from '../core/errors.ts';
import { createBytesInFlight } from './bytes-in-flight.ts';

it('lets one owner hold half of the bytes and no more', () => {
  const hold = createBytesInFlight(100);

  const held = hold('a');
  held.add(50);

  expect(() => hold('a').add(1)).toThrow(OverloadedError);
});

it('leaves a share for another owner, whatever the first ones hold', () => {
  const hold = createBytesInFlight(100);

  hold('a').add(50);
  hold('b').add(25);

  expect(() => hold('c').add(12)).not.toThrow();
});

it('frees released bytes, and all of them at the end of a request', () => {
  const hold = createBytesInFlight(100);
  {
    using first = hold('a');
    first.add(30);
    first.release(10);
    first.add(20);
  }

  expect(() => hold('a').add(50)).not.toThrow();
});

it('counts nothing of what it refuses', () => {
  const hold = createBytesInFlight(100);
  const held = hold('a');

  expect(() => held.add(51)).toThrow(OverloadedError);

  expect(() => held.add(50)).not.toThrow();
});
