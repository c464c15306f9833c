import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openGate } from './gate.ts';

async function startServer() {
  const server = createServer((request, response) => {
    if (request.url === '/never') {
      response.write('a part');
      return;
    }
    response.end('hello');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const read = async (url: string): Promise<string> => (await fetch(url)).text();

it('passes requests, rejects them while closed, and opens again', async () => {
  await using server = await startServer();
  await using gate = await openGate(server.url);
  const open = await read(gate.url);
  const underWay = await fetch(`${gate.url}/never`);

  gate.closeFor(2);

  await expect(underWay.text()).rejects.toThrow('terminated');
  await expect(read(gate.url)).rejects.toThrow('fetch failed');
  expect(open).toBe('hello');
  await expect.poll(() => read(gate.url).catch(() => 'refused')).toBe('hello');
});
