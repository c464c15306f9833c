import { Agent, type Dispatcher, request } from 'undici';
import { settlesWithin, withTimeout } from '../../runtime/timeout.ts';
import { secretPartsOf } from '../core/integration.ts';
import { createLookup, describeForbiddenUrl, ForbiddenAddressError } from './address-guard.ts';
import { createNameResolver, type ResolveName } from './name-resolver.ts';
import { EXCERPT_SOURCE_BYTES, writeExcerpt } from './response-excerpt.ts';
import { readRetryAfter } from './retry-schedule.ts';
import { signWebhook } from './signature.ts';

/** Time limit of an attempt: lookup, connection and response. */
const TIMEOUT_MS = 15_000;
/** The status decides, so the body gets a limit of its own. A longer body closes the connection. */
const BODY_TIMEOUT_MS = 1_000;
const MAX_RESPONSE_BYTES = 16_384;

export interface WebhookMessage {
  readonly url: string;
  /** Each signs the message. None: it is not signed. */
  readonly secrets: readonly string[];
  /** Keys in the body, which are masked where the response repeats them. */
  readonly keys?: readonly string[];
  readonly id: string;
  readonly body: string | Buffer;
  /** In place of those of a JSON body. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type SendOutcome =
  | { readonly kind: 'delivered' }
  /** 410: the receiver wants no more events. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'failed';
      /** Contains nothing of the address, the payload or the response. */
      readonly reason: string;
      readonly retryAfterMs: number | null;
      /** true: the receiver as a whole cannot take events now. false: it refused this one. */
      readonly isUnavailable: boolean;
    };

export interface SendResult {
  readonly outcome: SendOutcome;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** null, like `excerpt`: no response. */
  readonly httpStatus: number | null;
  /** The beginning of the response, secrets masked. */
  readonly excerpt: string | null;
}

export interface WebhookSender extends AsyncDisposable {
  /** Makes one attempt and follows no redirects. @throws the reason of `signal` when that aborts it */
  send(message: WebhookMessage, signal: AbortSignal): Promise<SendResult>;
}

export interface WebhookSenderOptions {
  readonly now: () => Date;
  /** Allows loopback, private and other addresses that are not public. */
  readonly allowPrivateAddresses: boolean;
  /** Absent: 15 s. */
  readonly timeoutMs?: number;
  /** `address:port`; absent: those of the system. */
  readonly nameServers?: readonly string[];
  /** Absent: the hosts file and the name servers. */
  readonly resolveName?: ResolveName;
}

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { now, allowPrivateAddresses, timeoutMs = TIMEOUT_MS, nameServers } = options;
  const names = createNameResolver(nameServers === undefined ? {} : { nameServers });
  const lookup = createLookup(options.resolveName ?? names.resolve, allowPrivateAddresses);
  const agent = new Agent({ connect: { timeout: timeoutMs, lookup } });

  async function send(message: WebhookMessage, signal: AbortSignal): Promise<SendResult> {
    const startedAt = now();
    const startedMs = performance.now();
    const result = await attempt(message, signal);
    return { ...result, startedAt, durationMs: Math.round(performance.now() - startedMs) };
  }

  async function attempt(message: WebhookMessage, signal: AbortSignal): Promise<Exchange> {
    const address = URL.parse(message.url);
    const fault = address === null ? 'is invalid' : describeForbiddenUrl(address, allowPrivateAddresses);
    if (fault !== null) {
      return withoutResponse(fault);
    }
    let isLate = false;
    try {
      return await withTimeout(timeoutMs, (deadline) => {
        deadline.addEventListener('abort', () => {
          isLate = true;
        });
        return exchange(message, AbortSignal.any([signal, deadline]));
      });
    } catch (error) {
      signal.throwIfAborted();
      return withoutResponse(isLate ? `gave no answer within ${timeoutMs / 1_000} s` : describeFailure(error));
    }
  }

  async function exchange(
    { url, secrets, keys = [], id, body, headers = { 'content-type': 'application/json' } }: WebhookMessage,
    signal: AbortSignal,
  ): Promise<Exchange> {
    const response = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        ...headers,
        'user-agent': 'Tocsin',
        ...(secrets.length === 0 ? {} : signWebhook(secrets, id, now(), String(body))),
      },
      body,
      signal,
    });
    const excerpt = writeExcerpt(await readBeginning(response.body), [...secrets, ...keys, ...secretPartsOf(url)]);
    return { outcome: judge(response, now()), httpStatus: response.statusCode, excerpt };
  }

  return {
    send,
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      names[Symbol.dispose]();
    },
  };
}

type Exchange = Pick<SendResult, 'outcome' | 'httpStatus' | 'excerpt'>;

function withoutResponse(reason: string): Exchange {
  const outcome: SendOutcome = { kind: 'failed', reason, retryAfterMs: null, isUnavailable: true };
  return { outcome, httpStatus: null, excerpt: null };
}

/** @returns the first `EXCERPT_SOURCE_BYTES`, or what has arrived when the response breaks off or stalls */
async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  async function read(): Promise<void> {
    for await (const chunk of body) {
      const part = Buffer.from(chunk as Uint8Array); // undici's bodies are streams of bytes
      if (bytes < EXCERPT_SOURCE_BYTES) {
        chunks.push(part);
      }
      bytes += part.length;
      if (bytes > MAX_RESPONSE_BYTES) {
        return; // closes the connection
      }
    }
  }
  if (!(await settlesWithin(BODY_TIMEOUT_MS, read()))) {
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, EXCERPT_SOURCE_BYTES);
}

function judge({ statusCode, headers }: Dispatcher.ResponseData, now: Date): SendOutcome {
  if (statusCode >= 200 && statusCode < 300) {
    return { kind: 'delivered' };
  }
  if (statusCode === 410) {
    return { kind: 'gone' };
  }
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return {
    kind: 'failed',
    reason: `answered ${statusCode}${isRedirect ? ', and redirects are not followed' : ''}`,
    retryAfterMs: readRetryAfter([headers['retry-after']].flat()[0], now),
    isUnavailable: statusCode >= 500 || statusCode === 408 || statusCode === 429,
  };
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'cut the connection',
  UND_ERR_SOCKET: 'cut the connection',
  ENOTFOUND: 'has an unknown host name',
  EAI_AGAIN: 'has a host name that cannot be resolved now',
  ETIMEDOUT: 'cannot be connected to in time',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be connected to in time',
};

function describeFailure(error: unknown): string {
  if (error instanceof ForbiddenAddressError) {
    return error.message;
  }
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  return WORDS[code] ?? `cannot be reached (${code})`;
}
