import { Agent, request } from 'undici';
import { z } from 'zod';
import { withTimeout } from '../../../runtime/timeout.ts';
import { createLookup, describeForbiddenUrl, ForbiddenAddressError } from '../../webhooks/address-guard.ts';
import { readBoundedText } from '../../webhooks/bounded-text.ts';
import { createNameResolver } from '../../webhooks/name-resolver.ts';
import { readRetryAfter } from '../../webhooks/retry-schedule.ts';
import { WayError } from './way.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 512 * 1024;

/** Errors before a connection: nothing arrived. */
const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

interface ProviderCall {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form, or an object as JSON. Absent: nothing is sent. */
  readonly body?: URLSearchParams | object;
  /** The operator has set its address, so it may be a private one. */
  readonly isTrusted?: boolean;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly text: string;
}

/** Calls the API of a provider. */
export interface Provider extends AsyncDisposable {
  /**
   * Follows no redirects. Errors contain neither the address nor anything of the request or the response.
   *
   * @param name of the provider, as a sentence begins
   * @returns an answer with a status below 500 that is not 429
   * @throws {WayError}
   */
  call(name: string, call: ProviderCall): Promise<ProviderAnswer>;
}

export function createProvider(options: {
  readonly allowPrivateAddresses: boolean;
  readonly now: () => Date;
}): Provider {
  const names = createNameResolver();
  const agentFor = (allowsPrivate: boolean) =>
    new Agent({ connect: { timeout: TIMEOUT_MS, lookup: createLookup(names.resolve, allowsPrivate) } });
  const [guarded, trusting] = [agentFor(options.allowPrivateAddresses), agentFor(true)];

  async function exchange(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer & { retryAfterMs: number }> {
    const { url, method = 'GET', headers = {}, body, isTrusted = false } = call;
    const isForm = body instanceof URLSearchParams;
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const response = await request(url, {
      dispatcher: isTrusted ? trusting : guarded,
      method,
      headers: { 'user-agent': 'Tocsin', ...(body !== undefined && { 'content-type': type }), ...headers },
      ...(body !== undefined && { body: isForm ? String(body) : JSON.stringify(body) }),
      signal,
    });
    const retryAfterMs = readRetryAfter([response.headers['retry-after']].flat()[0], options.now()) ?? 0;
    return { status: response.statusCode, text: await readBoundedText(response.body, MAX_BYTES), retryAfterMs };
  }

  return {
    async call(name, call) {
      const address = URL.parse(call.url);
      const allowsPrivate = call.isTrusted === true || options.allowPrivateAddresses;
      const fault = address === null ? 'is invalid' : describeForbiddenUrl(address, allowsPrivate);
      if (fault !== null) {
        throw new WayError('refused', `${name}: the url ${fault}`);
      }
      const answer = await withTimeout(TIMEOUT_MS, (signal) => exchange(call, signal)).catch((error: unknown) => {
        throw toWayError(name, error);
      });
      const { status, retryAfterMs } = answer;
      if (status === 429) {
        throw new WayError('later', `${name} answered 429`, { retryAfterMs });
      }
      if (status >= 500) {
        throw new WayError('unavailable', `${name} answered ${status}`, { retryAfterMs });
      }
      return answer;
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([guarded.destroy(), trusting.destroy()]);
      names[Symbol.dispose]();
    },
  };
}

/** @throws {WayError} it is not what the provider's documentation says; the call may have had its effect */
export function parseAnswer<Schema extends z.ZodType>(name: string, schema: Schema, text: string): z.output<Schema> {
  const parsed = z
    .string()
    .transform((json, context) => {
      try {
        return JSON.parse(json) as unknown;
      } catch {
        context.addIssue('is not JSON');
        return z.NEVER;
      }
    })
    .pipe(schema)
    .safeParse(text);
  if (!parsed.success) {
    throw new WayError('unavailable', `${name} gave an answer that is not understood`);
  }
  return parsed.data;
}

/** The cause is left out: it may name the address. */
function toWayError(name: string, error: unknown): WayError {
  if (error instanceof ForbiddenAddressError) {
    return new WayError('refused', `${name}: the url ${error.message}`);
  }
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer';
  return new WayError(UNCONNECTED.has(code) ? 'later' : 'unavailable', `${name} cannot be reached (${code})`);
}
