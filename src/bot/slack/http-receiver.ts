import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { type App, type Logger as BoltLogger, HTTPReceiver } from '@slack/bolt';
import { z } from 'zod';
import { type BotReceiver, stopReceiver } from './receiver.ts';
import { asApp, type Requests } from './requests.ts';

const ENDPOINT = '/slack/events';
const BODY_LIMIT_BYTES = 1024 * 1024;

/** Tolerance for clock skew. Bolt rejects requests older than five minutes, but accepts any time in the future. */
const FUTURE_TOLERANCE_MS = 60_000;

/** Receives signed HTTP requests, as a request listener for the front door. */
export function createHttpReceiver(options: {
  signingSecret: string;
  requests: Requests;
  logger: BoltLogger;
  now: () => Date;
}): BotReceiver {
  const { requests } = options;
  const http = new HTTPReceiver({
    signingSecret: options.signingSecret,
    endpoints: ENDPOINT,
    bodyLimit: BODY_LIMIT_BYTES,
    logger: options.logger,
  });

  async function listen(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const status = refusalOf(request);
    if (status !== null) {
      request.resume(); // an unread body would reset the connection before the response arrives
      response.writeHead(status, status === 503 ? { 'retry-after': '2' } : {}).end();
      return;
    }
    const rawBody = await readBody(request);
    if (rawBody === null || !isPayload(rawBody, request.headers['content-type'])) {
      response.writeHead(rawBody === null ? 413 : 400).end();
      return;
    }
    // Bolt compares the whole header with the media type, but some senders add a charset.
    request.headers['content-type'] = mediaTypeOf(request.headers['content-type']);
    http.requestListener(Object.assign(request, { rawBody }), response);
  }

  /** @returns the status for rejecting the request before its body is read; null: accept */
  function refusalOf(request: IncomingMessage): number | null {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== ENDPOINT) {
      return 404;
    }
    if (request.method !== 'POST') {
      return 405;
    }
    if (!requests.isOpen()) {
      return 503;
    }
    if (Number(request.headers['content-length']) > BODY_LIMIT_BYTES) {
      return 413;
    }
    const sentAtMs = Number(request.headers['x-slack-request-timestamp']) * 1_000;
    return sentAtMs > options.now().getTime() + FUTURE_TOLERANCE_MS ? 401 : null;
  }

  return {
    requestListener: (request, response) => {
      listen(request, response).catch(() => response.destroy()); // the sender disconnected
    },
    init(app: App) {
      http.init(asApp(app, requests));
    },
    async start() {},
    isConnected: () => requests.isOpen(),
    openSockets: null,
    stop: () => stopReceiver(requests, async () => undefined),
  };
}

/**
 * Reads a body to its end even if it is too long: an unread body would reset the connection before the response.
 *
 * @returns null: the body is too long
 */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= BODY_LIMIT_BYTES) {
      chunks.push(chunk);
    }
  });
  await finished(request);
  return length > BODY_LIMIT_BYTES ? null : Buffer.concat(chunks);
}

function mediaTypeOf(contentType: string | undefined): string | undefined {
  return contentType?.split(';')[0]?.trim();
}

const Named = z.looseObject({ id: z.string() });

/**
 * The fields that Bolt reads before it calls a listener. It would throw where they are null or missing, and Slack would
 * deliver the request again.
 */
const Payload = z.looseObject({
  event: z.looseObject({ type: z.string() }).optional(),
  actions: z.array(z.looseObject({})).min(1).optional(),
});
const FORMS: ReadonlySet<unknown> = new Set(['view_submission', 'view_closed']);
const Form = z.looseObject({ view: z.looseObject({ id: z.string(), callback_id: z.string() }), user: Named });

/** Whether the signed body has the shape of a request of Slack. */
function isPayload(body: Buffer, contentType: string | undefined): boolean {
  const text = body.toString('utf8');
  if (mediaTypeOf(contentType) !== 'application/x-www-form-urlencoded') {
    return isRequest(text);
  }
  const payload = new URLSearchParams(text).get('payload');
  return payload === null || isRequest(payload);
}

function isRequest(text: string): boolean {
  try {
    const payload = Payload.parse(JSON.parse(text));
    return !FORMS.has(payload.type) || Form.safeParse(payload).success;
  } catch {
    return false;
  }
}
