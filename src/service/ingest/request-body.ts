import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The body has more than `limit` bytes, as sent or after decompression. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** The body is not valid gzip. */
export class UnreadableBodyError extends Error {
  override readonly name = 'UnreadableBodyError';
}

const inflate = promisify(gunzip);

/**
 * Reads the whole body and decompresses gzip. Both stop at `limit` bytes, so that a small body that would decompress to
 * gigabytes needs no more memory than that.
 *
 * @throws {BodyTooLargeError}
 * @throws {UnreadableBodyError}
 */
export async function readBody(request: Request, isGzip: boolean, limit: number): Promise<Uint8Array> {
  const sent = await readSent(request, limit);
  if (!isGzip) {
    return sent;
  }
  try {
    return await inflate(sent, { maxOutputLength: limit });
  } catch (cause) {
    const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge
      ? new BodyTooLargeError(`the body inflates to more than ${limit} bytes`)
      : new UnreadableBodyError('the body is not valid gzip', { cause });
  }
}

async function readSent(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new BodyTooLargeError(`the body has more than ${limit} bytes`);
  if (Number(request.headers.get('content-length')) > limit) {
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) {
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
