import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../clock.ts';
import { LIMITS } from '../limits.ts';
import { APP_ID } from '../seed.ts';
import { isFields } from '../validation/check.ts';
import type { Ack, Delivery, Envelope } from './delivery.ts';

const PING_MS = 5_000;
const HOST = 'local-slack';

export interface SocketMode extends Delivery {
  readonly connections: number;
  /** The path of a new connection; good for one use within 30 s. */
  issueTicket(): string;
  /** Answers an HTTP upgrade; false when it is not ours. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Cuts every connection without a word, as a lost network does. */
  cut(): void;
}

export function createSocketMode(options: { clock: Clock; onChange: () => void }): SocketMode {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Map<string, number>();
  const waiting = new Map<string, (ack: Ack) => void>();
  let sockets: WebSocket[] = [];

  const pings = setInterval(() => {
    for (const socket of sockets) {
      socket.ping(`Ping from ${HOST}`);
    }
  }, PING_MS).unref();

  function accept(socket: WebSocket): void {
    if (sockets.length >= LIMITS.socketConnections) {
      socket.send(disconnectMessage('too_many_websockets'));
      socket.close();
      return;
    }
    sockets = [...sockets, socket];
    socket.on('message', (data) => readAck(Buffer.from(data as Buffer).toString())); // ws hands over Buffers unless told otherwise
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      sockets = sockets.filter((each) => each !== socket);
      options.onChange();
    });
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: sockets.length,
        debug_info: { host: HOST, build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: APP_ID },
      }),
    );
    options.onChange();
  }

  function readAck(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return; // Slack ignores what it cannot read
    }
    if (isFields(message) && typeof message.envelope_id === 'string') {
      const body = message.payload;
      waiting.get(message.envelope_id)?.({ kind: 'acked', body: isFields(body) && hasFields(body) ? body : null });
    }
  }

  /** Turn by turn: each payload goes to one connection only. */
  function nextSocket(): WebSocket | null {
    const [next, ...rest] = sockets;
    if (next === undefined) {
      return null;
    }
    sockets = [...rest, next];
    return next;
  }

  return {
    get connections() {
      return sockets.length;
    },
    issueTicket() {
      const ticket = randomBytes(16).toString('hex');
      tickets.set(ticket, options.clock.now().getTime() + LIMITS.socketTicketMs);
      return `/link?ticket=${ticket}&app_id=${APP_ID}`;
    },
    upgrade(request, socket, head) {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const ticket = url.searchParams.get('ticket') ?? '';
      const expiresAtMs = tickets.get(ticket);
      tickets.delete(ticket);
      if (url.pathname !== '/link' || expiresAtMs === undefined || options.clock.now().getTime() > expiresAtMs) {
        return false;
      }
      server.handleUpgrade(request, socket, head, accept);
      return true;
    },
    cut() {
      for (const socket of sockets) {
        socket.terminate();
      }
    },
    deliver: (envelope) => sendAndWait(nextSocket(), envelope),
    async [Symbol.asyncDispose]() {
      clearInterval(pings);
      for (const socket of sockets) {
        socket.terminate();
      }
      server.close();
      for (const settle of waiting.values()) {
        settle({ kind: 'unreachable' });
      }
    },
  };

  function sendAndWait(socket: WebSocket | null, envelope: Envelope): Promise<Ack> {
    if (socket === null) {
      return Promise.resolve({ kind: 'unreachable' });
    }
    const envelopeId = randomUUID();
    return new Promise((resolve) => {
      const settle = (ack: Ack): void => {
        cancelDeadline();
        waiting.delete(envelopeId);
        resolve(ack);
      };
      const cancelDeadline = options.clock.after(LIMITS.ackMs, () => settle({ kind: 'timeout' }));
      waiting.set(envelopeId, settle);
      socket.send(
        JSON.stringify({
          envelope_id: envelopeId,
          type: envelope.type,
          payload: envelope.payload,
          accepts_response_payload: envelope.type !== 'events_api',
          ...(envelope.type === 'events_api' && { retry_attempt: 0, retry_reason: '' }),
        }),
      );
    });
  }
}

function disconnectMessage(reason: string): string {
  return JSON.stringify({ type: 'disconnect', reason, debug_info: { host: HOST } });
}

function hasFields(body: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(body).length > 0;
}
