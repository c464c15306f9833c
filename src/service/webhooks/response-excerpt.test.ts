import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EXCERPT_LENGTH, EXCERPT_SOURCE_BYTES, writeExcerpt } from './response-excerpt.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

it('keeps the first 1,024 characters', () => {
  const text = 'a'.repeat(EXCERPT_LENGTH);

  expect(writeExcerpt(Buffer.from(text), [])).toBe(text);
  expect(writeExcerpt(Buffer.from(`${text}b`), [])).toBe(text);
});

it('masks secrets and signatures', () => {
  const signature = `v1,${Buffer.alloc(32, 7).toString('base64')}`;
  const source = `token=tok-12345 and ${SECRET}; webhook-signature: ${signature} ${signature}`;

  expect(writeExcerpt(Buffer.from(source), ['tok-12345', SECRET])).toBe(
    'token=*** and ***; webhook-signature: v1,*** v1,***',
  );
});

it('holds no recognisable part of a secret, wherever the source ends', () => {
  fc.assert(
    fc.property(fc.nat(EXCERPT_SOURCE_BYTES), fc.integer({ min: 1, max: 200 }), (before, times) => {
      const source = Buffer.from('.'.repeat(before) + SECRET.repeat(times)).subarray(0, EXCERPT_SOURCE_BYTES);

      expect(writeExcerpt(source, [SECRET])).not.toContain(SECRET.slice(0, 4));
    }),
  );
});

it('gives text that can be stored, for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const excerpt = writeExcerpt(bytes, []);

      expect(excerpt).not.toContain('\0');
      expect(excerpt.isWellFormed()).toBe(true);
    }),
  );
});
