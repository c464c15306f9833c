import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Registry } from 'prom-client';
import type { Readiness, ReadinessCheck } from './contract/health.ts';

/** How long requests in flight may take to end when we stop, in milliseconds. */
const DRAIN_MS = 10_000;

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

/** What answers below each address; absent: that part is not up, or does not run here. */
export interface Tenants {
  /** `/v1`, `/v2/enqueue` and `/dashboard` */
  service?: (request: Request) => Response | Promise<Response>;
  /** `/slack/`; absent: the bot is starting; null: it does not take requests here. */
  slack?: RequestListener | null;
  /** Everything that must work before we can do our job. */
  readiness?: () => Promise<readonly ReadinessCheck[]>;
  /** `/metrics`: open to whoever reaches the port, like `/healthz`. */
  metrics?: Pick<Registry, 'contentType' | 'metrics'>;
}

/** The one port of the process. It listens before its tenants have moved in, so that `/readyz` can tell about them. */
export interface FrontDoor extends AsyncDisposable {
  /** `http://host:port`, with the port that was really taken. */
  readonly url: string;
  readonly tenants: Tenants;
  /**
   * From now on `/readyz` tells a balancer to send nobody here. Whoever comes is still served, for our own parts need
   * each other to finish, but keeps no connection. Leaving the scope then refuses what is new with 503, waits for what
   * is in flight, and closes.
   */
  announceStop(): void;
}

/** The message is one sentence for the operator. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

/**
 * @param port 0 for any free one
 * @throws {PortTakenError} when the port or the host cannot be had
 */
export async function openFrontDoor(host: string, port: number): Promise<FrontDoor> {
  const tenants: Tenants = {};
  const inFlight = createInFlight();
  let phase: 'open' | 'stopping' | 'closing' = 'open';
  const answerHealth = createHealth(tenants, () => phase !== 'open');
  const serve = createRouter(tenants);
  const server = createServer((request, response) => {
    if (phase !== 'open') {
      response.setHeader('connection', 'close');
    }
    if (answerHealth(request, response)) {
      return;
    }
    if (phase === 'closing') {
      request.resume();
      sendJson(response, 503, STOPPING, { 'content-type': PROBLEM, 'retry-after': RETRY_AFTER_SECONDS });
      return;
    }
    inFlight.add(response);
    serve(request, response);
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw new PortTakenError(describeListenFault(error, host, port), { cause: error });
  }
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${reachableHost(host)}:${taken}`,
    tenants,
    announceStop() {
      phase = 'stopping';
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) {
        return;
      }
      phase = 'closing';
      await inFlight.ended(DRAIN_MS);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The answers that are not over yet. */
function createInFlight() {
  let count = 0;
  let ended = Promise.withResolvers<void>();
  return {
    add(response: ServerResponse): void {
      count += 1;
      response.once('close', () => {
        count -= 1;
        if (count === 0) {
          ended.resolve();
          ended = Promise.withResolvers<void>();
        }
      });
    },
    /** Resolves when all are over, or after so many milliseconds. */
    async ended(atMostMs: number): Promise<void> {
      if (count > 0) {
        const impatience = setTimeout(ended.resolve, atMostMs);
        await ended.promise;
        clearTimeout(impatience);
      }
    },
  };
}

/** What is said of the process itself, whatever its state. @returns whether the request asked for it */
function createHealth(tenants: Tenants, isStopping: () => boolean) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    switch (pathOf(request)) {
      case '/healthz':
        sendJson(response, 200, { alive: true });
        return true;
      case '/readyz':
        void sendReadiness(response, isStopping() ? () => Promise.resolve([IS_STOPPING]) : tenants.readiness);
        return true;
      case '/metrics':
        void sendMetrics(response, tenants.metrics);
        return true;
      default:
        return false;
    }
  };
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] ?? '/';
}

function createRouter(tenants: Tenants): RequestListener {
  const serveService = getRequestListener((request) => tenants.service?.(request) ?? notHere());
  return (request, response) => {
    const path = pathOf(request);
    if (path.startsWith('/slack/') && tenants.slack !== null) {
      // Slack tries a 503 again; it gives up at a 404.
      (tenants.slack ?? refuseForNow)(request, response);
    } else if (path === '/') {
      response.writeHead(302, { location: '/dashboard' }).end();
    } else {
      void serveService(request, response);
    }
  };
}

function refuseForNow(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  sendJson(response, 503, STARTING, { 'content-type': PROBLEM, 'retry-after': RETRY_AFTER_SECONDS });
}

async function sendReadiness(response: ServerResponse, readiness: Tenants['readiness']): Promise<void> {
  const checks: readonly ReadinessCheck[] = readiness
    ? await readiness()
    : [{ name: 'start', ready: false, detail: 'still starting' }];
  const ready = checks.every((check) => check.ready);
  sendJson(response, ready ? 200 : 503, { ready, checks: [...checks] } satisfies Readiness);
}

async function sendMetrics(response: ServerResponse, registry: Tenants['metrics']): Promise<void> {
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
    { title: 'Not Found', status: 404, code: 'not-found', detail: 'nothing answers at this address of this process' },
    { status: 404, headers: { 'content-type': PROBLEM } },
  );
}

/** An address to give to people and programs of this machine: nobody can connect to 0.0.0.0. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') {
    return '127.0.0.1';
  }
  return host.includes(':') ? `[${host}]` : host;
}

function describeListenFault(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is taken by another program: stop it, or set PORT to a free one`;
    case 'EACCES':
      return `port ${port} may not be used by this user: set PORT to one above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST ${host} is no address of this machine: set it to 127.0.0.1, or to 0.0.0.0 for all`;
    default:
      return `cannot listen on ${host}:${port}: check HOST and PORT (${String(code ?? error)})`;
  }
}
