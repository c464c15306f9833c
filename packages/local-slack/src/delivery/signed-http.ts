import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import type { Clock } from '../clock.ts';
import { LIMITS } from '../limits.ts';
import { VERIFICATION_TOKEN } from '../workspace/seed.ts';
import type { Ack, Delivery, Envelope, Retry } from './delivery.ts';
import type { RequestUrls } from './request-urls.ts';
import { sign } from './signature.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** The app asked for no retry. */
  readonly isFinal: boolean;
}

/** https://docs.slack.dev/apis/events-api, section "Retries" */
const RETRY_REASONS: Readonly<Record<Retry['after'], string>> = {
  timeout: 'http_timeout',
  refused: 'http_error',
  unreachable: 'connection_failed',
};

export interface SignedHttp extends Delivery {
  /** Slack's check of a new request URL for events: the app has to echo a challenge. */
  verifyUrl(url: string): Promise<boolean>;
  /** Slack's periodic check of the certificate. It expects status 200. */
  sslCheck(url: string): Promise<boolean>;
}

export function createSignedHttp(options: {
  urls: RequestUrls;
  signingSecret: string;
  clock: Clock;
  logger: Logger;
}): SignedHttp {
  const agent = new Agent();
  let isVerified = false;

  async function post(url: string, contentType: string, body: string, retry?: Retry): Promise<Answer> {
    const timestamp = Math.floor(options.clock.now().getTime() / 1000);
    const deadline = new AbortController();
    const cancelDeadline = options.clock.after(LIMITS.ackMs, () => deadline.abort(new AckTimeout()));
    try {
      const response = await request(url, {
        method: 'POST',
        body,
        headers: {
          'content-type': contentType,
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          'x-slack-request-timestamp': String(timestamp),
          'x-slack-signature': sign(options.signingSecret, timestamp, body),
          ...(retry && {
            'x-slack-retry-num': String(retry.attempt),
            'x-slack-retry-reason': RETRY_REASONS[retry.after],
          }),
        },
        dispatcher: agent,
        signal: deadline.signal,
      });
      const type = String(response.headers['content-type'] ?? '');
      return {
        status: response.statusCode,
        type,
        text: await response.body.text(),
        isFinal: response.headers['x-slack-no-retry'] === '1',
      };
    } finally {
      cancelDeadline();
    }
  }

  async function verifyUrl(url: string): Promise<boolean> {
    const challenge = randomUUID();
    const body = JSON.stringify({ token: VERIFICATION_TOKEN, challenge, type: 'url_verification' });
    const answer = await post(url, 'application/json', body);
    return answer.status === 200 && answer.text.includes(challenge);
  }

  /** A request URL gets no events before it has echoed a challenge. */
  async function mayReceive(envelope: Envelope): Promise<boolean> {
    if (envelope.type !== 'events_api' || options.urls.events === null || isVerified) {
      return true;
    }
    isVerified = await verifyUrl(options.urls.events);
    if (!isVerified) {
      options.logger.warn('the request URL for events did not echo the challenge: no event is sent to it');
    }
    return isVerified;
  }

  return {
    async deliver(envelope) {
      const url = options.urls.of(envelope);
      if (url === null) {
        return { kind: 'unreachable' };
      }
      try {
        if (!(await mayReceive(envelope))) {
          return { kind: 'unreachable' };
        }
        const { status, isFinal, ...answer } = await post(url, ...encode(envelope), envelope.retry);
        const isAcked = envelope.type === 'events_api' ? status >= 200 && status < 300 : status === 200;
        if (!isAcked) {
          return { kind: 'refused', status, isFinal };
        }
        return { kind: 'acked', body: readAckBody(answer.type, answer.text) };
      } catch (error) {
        return failedAck(error);
      }
    },
    verifyUrl,
    async sslCheck(url) {
      const body = new URLSearchParams({ ssl_check: '1', token: VERIFICATION_TOKEN }).toString();
      const answer = await post(url, 'application/x-www-form-urlencoded', body);
      return answer.status === 200;
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy();
    },
  };
}

/** Returns the content type and the body. Slack sends no charset, and Bolt refuses a form with one. */
function encode({ type, payload }: Envelope): [string, string] {
  if (type === 'events_api') {
    return ['application/json', JSON.stringify(payload)];
  }
  const fields: Record<string, string> =
    type === 'interactive'
      ? { payload: JSON.stringify(payload) }
      : Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
  return ['application/x-www-form-urlencoded', new URLSearchParams(fields).toString()];
}

function readAckBody(contentType: string, text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') {
    return null;
  }
  if (!contentType.startsWith('application/json')) {
    return { text };
  }
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : { text: String(body) };
  } catch {
    return { text };
  }
}

class AckTimeout extends Error {}

function failedAck(error: unknown): Ack {
  return { kind: error instanceof AckTimeout ? 'timeout' : 'unreachable' };
}
