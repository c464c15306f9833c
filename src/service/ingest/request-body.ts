import { createGunzip } from 'node:zlib';
import { ClientGoneError } from '../core/errors.ts';
import { RequestTooLargeError } from './limits.ts';

/** The body is not valid gzip. */
export class UnreadableBodyError extends Error {
  override readonly name = 'UnreadableBodyError';
}

/** Fewer and larger chunks than by default, since each is a task of the thread pool. */
const INFLATED_CHUNK_BYTES = 64 * 1024;

/** Is called with the memory that a body needs, before it needs more. */
export interface BodyObserver {
  /** @throws to stop reading */
  hold(bytes: number): void;
  release(bytes: number): void;
  /** Called with the size of the body so far. Reading goes on when it resolves. */
  grown(bytes: number): Promise<void>;
}

/**
 * Reads the whole body and decompresses gzip outside the event loop. Both stop at `limit` bytes.
 *
 * @throws {RequestTooLargeError}
 * @throws {UnreadableBodyError}
 * @throws {ClientGoneError}
 */
export async function readBody(
  request: Request,
  { isGzip, limit }: { readonly isGzip: boolean; readonly limit: number },
  observer: BodyObserver,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > limit) {
    throw tooLarge(limit);
  }
  const sent = await collect(receive(request), limit, (bytes) => observer.hold(bytes));
  if (!isGzip) {
    await observer.grown(sent.byteLength);
    return sent;
  }
  let size = 0;
  const body = await collect(inflate(sent), limit, async (bytes) => {
    observer.hold(bytes);
    size += bytes;
    await observer.grown(size);
  });
  observer.release(sent.byteLength);
  return body;
}

async function collect(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  onChunk: (bytes: number) => Promise<void> | void,
): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit) {
      throw tooLarge(limit);
    }
    await onChunk(chunk.byteLength);
    collected.push(chunk);
  }
  return Buffer.concat(collected, size);
}

async function* receive(request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* request.body ?? [];
  } catch (cause) {
    throw new ClientGoneError('the client broke off the request', { cause });
  }
}

async function* inflate(sent: Uint8Array): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES });
  gunzip.end(sent);
  try {
    yield* gunzip;
  } catch (cause) {
    throw new UnreadableBodyError('the body is not valid gzip', { cause });
  }
}

function tooLarge(limit: number): RequestTooLargeError {
  return new RequestTooLargeError(
    `a body may have at most ${limit} bytes, also after decompression: send less at once`,
  );
}
