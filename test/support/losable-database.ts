import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { openDatabase } from '../../src/database/database.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { silentLogger } from './logger.ts';

export interface LosableDatabase extends TestDatabase {
  /** Cuts every connection, and refuses new ones. */
  lose(): void;
}

/** A throw-away database behind a wire that can be cut. */
export async function createLosableDatabase(): Promise<LosableDatabase> {
  await using stack = new AsyncDisposableStack();
  const real = stack.use(await createTestDatabase());
  const database = stack.use(await openLosableDatabase(real.url));
  const disposables = stack.move();
  return { ...database, [Symbol.asyncDispose]: () => disposables.disposeAsync() };
}

/** Opens a database that is there already through a wire of its own. */
export async function openLosableDatabase(realUrl: string): Promise<LosableDatabase> {
  await using stack = new AsyncDisposableStack();
  const target = addressOf(realUrl);
  const sockets = new Set<Socket>();
  const wire = createServer((socket) => {
    const server = connect(target);
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  const lose = () => {
    wire.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  stack.defer(lose);
  const url = new URL(realUrl);
  url.host = `127.0.0.1:${(wire.address() as AddressInfo).port}`;
  const database = stack.use(await openDatabase({ url: url.href, dataDir: '', logger: silentLogger }));
  const disposables = stack.move();
  return { ...database, url: url.href, lose, [Symbol.asyncDispose]: () => disposables.disposeAsync() };
}

function addressOf(databaseUrl: string): NetConnectOpts {
  const { hostname, port } = new URL(databaseUrl);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port || 5432}` } : { host, port: Number(port) || 5432 };
}
