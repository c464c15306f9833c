import { crc32 } from 'node:zlib';

/** RFC 1952: deflate, no name, no time, an unknown system. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** An empty block that is the last one. */
const LAST_BLOCK = Uint8Array.of(3, 0);
/** RFC 1951, 3.2.4 */
const MAX_STORED = 65_535;

/** Plain chunks, by what they are compressed. */
export type Deflated = WeakMap<Uint8Array, Uint8Array>;

/**
 * A stream as gzip. Chunks of which the compressed form is known are sent in that form; the others are short, and are
 * sent as they are.
 */
export function compressStream(stream: ReadableStream<Uint8Array>, deflated: Deflated): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let isBegun = false;
  let checksum = 0;
  let length = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        const header = isBegun ? [] : [GZIP_HEADER];
        isBegun = true;
        if (done) {
          controller.enqueue(Buffer.concat([...header, LAST_BLOCK, trailer(checksum, length)]));
          controller.close();
          return;
        }
        checksum = crc32(value, checksum);
        length = (length + value.length) % 2 ** 32;
        const known = deflated.get(value);
        controller.enqueue(Buffer.concat([...header, ...(known === undefined ? storedBlocks(value) : [known])]));
      },
      async cancel(reason) {
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function trailer(checksum: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(checksum, 0);
  bytes.writeUInt32LE(length, 4);
  return bytes;
}

function storedBlocks(bytes: Uint8Array): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / MAX_STORED) }, (_, index) =>
    storedBlock(bytes.subarray(index * MAX_STORED, (index + 1) * MAX_STORED)),
  );
}

/** Bytes as they are, as a block of raw deflate that begins at a whole byte. @param bytes at most 65,535 */
export function storedBlock(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([head, bytes]);
}
