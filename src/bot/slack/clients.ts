import type { Logger as BoltLogger } from '@slack/bolt';
import { type WebAPICallResult, WebClient, type WebClientOptions } from '@slack/web-api';
import { withTimeout } from '../../runtime/timeout.ts';
import type { Figures } from '../monitoring/counters.ts';
import { classifySlackFailure } from './errors.ts';
import type { SlackApi } from './methods.ts';

const TIMEOUT_MS = 5_000;

export type Fetch = NonNullable<WebClientOptions['fetch']>;

export interface SlackAddress {
  readonly apiUrl: string;
  readonly logger: BoltLogger;
  /** Absent: the machine's. */
  readonly fetch?: Fetch | undefined;
  /** Where the calls of the clients made here are counted; absent: nowhere. */
  readonly figures?: Pick<Figures, 'slackAnswered'>;
}

/** Every method of a client is a call of this one. */
class CountedClient extends WebClient {
  readonly #figures: SlackAddress['figures'];

  constructor(token: string, address: SlackAddress) {
    super(token, clientOptions(address));
    this.#figures = address.figures;
  }

  override async apiCall(method: string, options?: Record<string, unknown>): Promise<WebAPICallResult> {
    try {
      const result = await super.apiCall(method, options);
      this.#figures?.slackAnswered(method, 'ok');
      return result;
    } catch (error) {
      this.#figures?.slackAnswered(method, classifySlackFailure(error).kind);
      throw error;
    }
  }
}

/**
 * Options of a client whose calls end: each within five seconds, without waiting out a rate limit (which would hold up
 * every other call of that client) and without a blind repeat of what may have happened. A new object each time, since
 * the libraries write into it; no `headers`, since those would be shared between tokens.
 */
export function clientOptions(address: SlackAddress): WebClientOptions {
  return {
    slackApiUrl: address.apiUrl,
    logger: address.logger,
    timeout: 0, // of its own: `createSlackFetch` ends each call
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    fetch: createSlackFetch(address.apiUrl, address.fetch),
  };
}

/** A client of its own for each lane, so that the background never delays an answer to a person. */
export function createSlackApi(address: SlackAddress, token: string): SlackApi {
  return new CountedClient(token, address);
}

/** For `apps.connections.open`, whose token is another. */
export function createAppClient(address: SlackAddress, appToken: string): Pick<WebClient, 'apps'> {
  return new CountedClient(appToken, address);
}

/**
 * Every call has a time limit and goes only to the API or to where Slack takes answers. Bolt's `respond()` posts to an
 * address that came with a request and never reads the answer, which would keep the connection until the garbage
 * collector comes by: so it is read here.
 */
export function createSlackFetch(apiUrl: string, send: Fetch = fetch): Fetch {
  const allowed = allowedOrigins(apiUrl);
  return async (url, init) => {
    if (!allowed.has(new URL(url).origin)) {
      throw new Error('refused to send to an address that is not Slack');
    }
    return withTimeout(TIMEOUT_MS, async (signal) => {
      const response = await send(url, { ...init, redirect: 'error', signal });
      const { status, statusText } = response;
      const headers = new Headers([...response.headers.entries()]);
      return new Response((await response.text()) || null, { status, statusText, headers });
    });
  };
}

function allowedOrigins(apiUrl: string): ReadonlySet<string> {
  const { origin, host } = new URL(apiUrl);
  return new Set([origin, 'https://hooks.slack.com', `https://hooks.${host}`]);
}
