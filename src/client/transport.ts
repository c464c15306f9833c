import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Agent, type Dispatcher } from 'undici';
import { withTimeout } from '../runtime/timeout.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { ContractViolationError, ServiceResponseError, ServiceUnreachableError } from './errors.ts';
import { readProblem } from './read-problem.ts';
import { callWithRetries, parseRetryAfter } from './retry.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_CONNECTIONS = 16;
/** Timeout of a silent event stream. Tocsin's service sends a heartbeat every 15 seconds. */
const SILENCE_MS = 60_000;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Timeout of a call, including its retries and the delays between them. */
  readonly timeoutMs?: number;
  /** Default: a keep-alive pool, closed with the transport. */
  readonly dispatcher?: Dispatcher;
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  readonly now?: () => Date;
  /** Monotonic time in milliseconds. */
  readonly elapsedMs?: () => number;
}

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base address, including the query. */
  readonly path: string;
  readonly body?: unknown;
  /** Sent as `If-Match`: the service refuses the write with 412 if the resource has another entity tag by then. */
  readonly ifMatch?: string | undefined;
  /** Sent as `Idempotency-Key`: the service does it once, and repeats its answer. */
  readonly idempotencyKey?: string | undefined;
}

/** A 2xx. */
export interface Received {
  readonly text: string;
  /** null: the service has no entity tags. */
  readonly etag: string | null;
  /** It is the stored answer to an earlier request with the same idempotency key, so what it shows may be out of date. */
  readonly isReplayed: boolean;
}

