import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { decodeTraces } from '../../src/service/ingest/formats/otlp/otlp-protobuf.ts';
import { finish } from '../../test/support/finish.ts';

/** Baseline: a program that inflates and decodes each request, stores nothing and responds. */

const inflate = promisify(gunzip);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const { rejected } = finish(decodeTraces(await inflate(Buffer.concat(chunks))));
  response.writeHead(rejected === 0 ? 200 : 400, { 'content-type': 'application/x-protobuf' }).end();
}

const server = createServer((request, response) => void answer(request, response));

server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` });
process.once('disconnect', () => {
  server.close();
  server.closeAllConnections();
});
