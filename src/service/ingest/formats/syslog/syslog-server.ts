import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { INGEST_LIMITS } from '../../limits.ts';

/** Messages of one request. */
const BATCH_MESSAGES = 1_000;
/** Messages wait at most so long for others. */
const BATCH_MS = 200;
/** Messages that wait. Then connections are not read, and datagrams are dropped and counted. */
const MAX_WAITING = 20_000;
const MAX_CONNECTIONS = 500;
/** A connection that sends nothing for so long is closed; rsyslog opens another. */
const IDLE_MS = 15 * 60_000;
const RETRY_MS = 1_000;

export interface SyslogServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Takes syslog over TCP (RFC 6587) and UDP (RFC 5426) on one port, without TLS, and posts the messages as requests with the key.
 * What is refused for now is posted again; meanwhile connections are not read, so that their senders wait.
 *
 * @param post posts the messages, each on a line with its length before it
 * @throws what listening on the port throws
 */
export async function openSyslog(
  host: string,
  port: number,
  { post, logger }: { readonly post: (body: string) => Promise<Response>; readonly logger: Logger },
): Promise<SyslogServer> {
  let waiting: string[] = [];
  let dropped = 0;
  let isClosing = false;
  const paused = new Set<Socket>();
  const connections = new Set<Socket>();
  let wake = Promise.withResolvers<void>();

  function add(message: string): void {
    if (message.trim() !== '') {
      waiting.push(message);
      wake.resolve();
    }
  }

  async function send(): Promise<void> {
    while (!(isClosing && waiting.length === 0)) {
      await wake.promise;
      if (!isClosing) {
        await sleep(BATCH_MS);
      }
      wake = Promise.withResolvers<void>();
      while (waiting.length > 0) {
        const batch = waiting.slice(0, BATCH_MESSAGES);
        if (await isSettled(batch)) {
          waiting = waiting.slice(batch.length);
        } else if (isClosing) {
          logger.warn({ messages: waiting.length }, 'syslog messages were lost, because they could not be stored');
          waiting = [];
        } else {
          await sleep(RETRY_MS);
        }
      }
      if (dropped > 0) {
        logger.warn({ dropped }, 'syslog datagrams were dropped, because more came than could be stored');
        dropped = 0;
      }
      for (const socket of paused) {
        socket.resume();
      }
      paused.clear();
    }
  }

  /** @returns false: it may be sent again */
  async function isSettled(batch: readonly string[]): Promise<boolean> {
    try {
      const body = batch.map((message) => `${Buffer.byteLength(message)} ${message}`).join('');
      const response = await post(body);
      await response.arrayBuffer();
      if (!response.ok && response.status !== 429 && response.status < 500) {
        logger.warn(
          { status: response.status, messages: batch.length },
          'syslog messages were refused: is SYSLOG_KEY right?',
        );
      }
      return response.status !== 429 && response.status < 500;
    } catch (err) {
      logger.warn({ err }, 'syslog messages could not be stored yet');
      return false;
    }
  }

  const tcp = createServer((socket) => {
    connections.add(socket);
    const frames = createFrames();
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      if (!frames.push(bytes, add)) {
        logger.warn({ address: socket.remoteAddress }, 'a syslog message is too long, and its connection was closed');
        socket.destroy();
      } else if (waiting.length >= MAX_WAITING) {
        socket.pause();
        paused.add(socket);
      }
    });
    socket.on('close', () => {
      frames.end(add);
      connections.delete(socket);
      paused.delete(socket);
    });
  });
  tcp.maxConnections = MAX_CONNECTIONS;
  tcp.listen(port, host);
  await once(tcp, 'listening');
  const { port: taken } = tcp.address() as AddressInfo; // not a socket file
  const udp = await openUdp(host, taken).catch((error: unknown) => {
    tcp.close();
    throw error;
  });
  udp.on('message', (bytes) => {
    if (waiting.length >= MAX_WAITING) {
      dropped += 1;
    } else {
      add(bytes.toString());
    }
  });
  const sending = send();
  return {
    port: taken,
    async [Symbol.asyncDispose]() {
      const closed = once(tcp, 'close');
      tcp.close();
      udp.close();
      for (const socket of connections) {
        socket.destroy();
      }
      await closed;
      isClosing = true;
      wake.resolve();
      await sending;
    },
  };
}

async function openUdp(host: string, port: number): Promise<UdpSocket> {
  const udp = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', reuseAddr: false });
  udp.bind(port, host);
  await once(udp, 'listening');
  udp.on('error', () => undefined); // of single datagrams
  return udp;
}

const [LINE_FEED, NUL] = [0x0a, 0x00];

/** Cuts a stream into messages: by the lengths before them, or by line. */
function createFrames() {
  let rest: Buffer = Buffer.alloc(0);

  /** @returns null: it is not complete */
  function next(): { readonly message: Buffer; readonly end: number } | null {
    const [prefix, length] = /^(\d{1,7}) /.exec(rest.subarray(0, 8).toString('latin1')) ?? [];
    if (prefix !== undefined) {
      const end = prefix.length + Number(length);
      return rest.length < end ? null : { message: rest.subarray(prefix.length, end), end };
    }
    const end = rest.findIndex((byte) => byte === LINE_FEED || byte === NUL);
    return end === -1 ? null : { message: rest.subarray(0, end), end: end + 1 };
  }

  return {
    /** @returns false: a message is too long */
    push(bytes: Buffer, add: (message: string) => void): boolean {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      for (let frame = next(); frame !== null; frame = next()) {
        add(frame.message.toString());
        rest = rest.subarray(frame.end);
      }
      return rest.length <= INGEST_LIMITS.itemBytes;
    },
    end(add: (message: string) => void): void {
      add(rest.toString());
      rest = Buffer.alloc(0);
    },
  };
}
