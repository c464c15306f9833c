import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { HANG_MS } from '../../../../../test/support/hang.ts';
import { silentLogger } from '../../../../../test/support/logger.ts';
import { INGEST_LIMITS } from '../../limits.ts';
import { openSyslog } from './syslog-server.ts';

const WAIT = { timeout: HANG_MS };

/** A server, and the bodies that it posted. @param statuses of the first answers; then 204 */
async function start(statuses: readonly number[] = []) {
  const bodies: string[] = [];
  const left = [...statuses];
  const server = await openSyslog('127.0.0.1', 0, {
    post: async (body) => {
      const status = left.shift() ?? 204;
      bodies.push(`${status} ${body}`);
      return new Response(null, { status });
    },
    logger: silentLogger,
  });
  return {
    server,
    posted: () => bodies.join(''),
    async send(...parts: readonly (string | Uint8Array)[]) {
      const socket = connect(server.port, '127.0.0.1');
      await once(socket, 'connect');
      for (const part of parts) {
        await new Promise((sent) => socket.write(part, sent));
      }
      return socket;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

it('takes lines and messages with lengths over TCP, also in pieces and without an end', async () => {
  await using syslog = await start();

  const socket = await syslog.send('<3>one\n12 <3>tw', 'o\nlines<3>three');
  socket.end();

  await expect.poll(syslog.posted, WAIT).toBe('204 6 <3>one12 <3>two\nlines8 <3>three');
});

it('takes datagrams on the same port', async () => {
  await using syslog = await start();
  const udp = createSocket('udp4');

  udp.send('<3>one', syslog.server.port, '127.0.0.1');

  await expect.poll(syslog.posted, WAIT).toBe('204 6 <3>one');
  udp.close();
});

it('posts again what could not be stored, and nothing that was refused', async () => {
  await using syslog = await start([503, 429, 401]);

  (await syslog.send('<3>one\n')).end();

  await expect.poll(syslog.posted, WAIT).toBe('503 6 <3>one429 6 <3>one401 6 <3>one');
});

it('closes a connection whose message is longer than a mebibyte', async () => {
  await using syslog = await start();

  const socket = await syslog.send(Buffer.alloc(INGEST_LIMITS.itemBytes, 97));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write('aa');

  await closed;
  expect(syslog.posted()).toBe('');
});

it('posts what it has taken before it ends', async () => {
  const syslog = await start();
  (await syslog.send('<3>one\n<3>two')).end();
  await expect.poll(syslog.posted, WAIT).toBe('204 6 <3>one6 <3>two');
  await syslog[Symbol.asyncDispose]();
});
