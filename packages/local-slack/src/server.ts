import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import type { SocketMode } from './delivery/socket-mode.ts';
import { LocalSlackStartError } from './errors.ts';

export interface LoopbackServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
}

const DRAIN_MS = 500;

/** What an app calls; the rest is for the people at the page. */
const FOR_APPS = /^\/(api|response|upload)\//;

export interface ServerDeps {
  readonly port: number;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly sockets: SocketMode | null;
  /** While true no app gets an answer: its connections are cut. */
  readonly isAway: () => boolean;
  readonly logger: Logger;
}

/**
 * Listens on loopback only, and only for who came here on purpose: a Host that is not ours (DNS rebinding) and an
 * Origin that is not ours (another site's page) are refused.
 *
 * @throws LocalSlackStartError when the port is taken
 */
export async function listenOnLoopback(deps: ServerDeps): Promise<LoopbackServer> {
  const listener = getRequestListener(async (request) => {
    if (!isOurs(request.headers, port)) {
      return new Response('this is not the way in\n', { status: 403 });
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
    if (deps.isAway() && FOR_APPS.test(request.url ?? '')) {
      request.socket.destroy();
      return;
    }
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
      server.close(); // lets the answers under way finish
      const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearTimeout(impatience);
    },
  };
}

function isOurs(headers: Headers, port: number): boolean {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const origin = headers.get('origin') ?? '';
  return (
    hosts.includes(headers.get('host') ?? '') && (origin === '' || hosts.some((host) => origin === `http://${host}`))
  );
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
      throw new LocalSlackStartError(
        `port ${port} is taken, so local Slack cannot listen there: stop what uses it or set LOCAL_SLACK_PORT to a free port`,
        { cause: error },
      );
    }
    throw error;
  }
}
