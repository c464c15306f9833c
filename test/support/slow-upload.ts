const CHUNK_BYTES = 1024 * 1024;

/** A request of which the last two bytes are not sent until `end` is called. */
export interface SlowUpload {
  readonly response: Promise<Response>;
  /** Resolves when the receiver has taken the other bytes. */
  readonly isTaken: Promise<void>;
  end(): void;
}

/**
 * Sends white space, which JSON allows, and later an empty object.
 *
 * @param bytes without the object
 */
export function startSlowUpload(
  send: (request: Request) => Response | Promise<Response>,
  url: string,
  key: string,
  bytes: number,
): SlowUpload {
  const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (left > 0) {
        const chunk = new Uint8Array(Math.min(left, CHUNK_BYTES)).fill(0x20);
        left -= chunk.byteLength;
        controller.enqueue(chunk);
        return;
      }
      taken();
      await mayEnd;
      controller.enqueue(Buffer.from('{}'));
      controller.close();
    },
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = new Request(url, { method: 'POST', headers, body, duplex: 'half' });
  return { response: Promise.resolve(send(request)), isTaken, end };
}
