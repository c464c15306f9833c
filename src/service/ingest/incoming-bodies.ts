import { createTurns, runInTurns } from '../../runtime/turns.ts';
import { createBytesInFlight } from './bytes-in-flight.ts';
import { INGEST_LIMITS } from './limits.ts';
import { readBody } from './request-body.ts';

export interface BodyOptions {
  /** The key that the request is counted for. */
  readonly sender: string;
  readonly isGzip: boolean;
  /** Maximum number of bytes, also after decompression. */
  readonly limit: number;
}

/** Decodes a body. It pauses after each step of a few milliseconds. */
export type Decode<Result> = (body: Uint8Array) => Generator<void, Result>;

/**
 * Reads and decodes the bodies of all senders within bounds of memory and time, shared fairly among the senders
 * (docs/decisions/0012-bounds-before-work.md).
 *
 * @throws {RequestTooLargeError} @throws {UnreadableBodyError} @throws {ClientGoneError} from reading
 * @throws {OverloadedError} when the sender has too many bytes in flight
 * @throws what `decode` throws
 */
export type IncomingBodies = <Result>(
  request: Request,
  options: BodyOptions,
  decode: Decode<Result>,
) => Promise<Result>;

export function createIncomingBodies(): IncomingBodies {
  const holdBytes = createBytesInFlight(INGEST_LIMITS.bytesInFlight);
  const largeBodies = createTurns();
  const slices = createTurns();

  return async (request, { sender, isGzip, limit }, decode) => {
    using held = holdBytes(sender);
    using scope = new DisposableStack();
    let isLarge = false;
    const body = await readBody(
      request,
      { isGzip, limit },
      {
        hold: (bytes) => held.add(bytes),
        release: (bytes) => held.release(bytes),
        async grown(bytes) {
          if (!isLarge && bytes > INGEST_LIMITS.smallBytes) {
            isLarge = true;
            scope.use(await largeBodies.take(sender));
          }
        },
      },
    );
    return await runInTurns(decode(body), slices, sender);
  };
}
