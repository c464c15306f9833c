import { constants, deflateRawSync } from 'node:zlib';
import { storedBlock } from './compress-stream.ts';

/** A message that many readers get. It differs only in the token of each reader's session. */
export interface SharedMessage {
  /** As it is. */
  plain(token: string): Uint8Array;
  /** As blocks of raw deflate (RFC 1951), to be put into a compressed stream. */
  deflated(token: string): Uint8Array;
}

/**
 * Encodes and compresses the text once. Parts that are compressed alone can be joined: none refers to what is before it.
 *
 * @param placeholder stands for the token
 */
export function shareMessage(text: string, placeholder: string): SharedMessage {
  const parts = text.split(placeholder).map((part) => Buffer.from(part));
  let deflatedParts: readonly Buffer[] | null = null;
  return {
    plain: (token) => joinBy(parts, Buffer.from(token)),
    deflated(token) {
      deflatedParts ??= parts.map(deflate);
      return joinBy(deflatedParts, storedBlock(Buffer.from(token)));
    },
  };
}

/** Ends at a whole byte, and not as the last block. */
function deflate(part: Buffer): Buffer {
  return deflateRawSync(part, { finishFlush: constants.Z_SYNC_FLUSH });
}

function joinBy(parts: readonly Buffer[], separator: Buffer): Buffer {
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])));
}
