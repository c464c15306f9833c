import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRealClock } from '../../src/runtime/clock.ts';
import { createLoop } from '../../src/runtime/loop.ts';
import { silentLogger } from './logger.ts';

/** A load balancer that sends requests in turn to the processes whose `/readyz` answers 200. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Errors of connections to the processes. Their clients get 502. */
  readonly errors: readonly string[];
  readonly add: (url: string) => void;
  /** The processes that were ready at the last poll. */
  readonly ready: () => readonly string[];
}

export async function startBalancer(pollMs: number): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const errors: string[] = [];
  const isReady = new Map<string, boolean>();
  let turn = 0;
  const ready = () => [...isReady].flatMap(([url, answer]) => (answer ? [url] : []));

  const server = createServer((request, response) => {
    const targets = ready();
    turn += 1;
    const target = targets[turn % targets.length];
    if (target === undefined) {
      response.writeHead(502).end();
      return;
    }
    const { method, url = '', headers } = request;
    const forwarded = send(new URL(url, target), { method, headers, agent }, (answer) => {
      const { connection: _, 'keep-alive': __, ...headersOfAll } = answer.headers; // these are of one connection
      response.writeHead(answer.statusCode ?? 502, headersOfAll);
      answer.pipe(response);
    });
    forwarded.on('error', (error) => {
      errors.push(`${method} ${url}: ${error.message}`);
      response.writeHead(502).end();
    });
    request.pipe(forwarded);
  });

  const polling = createLoop({
    name: 'balancer',
    async step() {
      for (const url of isReady.keys()) {
        const answer = await fetch(new URL('/readyz', url)).catch(() => null);
        await answer?.body?.cancel();
        isReady.set(url, answer?.ok ?? false);
      }
      return pollMs;
    },
    retry: { firstMs: pollMs, longestMs: pollMs },
    logger: silentLogger,
    clock: createRealClock(),
  });
  server.keepAliveTimeout = 0; // a client may send just when an idle connection is closed
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  polling.start();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    errors,
    add(url) {
      isReady.set(url, false);
      polling.kick();
    },
    ready,
    async [Symbol.asyncDispose]() {
      await polling[Symbol.asyncDispose]();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}
