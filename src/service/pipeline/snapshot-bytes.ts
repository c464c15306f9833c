import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** What is usual is left out of a larger one, which would take too long to read. */
export const MAX_SNAPSHOT_BYTES = 32 * 1_048_576;

/** A snapshot that unpacks to more than this is not one of ours. */
const MAX_UNPACKED_BYTES = 1_024 * 1_048_576;

/** Plain data with maps, sets and typed arrays as compressed bytes. Maps and sets keep their order. */
export function toSnapshotBytes(state: object): Buffer {
  return zstdCompressSync(serialize(state));
}

/**
 * @param bytes of `toSnapshotBytes`; the caller vouches for its type and version
 * @throws when they are broken
 */
export function fromSnapshotBytes<State>(bytes: Buffer): State {
  return deserialize(zstdDecompressSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })) as State;
}
