import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the tests of a run share, and where it is. */
export interface SharedServers {
  /** PostgreSQL, and a database there with all tables and no rows. */
  readonly database: { readonly url: string; readonly template: string };
  /** A headless browser: the address of its DevTools. */
  readonly browser: { readonly url: string };
}

export type Starters = { readonly [Name in keyof SharedServers]: () => Promise<SharedServers[Name]> };

/** Answers with the address of a server, which the first request for it starts. Most runs of single files need none. */
export async function offerServers(starters: Starters): Promise<AsyncDisposable & { readonly url: string }> {
  const started = new Map<string, Promise<object>>();
  const start = (name: string): Promise<object> => {
    const known = started.get(name);
    if (known !== undefined) {
      return known;
    }
    const starting = isServer(starters, name)
      ? starters[name]()
      : Promise.reject(new Error(`there is no server "${name}"`));
    started.set(name, starting);
    return starting;
  };
  const server = createServer((request, response) => {
    start((request.url ?? '').slice(1)).then(
      (address) => response.end(JSON.stringify(address)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      await Promise.allSettled(started.values());
    },
  };
}

function isServer(starters: Starters, name: string): name is keyof SharedServers {
  return Object.hasOwn(starters, name);
}
