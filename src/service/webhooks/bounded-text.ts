import type { Dispatcher } from 'undici';

export class TooLongError extends Error {
  override readonly name = 'TooLongError';

  constructor(maxBytes: number) {
    super(`the response has more than ${maxBytes} bytes`);
  }
}

/** Reads a whole body. @throws {TooLongError} when it has more bytes; its connection is closed then */
export async function readBoundedText(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part = Buffer.from(chunk as Uint8Array); // undici's bodies are streams of bytes
    bytes += part.length;
    if (bytes > maxBytes) {
      throw new TooLongError(maxBytes);
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString();
}
