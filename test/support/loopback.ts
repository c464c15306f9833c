import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Loopback extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  /** Method and path of every request, oldest first, such as `GET /path?query`. */
  readonly requests: readonly string[];
  /** The bodies of the requests. */
  readonly bodies: readonly string[];
  readonly connectionCount: number;
}

/** A real HTTP server with a handler of the test. Disposing closes the port and all connections. */
export async function startLoopback(
  respond: (response: ServerResponse, request: IncomingMessage) => unknown,
): Promise<Loopback> {
  const requests: string[] = [];
  const bodies: string[] = [];
  let connectionCount = 0;
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    void text(request).then((body) => {
      bodies.push(body);
      respond(response, request);
    });
  });
  server.on('connection', () => {
    connectionCount += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bodies,
    get connectionCount() {
      return connectionCount;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
