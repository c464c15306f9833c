import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * How long a cut connection seems to live. In a network, both ends would give up by TCP's own timeouts, but here they talk
 * to the proxy, which still answers TCP.
 */
const GIVE_UP_MS = 5_000;

/** A connection to a port of this machine that can be cut like a network: nothing arrives any more, and nobody is told. */
export interface CuttableProxy extends AsyncDisposable {
  readonly port: number;
  cut(): void;
  /** Connections from before stay dead, as their ends have long given up. */
  restore(): void;
}

export async function startCuttableProxy(targetPort: number): Promise<CuttableProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const hanging = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (isCut) {
      hanging.add(client);
      setTimeout(() => client.resetAndDestroy(), GIVE_UP_MS).unref();
      return;
    }
    const target = connect(targetPort, '127.0.0.1');
    const pair = [client, target] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [target, client] as const]) {
      one
        .on('error', () => other.destroy())
        .on('close', () => {
          pairs.delete(pair);
          if (!isCut) {
            other.destroy();
          }
        });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function endAll(): void {
    for (const socket of [...hanging, ...[...pairs].flat()]) {
      socket.resetAndDestroy();
    }
    hanging.clear();
    pairs.clear();
  }

  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const [client, target] of pairs) {
        client.unpipe(target).pause();
        target.unpipe(client).pause();
      }
      setTimeout(endAll, GIVE_UP_MS).unref();
    },
    restore() {
      isCut = false;
      endAll();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      endAll();
      await closed;
    },
  };
}
