import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Registry } from 'prom-client';
import type { Readiness, ReadinessCheck } from './contract/health.ts';

/** How long requests in flight may take to end when we stop, in milliseconds. */
const DRAIN_MS = 10_000;

/** What answers below each address; null or absent: that part is not up, or does not run here. */
export interface Tenants {
  /** `/v1` and `/dashboard` */
  service?: (request: Request) => Response | Promise<Response>;
  /** `/slack/` */
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
  const serve = createRouter(tenants);
  const server = createServer((request, response) => {
    // A kept-alive connection whose last request ends while we are closing would hold the process for seconds.
    response.once('close', () => server.listening || setImmediate(() => server.closeIdleConnections()));
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
    async [Symbol.asyncDispose]() {
      if (!server.listening) {
        return;
      }
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearTimeout(impatience);
    },
  };
}

function createRouter(tenants: Tenants): RequestListener {
  const serveService = getRequestListener((request) => tenants.service?.(request) ?? notHere());
  return (request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (path === '/healthz') {
      sendJson(response, 200, { alive: true });
    } else if (path === '/readyz') {
      void sendReadiness(response, tenants);
    } else if (path === '/metrics' && tenants.metrics) {
      void sendMetrics(response, tenants.metrics);
    } else if (path.startsWith('/slack/') && tenants.slack) {
      tenants.slack(request, response);
    } else if (path === '/') {
      response.writeHead(302, { location: '/dashboard' }).end();
    } else {
      void serveService(request, response);
    }
  };
}

async function sendReadiness(response: ServerResponse, { readiness }: Tenants): Promise<void> {
  const checks: readonly ReadinessCheck[] = readiness
    ? await readiness()
    : [{ name: 'start', ready: false, detail: 'still starting' }];
  const ready = checks.every((check) => check.ready);
  sendJson(response, ready ? 200 : 503, { ready, checks: [...checks] } satisfies Readiness);
}

async function sendMetrics(response: ServerResponse, registry: NonNullable<Tenants['metrics']>): Promise<void> {
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text);
  } catch {
    sendJson(response, 500, { title: 'Internal Server Error', status: 500, code: 'internal' });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(`${JSON.stringify(body)}\n`);
}

function notHere(): Response {
  return Response.json(
    { title: 'Not Found', status: 404, code: 'not-found', detail: 'nothing answers at this address of this process' },
    { status: 404, headers: { 'content-type': 'application/problem+json' } },
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
