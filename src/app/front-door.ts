import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Registry } from 'prom-client';
import { clientAddressOf, listProxies } from '../config/client-address.ts';
import { addressOf } from '../config/front-door-address.ts';
import type { Readiness, ReadinessCheck } from '../contract/health.ts';
import { withoutPublicPath } from '../service/http/public-path.ts';
import { SECURITY_HEADERS } from '../service/http/security-headers.ts';
import { listenFault } from './listen-fault.ts';

/** Limit for requests in flight to finish during shutdown. */
const DRAIN_MS = 10_000;

/** Balancers keep idle connections for up to 60 s. If we closed one first, they could send a request into it. */
const CONNECTIONS = { keepAliveTimeout: 65_000, headersTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/**
 * Time for clients to close connections that were told to. A request that arrives meanwhile gets 503, not a reset.
 */
const LINGER_MS = 2_000;

const RETRY_AFTER_SECONDS = '2';
const PROBLEM = 'application/problem+json';

const IS_STOPPING: ReadinessCheck = { name: 'process', ready: false, detail: 'stopping' };
const STOPPING = {
  title: 'Service Unavailable',
  status: 503,
  code: 'stopping',
  detail: 'this process is stopping; try again',
};

const STARTING = {
  title: 'Service Unavailable',
  status: 503,
  code: 'starting',
  detail: 'this process is starting; try again',
};

const AMBIGUOUS_HOST = {
  title: 'Bad Request',
  status: 400,
  code: 'invalid-request',
  detail: 'the request has more than one Host header',
};

const ONLY_READ = {
  title: 'Method Not Allowed',
  status: 405,
  code: 'method-not-allowed',
  detail: 'this address is only read',
};

/** The handlers of the parts, by path. Absent: the part has not started yet or does not run in this process. */
export interface Handlers {
  /** `/v1`, `/v2/enqueue` and `/dashboard`; absent: the service is starting; null: none runs in this process. */
  service?: ((request: Request, from: RequestOrigin) => Response | Promise<Response>) | null;
  /** `/slack/`; absent: the bot is starting; null: no bot runs in this process. */
  slack?: RequestListener | null;
  /** The checks of `/readyz`. */
  readiness?: () => Promise<readonly ReadinessCheck[]>;
  /** What `/healthz/work` says; null: everything works. */
  findProblem?: () => Promise<string | null>;
  /** `/metrics`; no authentication, like `/healthz`. */
  metrics?: Pick<Registry, 'contentType' | 'metrics'>;
}

/** Where a request came from. */
export interface RequestOrigin {
  /** Address of the client, or of the first untrusted proxy. Absent: the connection is closed. */
  readonly address?: string;
}

/** The HTTP server of the process. It listens before the parts have started, so that `/readyz` can report on them. */
export interface FrontDoor extends AsyncDisposable {
  /** `http://host:port`, with the actual port. */
  readonly url: string;
  readonly handlers: Handlers;
  /**
   * Makes `/readyz` fail, so that a load balancer stops sending requests. Requests are still served, without keep-alive,
   * because Tocsin's own parts need each other to finish. Disposing then rejects new requests with 503, waits for the
   * requests in flight, and closes.
   */
  announceStop(): void;
}

/**
 * @param port 0 for any free one
 * @param trustedProxies addresses and ranges whose `X-Forwarded-For` is believed
 * @param publicPath that a proxy in front may leave before the paths above, see `publicPathOf`
 * @throws {PortTakenError} when the server cannot listen on the port or host
 */
export async function openFrontDoor(
  host: string,
  port: number,
  trustedProxies: readonly string[] = [],
  publicPath = '',
): Promise<FrontDoor> {
  const handlers: Handlers = {};
  const inFlight = createOpen<ServerResponse>();
  let phase: 'open' | 'stopping' | 'closing' = 'open';
  const answerHealth = createHealth(handlers, () => phase !== 'open');
  const serve = createRouter(handlers, trustedProxies, publicPath);
  const connections = createOpen<Socket>();
  const server = createServer(CONNECTIONS, (request, response) => {
    request.url = withoutPublicPath(request.url ?? '/', publicPath);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      response.setHeader(name, value);
    }
    if (phase !== 'open') {
      response.setHeader('connection', 'close');
    }
    if ((request.headersDistinct.host ?? []).length > 1) {
      refuse(request, response, AMBIGUOUS_HOST); // RFC 9112, 3.2: a proxy may have looked at the other one
      return;
    }
    if (answerHealth(request, response)) {
      return;
    }
    if (phase === 'closing') {
      refuse(request, response, STOPPING);
      return;
    }
    inFlight.add(response);
    serve(request, response);
  });
  server.on('connection', (socket) => connections.add(socket));
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw listenFault(error, { host, port, setting: 'PORT' });
  }
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: addressOf(host, taken),
    handlers,
    announceStop() {
      phase = 'stopping';
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) {
        return;
      }
      const wasAnnounced = phase === 'stopping';
      phase = 'closing';
      await inFlight.ended(DRAIN_MS);
      if (wasAnnounced) {
        await connections.ended(LINGER_MS);
      }
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Counts connections or responses until they emit `close`. */
function createOpen<Item extends { once(event: 'close', listener: () => void): unknown }>() {
  let count = 0;
  let ended = Promise.withResolvers<void>();
  return {
    add(item: Item): void {
      count += 1;
      item.once('close', () => {
        count -= 1;
        if (count === 0) {
          ended.resolve();
          ended = Promise.withResolvers<void>();
        }
      });
    },
    /** Resolves when all have ended, or after `atMostMs`. */
    async ended(atMostMs: number): Promise<void> {
      if (count > 0) {
        const timeout = setTimeout(ended.resolve, atMostMs);
        await ended.promise;
        clearTimeout(timeout);
      }
    },
  };
}

