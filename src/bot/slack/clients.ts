import type { Logger as BoltLogger } from '@slack/bolt';
import { type WebAPICallResult, WebClient, type WebClientOptions } from '@slack/web-api';
import { withTimeout } from '../../runtime/timeout.ts';
import { classifySlackFailure, type SlackFailure } from './errors.ts';
import type { SlackApi } from './methods.ts';
import type { SlackClock } from './slack-clock.ts';

const TIMEOUT_MS = 5_000;

export type Fetch = NonNullable<WebClientOptions['fetch']>;

export type CallOutcome = 'ok' | SlackFailure['kind'];

export interface SlackConnection {
  readonly apiUrl: string;
  readonly logger: BoltLogger;
  /** Absent: the machine's. */
  readonly fetch?: Fetch | undefined;
  readonly now: () => Date;
  readonly clock: SlackClock;
  readonly onAnswered: (method: string, outcome: CallOutcome) => void;
}

/** All methods of the client go through this one. */
class CountedClient extends WebClient {
  readonly #onAnswered: SlackConnection['onAnswered'];

  constructor(token: string, connection: SlackConnection) {
    super(token, clientOptions(connection));
    this.#onAnswered = connection.onAnswered;
  }

  override async apiCall(method: string, options?: Record<string, unknown>): Promise<WebAPICallResult> {
    try {
      const result = await super.apiCall(method, options);
      this.#onAnswered(method, 'ok');
      return result;
    } catch (error) {
      this.#onAnswered(method, classifySlackFailure(error).kind);
      throw error;
    }
  }
}

/**
 * Options of a client whose calls end within five seconds. It neither waits out rate limits, which would hold up its
 * other calls, nor repeats blindly what may have happened. A new object each time, because the libraries write into it;
 * no `headers`, because those would be shared between tokens.
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
 * Every call has a time limit and goes only to the API or to where Slack takes responses. The body is read here, because
 * Bolt's `respond()` never reads it, which would keep the connection until the garbage collector runs.
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
      throw new Error('refused to send to an address that is not Slack');
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
  return new Set([origin, 'https://hooks.slack.com', `https://hooks.${host}`]);
}
