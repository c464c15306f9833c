import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits. They cannot be guessed, so a plain hash protects them, and looking it up reveals nothing by its time. */
const TOKEN_BYTES = 32;

export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The part of a token that is stored. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
