import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import type { SocketMode } from './delivery/socket-mode.ts';
import { PortTakenError } from './errors.ts';

export interface LoopbackServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
}

const DRAIN_MS = 500;

/** Paths that an app calls. All others belong to the page. */
const APP_PATHS = /^\/(api|response|services|upload)\//;

export interface ServerDeps {
  readonly port: number;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly sockets: SocketMode | null;
  /** While true, connections of the app are cut. */
  readonly isAway: () => boolean;
  readonly now: () => Date;
  readonly logger: Logger;
}

/**
 * Listens on loopback only. Refuses a foreign `Host` (DNS rebinding) and a foreign `Origin` (the page of another site).
 *
 * @throws PortTakenError
 */
export async function listenOnLoopback(deps: ServerDeps): Promise<LoopbackServer> {
  const listener = getRequestListener(async (request) => {
    if (!isOurs(request.headers, port)) {
      return new Response('forbidden: wrong Host or Origin\n', { status: 403 });
    }
    try {
      return await deps.fetch(request);
    } catch (err) {
      deps.logger.error({ err }, 'a request failed');
      return Response.json({ ok: false, error: 'internal_error' }, { status: 500 });
    }
  });
  let isClosing = false;
  const server = createServer((request, response) => {
    if (deps.isAway() && APP_PATHS.test(request.url ?? '')) {
      request.socket.destroy();
      return;
    }
    response.setHeader('date', deps.now().toUTCString()); // apps compare their clock with it
    response.once('close', () => isClosing && setImmediate(() => server.closeIdleConnections()));
    void listener(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const headers = new Headers({ host: request.headers.host ?? '', origin: request.headers.origin ?? '' });
    if (deps.isAway() || !isOurs(headers, port) || !deps.sockets?.upgrade(request, socket, head)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
    }
  });

  await listen(server, deps.port);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      isClosing = true;
      deps.sockets?.cut();
      const closed = once(server, 'close');
      server.close(); // requests in flight may still finish
      const drainTimer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearTimeout(drainTimer);
    },
  };
}

/** Slack's Python SDK leaves the port out of the `Host` of a Socket Mode handshake. */
function isOurs(headers: Headers, port: number): boolean {
  const hosts = ['127.0.0.1', 'localhost', `127.0.0.1:${port}`, `localhost:${port}`];
  const origins = ['', `http://127.0.0.1:${port}`, `http://localhost:${port}`];
  return hosts.includes(headers.get('host') ?? '') && origins.includes(headers.get('origin') ?? '');
}

async function listen(server: Server, port: number): Promise<void> {
  const failed = once(server, 'error').then(([error]) => {
    throw error;
  });
  server.listen(port, '127.0.0.1');
  try {
    await Promise.race([once(server, 'listening'), failed]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new PortTakenError(port, { cause: error });
    }
    throw error;
  }
}
