import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { type Target, waitUntil } from '../target.ts';

const HALF_OPEN = 300;
/** The service cuts connections that have not sent their headers within 15 s, and looks each 5 s. */
const MAX_HEADERS_MS = 30_000;

/** Opens connections that send a part of a request and then nothing. */
async function openHalf(target: Target, count: number, part: string): Promise<Socket[]> {
  const { hostname, port } = new URL(target.url);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined).resume();
      await once(socket, 'connect');
      socket.write(part);
      return socket;
    }),
  );
}

function closeAll(sockets: readonly Socket[]): void {
  for (const socket of sockets) {
    socket.destroy();
  }
}

/** @returns the status, or what happened to the connection */
async function sendRaw(target: Target, text: string): Promise<string> {
  const { hostname, port } = new URL(target.url);
  const socket = connect(Number(port), hostname);
  const closed = once(socket, 'close').then(
    () => 'closed',
    () => 'closed',
  );
  const answered = once(socket, 'data').then(
    ([data]) => String(data).split(' ')[1] ?? '',
    () => closed,
  );
  socket.write(text, 'latin1');
  const outcome = await Promise.race([answered, closed, sleep(5_000, 'no answer', { ref: false })]);
  socket.destroy();
  return outcome;
}

const HOST = 'Host: tocsin.test\r\n';

const MALFORMED: Readonly<Record<string, string>> = {
  'no HTTP': 'hello\r\n\r\n',
  'NUL in the request line': `GET /\0 HTTP/1.1\r\n${HOST}\r\n`,
  'NUL in a header': `GET / HTTP/1.1\r\n${HOST}X: \0\r\n\r\n`,
  'no host': 'GET / HTTP/1.1\r\n\r\n',
  'two lengths': `POST /v1/logs HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`,
  'length and chunks': `POST /v1/logs HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  'a negative chunk': `POST /v1/logs HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n-1\r\n`,
  'a header of 100 kB': `GET / HTTP/1.1\r\n${HOST}X: ${'a'.repeat(100_000)}\r\n\r\n`,
  'an address of 100 kB': `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`,
  'a header per line, 10,000 lines': `GET / HTTP/1.1\r\n${HOST}${'a:b\r\n'.repeat(10_000)}\r\n`,
  CONNECT: `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${HOST}\r\n`,
  'a path above the root': `GET /dashboard/../../../etc/passwd HTTP/1.1\r\n${HOST}\r\n`,
  'the address of another host': `GET http://169.254.169.254/latest/meta-data HTTP/1.1\r\n${HOST}\r\n`,
};

export const connectionAttacks: readonly Attack[] = [
  {
    name: 'requests that are no sound HTTP',
    isQuick: true,
    async run(target) {
      const answers = Object.entries(MALFORMED).map(
        async ([kind, text]) => [kind, await sendRaw(target, text)] as const,
      );
      const accepted = (await Promise.all(answers)).filter(([, outcome]) => !/^(4\d\d|closed)$/.test(outcome));
      return {
        text: `${answers.length} kinds, accepted: ${accepted.map((each) => each.join(' ')).join(', ') || 'none'}`,
        isHeld: accepted.length === 0,
      };
    },
  },
  {
    name: `${HALF_OPEN} connections with half a request line, while others read`,
    isQuick: true,
    async run(target) {
      const sockets = await openHalf(target, HALF_OPEN, 'GET /v1/incidents HT');
      const { status } = await target.call('GET', '/v1/incidents?limit=1');
      closeAll(sockets);
      return { text: String(status), isHeld: status === 200 };
    },
  },
  {
    name: `${HALF_OPEN} uploads that stop after one byte, while others send`,
    isQuick: false,
    async run(target) {
      const headers = `${HOST}Authorization: Bearer ${target.ingestKey}\r\nContent-Type: application/json\r\n`;
      const part = `POST /v1/traces HTTP/1.1\r\n${headers}Content-Length: 1000000\r\n\r\n{`;
      const countBlamed = async () => (await target.metric(BLAMED_ON_STORAGE)) || 0;
      const sockets = await openHalf(target, HALF_OPEN, part);
      const body = { service: 'quiet', summary: 'another sender', type: 'log' };
      const { status } = await target.call('POST', '/v1/generic', { body });
      const before = await countBlamed();
      closeAll(sockets);
      const isBlamed = await waitUntil(2_000, async () => (await countBlamed()) > before);
      return {
        text: `others ${status}; ${isBlamed ? 'the broken uploads are blamed on storage' : 'storage is not blamed'}`,
        isHeld: status === 200 && !isBlamed,
      };
    },
  },
  {
    name: 'slow headers, one byte and then nothing',
    isQuick: false,
    async run(target) {
      const sockets = await openHalf(target, 50, 'G');
      const areCut = await waitUntil(MAX_HEADERS_MS, async () => sockets.every(({ closed }) => closed));
      closeAll(sockets);
      return { text: areCut ? 'cut' : 'still open', isHeld: areCut };
    },
  },
];

const BLAMED_ON_STORAGE = 'tocsin_ingest_refused_total{reason="storage_behind"}';
