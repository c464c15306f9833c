import { Agent, request } from 'undici';
import { withTimeout } from '../../runtime/timeout.ts';
import { createLookup } from './address-guard.ts';
import { readBoundedText } from './bounded-text.ts';
import { createNameResolver } from './name-resolver.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** A response, whatever its status. */
export interface GuardedResponse {
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
}

/** @throws {TooLongError} when it has more bytes */
export type GuardedFetch = (
  url: URL,
  options: { readonly headers: Readonly<Record<string, string>>; readonly maxBytes: number },
) => Promise<GuardedResponse>;

/** Reads a small text from a public address. It follows no redirects. */
export type GuardedGet = (url: URL) => Promise<string>;

/**
 * Addresses that somebody else gave are only followed to public ones, see `createLookup`.
 *
 * @throws when there is no response with a 2xx status, or it is too long
 */
export function createGuardedGet({ allowPrivateAddresses }: { readonly allowPrivateAddresses: boolean }): {
  readonly get: GuardedGet;
  readonly fetch: GuardedFetch;
} & AsyncDisposable {
  const names = createNameResolver();
  const lookup = createLookup(names.resolve, allowPrivateAddresses);
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS, lookup } });

  const fetch: GuardedFetch = (url, options) => withTimeout(TIMEOUT_MS, (signal) => read(url, options, signal));

  async function read(
    url: URL,
    { headers: given, maxBytes }: Parameters<GuardedFetch>[1],
    signal: AbortSignal,
  ): Promise<GuardedResponse> {
    const headers = { 'user-agent': 'Tocsin', ...given };
    const { statusCode: status, headers: got, body } = await request(url, { dispatcher: agent, headers, signal });
    return { status, etag: [got.etag ?? []].flat()[0] ?? null, text: await readBoundedText(body, maxBytes) };
  }

  return {
    fetch,
    async get(url) {
      const { status, text } = await fetch(url, { headers: {}, maxBytes: MAX_BYTES });
      if (status < 200 || status >= 300) {
        throw new Error(`the response has status ${status}`);
      }
      return text;
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      names[Symbol.dispose]();
    },
  };
}
