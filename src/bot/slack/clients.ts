import type { Logger as BoltLogger } from '@slack/bolt';
import { type WebAPICallResult, WebClient, type WebClientOptions } from '@slack/web-api';
import { withTimeout } from '../../runtime/timeout.ts';
import { traced } from '../../runtime/traced.ts';
import { classifySlackFailure, NotSlackError, type SlackFailure } from './errors.ts';
import type { SlackApi } from './methods.ts';
import type { SlackClock } from './slack-clock.ts';

const TIMEOUT_MS = 5_000;

export type Fetch = NonNullable<WebClientOptions['fetch']>;

export type CallOutcome = 'ok' | SlackFailure['kind'];

export interface SlackConnection {
  readonly apiUrl: string;
  readonly logger: BoltLogger;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  readonly now: () => Date;
  readonly clock: SlackClock;
  readonly onAnswered: (method: string, outcome: CallOutcome) => void;
}

/** Counts and traces every call, since all methods go through `apiCall`. */
class CountedClient extends WebClient {
  readonly #onAnswered: SlackConnection['onAnswered'];
  readonly #host: string;

  constructor(token: string, connection: SlackConnection) {
    super(token, clientOptions(connection));
    this.#onAnswered = connection.onAnswered;
    this.#host = new URL(connection.apiUrl).hostname;
  }

  override async apiCall(method: string, options?: Record<string, unknown>): Promise<WebAPICallResult> {
    const attributes = { 'server.address': this.#host, 'rpc.method': method };
    return traced({ name: `Slack ${method}`, kind: 'client', attributes }, async (span) => {
      try {
        const result = await super.apiCall(method, options);
        this.#onAnswered(method, 'ok');
        return result;
      } catch (error) {
        const failure = classifySlackFailure(error);
        this.#onAnswered(method, failure.kind);
        span.fail(failure.error);
        throw error;
      }
    });
  }
}

/**
 * Client options. Calls end within five seconds. The client does not wait out rate limits, which would delay its other
 * calls, and does not retry, because the call may have succeeded. Each call returns a new object, because the libraries
 * write into it. `headers` is not set, because it would be shared between tokens.
 */
export function clientOptions(connection: SlackConnection): WebClientOptions {
  return {
    slackApiUrl: connection.apiUrl,
    logger: connection.logger,
    timeout: 0, // `createSlackFetch` ends each call
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    fetch: createSlackFetch(connection),
  };
}

export function createSlackApi(connection: SlackConnection, token: string): SlackApi {
  return new CountedClient(token, connection);
}

/** For `apps.connections.open`, which takes the app-level token. */
export function createAppClient(connection: SlackConnection, appToken: string): Pick<WebClient, 'apps'> {
  return new CountedClient(appToken, connection);
}

/**
 * Wraps `fetch` with a timeout and allows only the addresses of the API, of `response_url`s and of uploads. Reads the whole body,
 * because Bolt's `respond()` does not, which would hold the connection until garbage collection.
 */
export function createSlackFetch({
  apiUrl,
  fetch: send = fetch,
  now,
  clock,
}: Pick<SlackConnection, 'apiUrl' | 'fetch' | 'now' | 'clock'>): Fetch {
  const allowed = allowedOrigins(apiUrl);
  return async (url, init) => {
    if (!allowed.has(new URL(url).origin)) {
      throw new NotSlackError();
    }
    return withTimeout(TIMEOUT_MS, async (signal) => {
      const sentAt = now();
      const response = await send(url, { ...init, redirect: 'error', signal });
      const { status, statusText } = response;
      const headers = new Headers([...response.headers.entries()]);
      clock.observe(headers.get('date'), sentAt, now());
      return new Response((await response.text()) || null, { status, statusText, headers });
    });
  };
}

function allowedOrigins(apiUrl: string): ReadonlySet<string> {
  const { origin, host } = new URL(apiUrl);
  return new Set([
    origin,
    'https://hooks.slack.com',
    `https://hooks.${host}`,
    'https://files.slack.com',
    `https://files.${host}`,
  ]);
}
