import { describe, expect, it } from 'vitest';
import { createRawKey, findLookup, isRightKey } from './key-secret.ts';

describe('an API key', () => {
  it('has the documented format, with its scope', () => {
    expect(createRawKey('read-only').rawKey).toMatch(/^tcn_ro_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}$/);
    expect(createRawKey('read-write').rawKey).toMatch(/^tcn_rw_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}$/);
  });

  it('identifies its row and matches only itself', () => {
    const key = createRawKey('read-write');
    const other = createRawKey('read-write');

    expect(findLookup(key.rawKey)).toBe(key.secret.lookup);
    expect(isRightKey(key.rawKey, key.secret)).toBe(true);
    expect(isRightKey(other.rawKey, key.secret)).toBe(false);
    expect(isRightKey(key.rawKey, null)).toBe(false);
  });

  it('is salted: the same value gives different hashes', () => {
    const { rawKey, secret } = createRawKey('read-only');

    expect(isRightKey(rawKey, { ...secret, salt: createRawKey('read-only').secret.salt })).toBe(false);
  });

  it('is recognised as mistyped without the database', () => {
    const { rawKey } = createRawKey('read-only');
    const mistyped = rawKey.slice(0, 30) + (rawKey[30] === 'a' ? 'b' : 'a') + rawKey.slice(31);

    expect(findLookup(mistyped)).toBeNull();
    expect(findLookup('')).toBeNull();
    expect(findLookup(`${rawKey} `)).toBeNull();
  });
});
