import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { createEmailWay } from './email/email.ts';
import { endingWithin } from './ways.ts';

it('gives up a mail server that answers without end', async () => {
  await using stack = new AsyncDisposableStack();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 hello\r\n');
    const dribble = setInterval(() => socket.write('250-and\r\n'), 5);
    socket.on('close', () => clearInterval(dribble));
    stack.defer(() => void socket.destroy());
  });
  stack.defer(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const way = createEmailWay({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'tocsin@example.com' });

  const message = {
    id: 'a',
    tag: 't',
    title: 'T',
    lines: [],
    url: 'http://t',
    answerUrl: null,
    code: null,
    isLoud: true,
  };
  const call = endingWithin(100, way).call({ email: 'ana@example.com' }, message);

  await expect(call).rejects.toMatchObject({ name: 'WayError', failure: 'unavailable' });
});