/** Serves `/healthz`, `/healthz/work`, `/readyz` and `/metrics` in every phase. @returns whether the request was for one of them */
function createHealth(handlers: Handlers, isStopping: () => boolean) {
  const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    '/healthz': (response) => sendJson(response, 200, { alive: true }),
    '/readyz': (response) =>
      sendReadiness(response, isStopping() ? () => Promise.resolve([IS_STOPPING]) : handlers.readiness),
    '/healthz/work': (response) => sendWork(response, handlers.findProblem),
    '/metrics': (response) => sendMetrics(response, handlers.metrics),
  };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = pathOf(request);
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (answer !== undefined && (request.method === 'GET' || request.method === 'HEAD')) {
      void answer(response);
    } else if (answer !== undefined) {
      refuse(request, response, ONLY_READ, { allow: 'GET, HEAD' });
    }
    return answer !== undefined;
  };
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] ?? '/';
}

function createRouter(handlers: Handlers, trustedProxies: readonly string[], publicPath: string): RequestListener {
  const proxies = listProxies(trustedProxies);
  const serveService = getRequestListener((request, { incoming }) => {
    const peer = incoming.socket.remoteAddress;
    const forwardedFor = request.headers.get('x-forwarded-for') ?? undefined;
    const from = peer === undefined ? {} : { address: clientAddressOf(peer, forwardedFor, proxies) };
    return handlers.service?.(request, from) ?? notHere();
  });
  return (request, response) => {
    const path = pathOf(request);
    const part = path.startsWith('/slack/') && handlers.slack !== null ? 'slack' : 'service';
    if (path === '/') {
      response.writeHead(302, { location: `${publicPath}/dashboard` }).end();
    } else if (handlers[part] === undefined) {
      refuse(request, response, STARTING); // Slack and senders of telemetry retry after a 503 but not after a 404
    } else if (part === 'slack') {
      handlers.slack?.(request, response);
    } else {
      void serveService(request, response);
    }
  };
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  problem: { readonly status: number },
  headers: Readonly<Record<string, string>> = problem.status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {},
): void {
  request.resume();
  sendJson(response, problem.status, problem, { 'content-type': PROBLEM, ...headers });
}

async function sendReadiness(response: ServerResponse, readiness: Handlers['readiness']): Promise<void> {
  const checks: readonly ReadinessCheck[] = readiness
    ? await readiness()
    : [{ name: 'start', ready: false, detail: 'still starting' }];
  const ready = checks.every((check) => check.ready);
  sendJson(response, ready ? 200 : 503, { ready, checks: [...checks] } satisfies Readiness);
}

/** For monitors, not for balancers: what does not work here would not work elsewhere either. */
async function sendWork(response: ServerResponse, findProblem: Handlers['findProblem']): Promise<void> {
  const unknown = () => 'it cannot be read whether everything works';
  const detail = findProblem === undefined ? 'still starting' : await findProblem().catch(unknown);
  const check = { name: 'work', ready: detail === null, ...(detail === null ? {} : { detail }) };
  sendJson(response, detail === null ? 200 : 503, { ready: check.ready, checks: [check] } satisfies Readiness);
}

async function sendMetrics(response: ServerResponse, registry: Handlers['metrics']): Promise<void> {
  try {
    const text = (await registry?.metrics()) ?? '';
    response
      .writeHead(200, { 'content-type': registry?.contentType ?? 'text/plain', 'cache-control': 'no-store' })
      .end(text);
  } catch {
    sendJson(response, 500, { title: 'Internal Server Error', status: 500, code: 'internal' });
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
    .end(`${JSON.stringify(body)}\n`);
}

function notHere(): Response {
  return Response.json(
    { title: 'Not Found', status: 404, code: 'not-found', detail: 'this process serves nothing at this address' },
    { status: 404, headers: { 'content-type': PROBLEM } },
  );
}
