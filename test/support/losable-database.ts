import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { openDatabase } from '../../src/database/database.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { silentLogger } from './logger.ts';

export interface LosableDatabase extends TestDatabase {
  /** Closes every connection and rejects new ones. */
  lose(): void;
  /** Simulates that the client process is killed: sent statements are executed, but it gets no results. */
  abandon(): void;
}

/** Creates a database behind a proxy that can be disconnected. */
export async function createLosableDatabase(): Promise<LosableDatabase> {
  await using stack = new AsyncDisposableStack();
  const real = stack.use(await createTestDatabase());
  const database = stack.use(await openLosableDatabase(real.url));
  const disposables = stack.move();
  return { ...database, [Symbol.asyncDispose]: () => disposables.disposeAsync() };
}

/** Opens an existing database through a new proxy. */
export async function openLosableDatabase(realUrl: string): Promise<LosableDatabase> {
  await using stack = new AsyncDisposableStack();
  const target = addressOf(realUrl);
  const lines: { readonly client: Socket; readonly server: Socket }[] = [];
  const wire = createServer((client) => {
    const server = connect(target);
    lines.push({ client, server });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  const lose = () => {
    wire.close();
    for (const { client, server } of lines) {
      client.destroy();
      server.destroy();
    }
  };
  const abandon = () => {
    wire.close();
    for (const { client, server } of lines) {
      server.unpipe(client).resume();
      setImmediate(() => setImmediate(() => client.destroy())); // after all sent data was passed on
    }
  };
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  stack.defer(lose);
  const url = new URL(realUrl);
  url.host = `127.0.0.1:${(wire.address() as AddressInfo).port}`;
  const database = stack.use(await openDatabase({ url: url.href, dataDir: '', logger: silentLogger }));
  const disposables = stack.move();
  return { ...database, url: url.href, lose, abandon, [Symbol.asyncDispose]: () => disposables.disposeAsync() };
}

function addressOf(databaseUrl: string): NetConnectOpts {
  const { hostname, port } = new URL(databaseUrl);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port || 5432}` } : { host, port: Number(port) || 5432 };
}
