import { lookup } from 'node:dns';
import { Agent, type Dispatcher, request } from 'undici';
import { createGuardedLookup, describeForbiddenUrl, ForbiddenAddressError, type ResolveName } from './address-guard.ts';
import { readRetryAfter } from './retry-schedule.ts';
import { signWebhook } from './signature.ts';

const TIMEOUT_MS = 15_000;
/** The body of a response is skipped. A longer one closes the connection. */
const MAX_RESPONSE_BYTES = 16_384;

export interface WebhookMessage {
  readonly url: string;
  readonly secret: string;
  readonly id: string;
  readonly body: string;
}

export type SendOutcome =
  | { readonly kind: 'delivered' }
  /** 410: the receiver wants no more events. */
  | { readonly kind: 'gone' }
  /** `reason` contains nothing of the address, the payload or the response. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null };

export interface WebhookSender extends AsyncDisposable {
  /** Makes one attempt and follows no redirects. @throws the reason of `signal` when that aborts it */
  send(message: WebhookMessage, signal: AbortSignal): Promise<SendOutcome>;
}

export interface WebhookSenderOptions {
  readonly now: () => Date;
  /** Allows loopback, private and other addresses that are not public. */
  readonly allowPrivateAddresses: boolean;
  /** Absent: 15 s. */
  readonly timeoutMs?: number;
  /** Absent: that of the system. */
  readonly resolveName?: ResolveName;
}

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { now, allowPrivateAddresses, timeoutMs = TIMEOUT_MS } = options;
  const resolveName: ResolveName = options.resolveName ?? ((hostname, done) => lookup(hostname, { all: true }, done));
  const agent = new Agent({
    connect: { timeout: timeoutMs, ...(allowPrivateAddresses ? {} : { lookup: createGuardedLookup(resolveName) }) },
  });

  async function send({ url, secret, id, body }: WebhookMessage, signal: AbortSignal): Promise<SendOutcome> {
    const address = URL.parse(url);
    const fault = address === null ? 'is invalid' : describeForbiddenUrl(address, allowPrivateAddresses);
    if (fault !== null) {
      return { kind: 'failed', reason: `the url ${fault}`, retryAfterMs: null };
    }
    const timeout = AbortSignal.timeout(timeoutMs);
    const ended = AbortSignal.any([signal, timeout]);
    try {
      const response = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Tocsin',
          ...signWebhook(secret, id, now(), body),
        },
        body,
        signal: ended,
      });
      response.body.dump({ limit: MAX_RESPONSE_BYTES, signal: ended }).catch(() => undefined); // only the status matters
      return judge(response, now());
    } catch (error) {
      signal.throwIfAborted();
      const reason = timeout.aborted ? `gave no answer within ${timeoutMs / 1_000} s` : describeFailure(error);
      return { kind: 'failed', reason, retryAfterMs: null };
    }
  }

  return { send, [Symbol.asyncDispose]: () => agent.destroy() };
}

function judge({ statusCode, headers }: Dispatcher.ResponseData, now: Date): SendOutcome {
  if (statusCode >= 200 && statusCode < 300) {
    return { kind: 'delivered' };
  }
  if (statusCode === 410) {
    return { kind: 'gone' };
  }
  const isRedirect = statusCode >= 300 && statusCode < 400;
  const reason = `answered ${statusCode}${isRedirect ? ', and redirects are not followed' : ''}`;
  const retryAfter = [headers['retry-after']].flat()[0];
  return { kind: 'failed', reason, retryAfterMs: readRetryAfter(retryAfter, now) };
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
    return `the url ${error.message}`;
  }
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  return WORDS[code] ?? `cannot be reached (${code})`;
}
