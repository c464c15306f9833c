import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Scope } from '../../../contract/route.ts';

/**
 * The raw API key: `tcn_<ro|rw|in>_<id>_<secret><checksum>`. The id (10 characters) identifies the row. The secret is 32
 * random bytes (43 characters of base 62); 256 random bits need no slow hash. The checksum (6) is the CRC32 of everything
 * before it, so that secret scanners can recognise a real key.
 */
const RAW_KEY = /^(tcn_(?:ro|rw|in)_([0-9A-Za-z]{10})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** Scopes as written in raw keys. */
export const SCOPE_TAGS: Readonly<Record<Scope, string>> = { 'read-only': 'ro', 'read-write': 'rw', ingest: 'in' };

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export interface KeySecret {
  readonly lookup: string;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

export function createRawKey(scope: Scope): { rawKey: string; secret: KeySecret } {
  const lookup = Array.from({ length: 10 }, () => BASE62.charAt(randomInt(62))).join('');
  const secret = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
  const body = `tcn_${SCOPE_TAGS[scope]}_${lookup}_${secret}`;
  const rawKey = body + checksum(body);
  return { rawKey, secret: seal(rawKey, lookup) };
}

/** The parts of a raw key that may be stored. The key cannot be derived from them. */
export function seal(rawKey: string, lookup: string): KeySecret {
  const salt = randomBytes(16);
  return { lookup, salt, hash: hash(rawKey, salt) };
}

/** The part of a raw key that identifies its row; null when the text is not a valid key. */
export function findLookup(rawKey: string): string | null {
  const [, body, lookup, sum] = RAW_KEY.exec(rawKey) ?? [];
  return body !== undefined && lookup !== undefined && checksum(body) === sum ? lookup : null;
}

/** Takes the same time whether the key exists or not. */
export function isRightKey(rawKey: string, stored: Pick<KeySecret, 'salt' | 'hash'> | null): boolean {
  const { salt, hash: expected } = stored ?? NOBODY;
  return timingSafeEqual(hash(rawKey, salt), expected) && stored !== null;
}

const NOBODY = { salt: Buffer.alloc(16), hash: Buffer.alloc(32) };

function hash(rawKey: string, salt: Buffer): Buffer {
  return createHmac('sha256', salt).update(rawKey).digest();
}

function checksum(text: string): string {
  return toBase62(BigInt(crc32(text)), 6);
}

function toBase62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest /= 62n) {
    digits = BASE62.charAt(Number(rest % 62n)) + digits;
  }
  return digits;
}
