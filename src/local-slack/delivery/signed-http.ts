import { Agent, request } from 'undici';
import type { Clock } from '../clock.ts';
import { LIMITS } from '../limits.ts';
import type { Ack, Delivery, Envelope, Retry } from './delivery.ts';
import { sign } from './signature.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** The app asked not to be sent this again. */
  readonly isFinal: boolean;
}

/** https://docs.slack.dev/apis/events-api, "Retries" */
const RETRY_REASONS: Readonly<Record<Retry['after'], string>> = {
  timeout: 'http_timeout',
  refused: 'http_error',
  unreachable: 'connection_failed',
};

export interface SignedHttp extends Delivery {
  /** What Slack does when a request URL is entered: the app must echo the challenge. */
  verifyUrl(): Promise<boolean>;
  /** Slack's now and then check of the certificate: 200 is all it wants. */
  sslCheck(): Promise<boolean>;
}

export function createSignedHttp(options: { requestUrl: string; signingSecret: string; clock: Clock }): SignedHttp {
  const agent = new Agent();

  async function post(contentType: string, body: string, retry?: Retry): Promise<Answer> {
    const timestamp = Math.floor(options.clock.now().getTime() / 1000);
    const deadline = new AbortController();
    const cancelDeadline = options.clock.after(LIMITS.ackMs, () => deadline.abort(new AckTimeout()));
    try {
      const response = await request(options.requestUrl, {
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

  return {
    async deliver(envelope) {
      try {
        const { status, isFinal, ...answer } = await post(...encode(envelope), envelope.retry);
        const isTaken = envelope.type === 'events_api' ? status >= 200 && status < 300 : status === 200;
        if (!isTaken) {
          return { kind: 'refused', status, isFinal };
        }
        return { kind: 'acked', body: readAckBody(answer.type, answer.text) };
      } catch (error) {
        return failedAck(error);
      }
    },
    async verifyUrl() {
      const challenge = 'local-slack-challenge';
      const answer = await post('application/json', JSON.stringify({ type: 'url_verification', challenge }));
      return answer.status === 200 && answer.text.includes(challenge);
    },
    async sslCheck() {
      const answer = await post('application/x-www-form-urlencoded', 'ssl_check=1');
      return answer.status === 200;
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy();
    },
  };
}

/** Content type (never with a charset: Slack sends none) and body. */
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
