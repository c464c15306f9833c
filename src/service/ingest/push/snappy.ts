import { MalformedMessageError } from '../decoded.ts';
import { RequestTooLargeError } from '../limits.ts';

/**
 * Decompresses Snappy's block format (google/snappy, `format_description.txt`), which Loki and Prometheus push. The length
 * stands at the beginning, so nothing is created beyond the limit.
 *
 * @throws {MalformedMessageError} @throws {RequestTooLargeError}
 */
export function unsnap(bytes: Uint8Array, limit: number): Uint8Array {
  let at = 0;
  const next = () => {
    const byte = bytes[at];
    if (byte === undefined) {
      throw new MalformedMessageError('the Snappy block ends early');
    }
    at += 1;
    return byte;
  };
  /** Little endian. */
  const number = (size: number) => {
    let value = 0;
    for (let index = 0; index < size; index += 1) {
      value += next() * 256 ** index;
    }
    return value;
  };
  let length = 0;
  for (let shift = 0, more = true; more; shift += 7) {
    const byte = next();
    length += (byte & 0x7f) * 2 ** shift;
    more = byte >= 0x80 && shift < 28;
  }
  if (length > limit) {
    throw new RequestTooLargeError(`a body may have at most ${limit} bytes after decompression`);
  }
  const out = new Uint8Array(length);
  let written = 0;
  const expectRoom = (size: number) => {
    if (size > length - written) {
      throw new MalformedMessageError('the Snappy block is longer than it says');
    }
  };
  while (at < bytes.length) {
    const tag = next();
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const size = (short < 60 ? short : number(short - 59)) + 1;
      expectRoom(size);
      if (size > bytes.length - at) {
        throw new MalformedMessageError('the Snappy block ends early');
      }
      out.set(bytes.subarray(at, at + size), written);
      at += size;
      written += size;
      continue;
    }
    const size = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const offset = kind === 1 ? (tag >> 5) * 256 + next() : number(kind === 2 ? 2 : 4);
    expectRoom(size);
    if (offset === 0 || offset > written) {
      throw new MalformedMessageError('the Snappy block copies what is not there');
    }
    for (let copied = 0; copied < size; copied += 1) {
      out[written] = out[written - offset] ?? 0; // may overlap what it writes
      written += 1;
    }
  }
  if (written !== length) {
    throw new MalformedMessageError('the Snappy block is shorter than it says');
  }
  return out;
}
