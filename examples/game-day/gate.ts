import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** A proxy in front of a server. While it is closed, clients of the proxy cannot reach the server. */
export interface Gate extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  closeFor(seconds: number): void;
}

/** @param target address of a server on this machine */
export async function openGate(target: string): Promise<Gate> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isClosed = false;
  const server = createServer((visitor) => {
    if (isClosed) {
      visitor.destroy();
      return;
    }
    const behind = connect(Number(port), hostname);
    sockets.add(visitor);
    visitor.once('close', () => sockets.delete(visitor));
    pipeline(visitor, behind, visitor, () => {}); // a broken connection ends both halves
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function cut(): void {
    for (const socket of sockets) {
      socket.destroy();
    }
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closeFor(seconds) {
      isClosed = true;
      cut();
      setTimeout(() => {
        isClosed = false;
      }, seconds * 1_000).unref();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
