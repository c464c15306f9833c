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
/** Our service says something every 15 seconds, if only that there is nothing to say. */
const SILENCE_MS = 60_000;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The longest a call may take, its retries and the pauses between them included. */
  readonly timeoutMs?: number;
  /** Absent: an own keep-alive pool, closed with the transport. */
  readonly dispatcher?: Dispatcher;
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  readonly now?: () => Date;
  /** Milliseconds from any origin, which never go back. */
  readonly elapsedMs?: () => number;
}

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base address, with its query. */
  readonly path: string;
  readonly body?: unknown;
}

export interface Transport extends AsyncDisposable {
  /**
   * @returns the body of a 2xx
   * @throws {ServiceUnreachableError} no answer, or none to the calls before
   * @throws {ServiceResponseError} an answer other than 2xx
   */
  send(outgoing: Outgoing): Promise<string>;
  /**
   * Opens a stream of server-sent events. The body goes on until `signal` ends it, and fails when nothing has come for
   * a minute. Tried once.
   *
   * @throws {ServiceUnreachableError} no answer
   * @throws {ServiceResponseError} an answer other than 2xx
   * @throws {ContractViolationError} an answer that is no such stream
   */
  open(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>;
  /** Takes the API key out of a text that came from outside. */
  redact(text: string): string;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** @throws TypeError when the base address or the key cannot be used at all */
export function createTransport(options: TransportOptions): Transport {
  const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, random = Math.random, now = () => new Date() } = options;
  const elapsedMs = options.elapsedMs ?? (() => performance.now());
  const sleep = options.sleep ?? ((delayMs, signal) => setTimeout(delayMs, undefined, { signal }));
  const { origin, prefix } = parseBaseUrl(options.baseUrl);
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('the API key is empty or holds a character that no header can carry');
  }
  const dispatcher = options.dispatcher ?? createPool(timeoutMs);
  const closing = new AbortController();
  const breaker = createCircuitBreaker(elapsedMs);
  const redact = (text: string) => text.replaceAll(apiKey, '[redacted]');

  async function attempt(
    outgoing: Outgoing,
    traceId: string,
    signal: AbortSignal,
    mayHaveHappened: boolean,
  ): Promise<Answer> {
    const call = `${outgoing.method} ${outgoing.path}`;
    let isSent = false;
    try {
      return await Promise.race([exchange(outgoing, traceId, signal, () => (isSent = true)), rejectionOf(signal)]);
    } catch (error) {
      const cause = inspect(error, { depth: 10 }).includes(apiKey) ? {} : { cause: error };
      if (codeOf(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
        throw new ContractViolationError(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`, call, cause);
      }
      const reason = signal.aborted ? `within ${timeoutMs / 1_000} s` : `(${codeOf(error)})`;
      const outcome = isSent || mayHaveHappened ? 'unknown' : 'not-sent';
      const ending = { call, outcome, retryable: isRepeatable(outgoing) || !isSent, traceId } as const;
      throw new ServiceUnreachableError(`no answer from ${origin} ${reason}`, ending, cause);
    }
  }

  async function exchange(
    outgoing: Outgoing,
    traceId: string,
    signal: AbortSignal,
    onSend: () => void,
  ): Promise<Answer> {
    const response = await dispatcher.compose(watchSending(onSend)).request({
      origin,
      path: prefix + outgoing.path,
      method: outgoing.method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        ...traced(traceId),
        ...(outgoing.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: outgoing.body === undefined ? null : JSON.stringify(outgoing.body),
      signal,
    });
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
        headers: { ...headers, ...traced(traceId), accept: 'text/event-stream', authorization: `Bearer ${apiKey}` },
        headersTimeout: timeoutMs,
        bodyTimeout: SILENCE_MS,
        signal: AbortSignal.any([signal, closing.signal]),
      })
      .catch((error: unknown) => {
        const ending = { call, outcome: 'unknown', retryable: true, traceId } as const;
        throw new ServiceUnreachableError(`no answer from ${origin} (${codeOf(error)})`, ending);
      });
    if (response.statusCode !== 200) {
      bodyOf(outgoing, traceId, await readAnswer(response), false);
    }
    if (!/^text\/event-stream\b/i.test(String(response.headers['content-type']))) {
      await response.body.dump();
      throw new ContractViolationError('the answer is no stream of events', call);
    }
    return Readable.toWeb(response.body) as ReadableStream<Uint8Array>;
  }

  function bodyOf(outgoing: Outgoing, traceId: string, answer: Answer, mayHaveHappened: boolean): string {
    if (answer.status >= 200 && answer.status < 300) {
      return answer.text;
    }
    if (outgoing.method === 'DELETE' && answer.status === 404 && mayHaveHappened) {
      return ''; // an earlier attempt has removed it
    }
    const retryAfterSeconds = parseRetryAfter(answer.retryAfter, now());
    throw new ServiceResponseError(answer.status, readProblem(answer.status, answer.text, redact), retryAfterSeconds, {
      call: `${outgoing.method} ${outgoing.path}`,
      outcome: answer.status >= 500 ? 'unknown' : 'refused',
      retryable: answer.status === 429 || (isRepeatable(outgoing) && (answer.status === 408 || answer.status >= 500)),
      traceId,
    });
  }

  async function callAnswered(outgoing: Outgoing): Promise<string> {
    const traceId = randomBytes(16).toString('hex'); // one for all attempts
    const endsAtMs = elapsedMs() + timeoutMs;
    return withTimeout(timeoutMs, (signal) =>
      callWithRetries(
        async (mayHaveHappened) => {
          const answer = await attempt(outgoing, traceId, signal, mayHaveHappened);
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
        const ending = { call: `${outgoing.method} ${outgoing.path}`, outcome: 'not-sent', retryable: true } as const;
        throw new ServiceUnreachableError(
          `no answer from ${origin} to the calls before, so it is left alone for a moment`,
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

/** The header of W3C Trace Context: each attempt is a span of its own. */
function traced(traceId: string) {
  return { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
}

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Answer> {
  const retryAfter = headers['retry-after'];
  return {
    status: statusCode,
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    text: await body.text(),
  };
}

function createPool(timeoutMs: number): Agent {
  return new Agent({
    connections: MAX_CONNECTIONS,
    // Half the time, so that a connection that is swallowed leaves room for another try.
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

/** It says nothing of the service when it refuses our key or request, or fails at one of them. */
function isOutage(error: unknown): boolean {
  return (
    error instanceof ServiceUnreachableError ||
    (error instanceof ServiceResponseError && [502, 503, 504].includes(error.status))
  );
}

/** Reads and removals end in the same state however often they are made. */
function isRepeatable({ method }: Outgoing): boolean {
  return method !== 'POST';
}

/** undici calls `onRequestStart` once a connection stands, right before the first byte: until then nothing was sent. */
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

/** undici notices an abort only once it is connected; this notices it at once. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
}
