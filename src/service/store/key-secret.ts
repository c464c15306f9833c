import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Scope } from '../../contract/routes.ts';

/**
 * The raw API key: `tcn_<ro|rw|in>_<id>_<secret><checksum>`. The id (10 characters) finds the row, the secret is 32 random
 * bytes (43 characters of base 62), the checksum (6) is the CRC32 of all before it, so that a scanner can tell a real key from noise.
 * 256 random bits need no slow hash.
 */
const RAW_KEY = /^(tcn_(?:ro|rw|in)_([0-9A-Za-z]{10})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** What the scope is in a raw key. */
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

/** What may be kept of a raw key: nothing it could be read from. */
export function seal(rawKey: string, lookup: string): KeySecret {
  const salt = randomBytes(16);
  return { lookup, salt, hash: hash(rawKey, salt) };
}

/** The part of a raw key that finds its row; null when the text is no key of ours. */
export function findLookup(rawKey: string): string | null {
  const [, body, lookup, sum] = RAW_KEY.exec(rawKey) ?? [];
  return body !== undefined && lookup !== undefined && checksum(body) === sum ? lookup : null;
}

/** Costs the same whether there is such a key or not. */
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