export interface Transport extends AsyncDisposable {
  /**
   * @throws {ServiceUnreachableError} no response, or the circuit breaker is open
   * @throws {ServiceResponseError} a status other than 2xx
   */
  send(outgoing: Outgoing): Promise<Received>;
  /**
   * Opens a stream of server-sent events. The body ends when `signal` aborts, and fails after a minute of silence. Not
   * retried.
   *
   * @throws {ServiceUnreachableError} no response
   * @throws {ServiceResponseError} a status other than 2xx
   * @throws {ContractViolationError} a response that is not an event stream
   */
  open(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>;
  /** Removes the API key from untrusted text. */
  redact(text: string): string;
}

/** How long a call may take. */
interface Limit {
  readonly signal: AbortSignal;
  /** The same by `elapsedMs`. A write that reaches the service later changes nothing, if the service shows its clock. */
  readonly endsAtMs: number;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly etag: string | undefined;
  readonly isReplayed: boolean;
  readonly text: string;
}

/** @throws TypeError when the base address or the key is invalid */
export function createTransport(options: TransportOptions): Transport {
  const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, random = Math.random, now = () => new Date() } = options;
  const elapsedMs = options.elapsedMs ?? (() => performance.now());
  const sleep = options.sleep ?? ((delayMs, signal) => setTimeout(delayMs, undefined, { signal }));
  const { origin, prefix } = parseBaseUrl(options.baseUrl);
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('the API key is empty or contains a character that is not allowed in a header');
  }
  const dispatcher = options.dispatcher ?? createPool(timeoutMs);
  const closing = new AbortController();
  const breaker = createCircuitBreaker(elapsedMs);
  /** When the service's clock showed what, as far as it shows its clock; by `elapsedMs`. */
  let serviceClock: { readonly at: number; readonly readAtMs: number } | null = null;
  const redact = (text: string) => text.replaceAll(apiKey, '[redacted]');

  const headersFor = (accept: string, traceId: string) => ({
    accept,
    'accept-encoding': 'identity', // undici decodes nothing, and without this header any encoding may come (RFC 9110, 12.5.3)
    authorization: `Bearer ${apiKey}`,
    traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`, // W3C Trace Context; each attempt has its own span
  });

  async function attempt(
    outgoing: Outgoing,
    traceId: string,
    { signal, endsAtMs }: Limit,
    mayHaveHappened: boolean,
  ): Promise<Answer> {
    const call = `${outgoing.method} ${outgoing.path}`;
    let isSent = false;
    try {
      const exchanged = exchange(outgoing, traceId, { signal, endsAtMs }, () => (isSent = true));
      return await Promise.race([exchanged, rejectionOf(signal)]);
    } catch (error) {
      const cause = inspect(error, { depth: 10 }).includes(apiKey) ? {} : { cause: error };
      if (codeOf(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
        throw new ContractViolationError(`the response is longer than ${MAX_ANSWER_BYTES} bytes`, call, cause);
      }
      const reason = signal.aborted ? `within ${timeoutMs / 1_000} s` : `(${codeOf(error)})`;
      const effect = isSent || mayHaveHappened ? 'unknown' : 'not-sent';
      const ending = { call, effect, retryable: isRepeatable(outgoing) || !isSent, traceId } as const;
      throw new ServiceUnreachableError(`no response from ${origin} ${reason}`, ending, cause);
    }
  }

  async function exchange(
    outgoing: Outgoing,
    traceId: string,
    { signal, endsAtMs }: Limit,
    onSend: () => void,
  ): Promise<Answer> {
    const clock = outgoing.method === 'GET' ? null : serviceClock;
    const deadline = clock === null ? null : new Date(clock.at + endsAtMs - clock.readAtMs).toISOString();
    const response = await dispatcher.compose(watchSending(onSend)).request({
      origin,
      path: prefix + outgoing.path,
      method: outgoing.method,
      headers: {
        ...headersFor('application/json', traceId),
        ...(outgoing.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(outgoing.ifMatch === undefined ? {} : { 'if-match': outgoing.ifMatch }),
        ...(outgoing.idempotencyKey === undefined ? {} : { 'idempotency-key': outgoing.idempotencyKey }),
        ...(deadline === null ? {} : { 'tocsin-deadline': deadline }),
      },
      body: outgoing.body === undefined ? null : JSON.stringify(outgoing.body),
      signal,
    });
    const at = Date.parse(String(response.headers['tocsin-time']));
    serviceClock = Number.isNaN(at) ? serviceClock : { at, readAtMs: elapsedMs() };
    return readAnswer(response);
  }

  async function open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
    const outgoing: Outgoing = { method: 'GET', path };
    const traceId = randomBytes(16).toString('hex');
    const call = `GET ${path}`;
    const response = await dispatcher
      .request({
        origin,
        path: prefix + path,
        method: 'GET',
        headers: { ...headers, ...headersFor('text/event-stream', traceId) },
        headersTimeout: timeoutMs,
        bodyTimeout: SILENCE_MS,
        signal: AbortSignal.any([signal, closing.signal]),
      })
      .catch((error: unknown) => {
        const ending = { call, effect: 'unknown', retryable: true, traceId } as const;
        throw new ServiceUnreachableError(`no response from ${origin} (${codeOf(error)})`, ending);
      });
    if (response.statusCode !== 200) {
      bodyOf(outgoing, traceId, await readAnswer(response), false);
    }
    if (!/^text\/event-stream\b/i.test(String(response.headers['content-type']))) {
      await response.body.dump();
      throw new ContractViolationError('the response is not an event stream', call);
    }
    return Readable.toWeb(response.body) as ReadableStream<Uint8Array>;
  }

  function bodyOf(outgoing: Outgoing, traceId: string, answer: Answer, mayHaveHappened: boolean): Received {
    if (answer.status >= 200 && answer.status < 300) {
      return { text: answer.text, etag: answer.etag ?? null, isReplayed: answer.isReplayed };
    }
    if (outgoing.method === 'DELETE' && answer.status === 404 && mayHaveHappened) {
      return { text: '', etag: null, isReplayed: false }; // an earlier attempt already removed it
    }
    const retryAfterSeconds = parseRetryAfter(answer.retryAfter, now());
    const problem = readProblem(answer.status, answer.text, redact);
    throw new ServiceResponseError(answer.status, problem, retryAfterSeconds, {
      call: `${outgoing.method} ${outgoing.path}`,
      effect: answer.status >= 500 || KEY_IS_TAKEN.has(problem.code ?? '') ? 'unknown' : 'refused',
      retryable:
        answer.status === 429 ||
        MAY_BE_REPEATED.has(problem.code ?? '') ||
        (isRepeatable(outgoing) && (answer.status === 408 || answer.status >= 500)),
      traceId,
    });
  }

  async function callAnswered(outgoing: Outgoing): Promise<Received> {
    const traceId = randomBytes(16).toString('hex'); // one for all attempts
    const endsAtMs = elapsedMs() + timeoutMs;
    return withTimeout(timeoutMs, (signal) =>
      callWithRetries(
        async (mayHaveHappened) => {
          const answer = await attempt(outgoing, traceId, { signal, endsAtMs }, mayHaveHappened);
          return bodyOf(outgoing, traceId, answer, mayHaveHappened);
        },
        {
          remainingMs: () => endsAtMs - elapsedMs(),
          sleep: (delayMs) => sleep(delayMs, closing.signal),
          random,
        },
      ),
    );
  }

  return {
    async send(outgoing) {
      if (!breaker.admit()) {
        const ending = { call: `${outgoing.method} ${outgoing.path}`, effect: 'not-sent', retryable: true } as const;
        throw new ServiceUnreachableError(
          `no response from ${origin} to earlier calls; the circuit breaker is open`,
          ending,
        );
      }
      const answered = callAnswered(outgoing);
      answered.then(
        () => breaker.ended(true),
        (error: unknown) => breaker.ended(!isOutage(error)),
      );
      return answered;
    },
    open,
    redact,
    async [Symbol.asyncDispose]() {
      closing.abort();
      if (options.dispatcher === undefined) {
        await dispatcher.close();
      }
    },
  };
}

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Answer> {
  const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
  return {
    status: statusCode,
    retryAfter: first(headers['retry-after']),
    etag: first(headers.etag),
    isReplayed: first(headers['idempotent-replayed']) === 'true',
    text: await body.text(),
  };
}

function createPool(timeoutMs: number): Agent {
  return new Agent({
    connections: MAX_CONNECTIONS,
    // Half the time, so that a connection attempt without a reply leaves time for a retry.
    connect: { timeout: Math.ceil(timeoutMs / 2) },
    maxResponseSize: MAX_ANSWER_BYTES,
  });
}

function parseBaseUrl(baseUrl: string): { origin: string; prefix: string } {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('the base address of the incident service must be an http or https URL');
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** An error response is not an outage: the service may reject the key, or fail at one request only. */
function isOutage(error: unknown): boolean {
  return (
    error instanceof ServiceUnreachableError ||
    (error instanceof ServiceResponseError && [502, 503, 504].includes(error.status))
  );
}

/** An earlier request with this idempotency key is under way, or was carried out in another form. */
const KEY_IS_TAKEN: ReadonlySet<string> = new Set(['request-in-flight', 'idempotency-key-reused']);

/** The earlier request answers this one later, or this one took too long to arrive by the service's clock, which is now known. */
const MAY_BE_REPEATED: ReadonlySet<string> = new Set(['request-in-flight', 'request-expired']);

/** Reads and deletions are idempotent. */
function isRepeatable({ method }: Outgoing): boolean {
  return method === 'GET' || method === 'DELETE';
}

/** undici calls `onRequestStart` on an open connection, right before the first byte; until then nothing was sent. */
function watchSending(onSend: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      onSend();
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

/** Rejects at once on abort, because undici notices an abort only after it has connected. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
}
