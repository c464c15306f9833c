import { Agent, request } from 'undici';
import { withTimeout } from '../../runtime/timeout.ts';
import { createLookup } from './address-guard.ts';
import { createNameResolver } from './name-resolver.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** Reads a small text from a public address. It follows no redirects. */
export type GuardedGet = (url: URL) => Promise<string>;

/**
 * Addresses that somebody else gave are only followed to public ones, see `createLookup`.
 *
 * @throws when there is no response with a 2xx status, or it is too long
 */
export function createGuardedGet({ allowPrivateAddresses }: { readonly allowPrivateAddresses: boolean }): {
  readonly get: GuardedGet;
} & AsyncDisposable {
  const names = createNameResolver();
  const lookup = createLookup(names.resolve, allowPrivateAddresses);
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS, lookup } });

  async function read(url: URL, signal: AbortSignal): Promise<string> {
    const { statusCode, body } = await request(url, { dispatcher: agent, headers: { 'user-agent': 'Tocsin' }, signal });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      const part = Buffer.from(chunk as Uint8Array); // undici's bodies are streams of bytes
      bytes += part.length;
      if (bytes > MAX_BYTES) {
        throw new Error(`the response has more than ${MAX_BYTES} bytes`);
      }
      chunks.push(part);
    }
    if (statusCode < 200 || statusCode >= 300) {
      throw new Error(`the response has status ${statusCode}`);
    }
    return Buffer.concat(chunks).toString();
  }

  return {
    get: (url) => withTimeout(TIMEOUT_MS, (signal) => read(url, signal)),
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      names[Symbol.dispose]();
    },
  };
}
