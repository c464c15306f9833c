import type { IncomingMessage, ServerResponse } from 'node:http';
import { type App, type Logger as BoltLogger, HTTPReceiver } from '@slack/bolt';
import type { Intake } from './inbound.ts';
import { type BotReceiver, stopReceiver } from './receiver.ts';

const ENDPOINT = '/slack/events';
const BODY_LIMIT_BYTES = 1024 * 1024;

/** Clocks differ a little; Bolt itself refuses what is older than five minutes and takes any time to come. */
const FUTURE_TOLERANCE_MS = 60_000;

/** Signed HTTP, as a request listener for the front server; no server of its own. */
export function createHttpReceiver(options: {
  signingSecret: string;
  intake: Intake;
  logger: BoltLogger;
  now: () => Date;
}): BotReceiver {
  const { intake } = options;
  const http = new HTTPReceiver({
    signingSecret: options.signingSecret,
    endpoints: ENDPOINT,
    bodyLimit: BODY_LIMIT_BYTES,
    logger: options.logger,
  });

  function listen(request: IncomingMessage, response: ServerResponse): void {
    const status = refusalOf(request);
    if (status !== null) {
      request.resume(); // unread, the rest of the body would reset the connection before the answer arrives
      response.writeHead(status).end();
      return;
    }
    // Bolt compares the whole header with the bare media type, and some senders add a charset.
    request.headers['content-type'] = request.headers['content-type']?.split(';')[0]?.trim();
    http.requestListener(request, response);
  }

  /** The status to refuse a request with before Bolt looks at it; null: it may. */
  function refusalOf(request: IncomingMessage): number | null {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== ENDPOINT) {
      return 404;
    }
    if (request.method !== 'POST') {
      return 405;
    }
    if (!intake.isOpen()) {
      return 503;
    }
    if (Number(request.headers['content-length']) > BODY_LIMIT_BYTES) {
      return 413;
    }
    const sentAtMs = Number(request.headers['x-slack-request-timestamp']) * 1_000;
    return sentAtMs > options.now().getTime() + FUTURE_TOLERANCE_MS ? 401 : null;
  }

  return {
    requestListener: listen,
    init(app: App) {
      http.init(intakeAsApp(app, intake));
    },
    async start() {},
    isConnected: () => intake.isOpen(),
    openSockets: null,
    stop: () => stopReceiver(intake, async () => undefined),
  };
}

/** Bolt's receivers use nothing of an app but `processEvent`, which goes through the intake here. */
export function intakeAsApp(app: App, intake: Intake): App {
  return new Proxy(app, {
    get: (target, key) =>
      key === 'processEvent' ? intake.processEvent.bind(intake) : Reflect.get(target, key, target),
  });
}
