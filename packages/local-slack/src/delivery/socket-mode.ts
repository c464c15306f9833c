import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../clock.ts';
import { LIMITS } from '../limits.ts';
import { isFields } from '../validation/check.ts';
import { APP_ID } from '../workspace/seed.ts';
import type { Ack, Delivery, Envelope } from './delivery.ts';

const PING_MS = 5_000;
const HOST = 'local-slack';

export interface SocketMode extends Delivery {
  readonly connections: number;
  /** Returns the path of a new connection, valid for one use within 30 s. */
  issueTicket(): string;
  /** Accepts an HTTP upgrade. False when the ticket is not valid. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Cuts every connection without a message, like a lost network. */
  cut(): void;
  /** Sends `disconnect` to every connection. After `warning` it stays usable, after `refresh_requested` it gets no more payloads. */
  disconnect(reason: DisconnectReason): void;
}

export type DisconnectReason = 'warning' | 'refresh_requested';

interface Connection {
  readonly socket: WebSocket;
  /** Gets no more payloads. */
  readonly isLeaving: boolean;
  readonly cancel: () => void;
}

export function createSocketMode(options: { clock: Clock; onChange: () => void }): SocketMode {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Map<string, number>();
  const waiting = new Map<string, (ack: Ack) => void>();
  let connections: readonly Connection[] = [];

  const pings = setInterval(() => {
    for (const { socket } of connections) {
      socket.ping(`Ping from ${HOST}`);
    }
  }, PING_MS).unref();

  function accept(socket: WebSocket, lifeMs: number): void {
    if (connections.length >= LIMITS.socketConnections) {
      socket.send(disconnectMessage('too_many_websockets'));
      socket.close();
      return;
    }
    connections = [...connections, { socket, isLeaving: false, cancel: scheduleRefresh(socket, lifeMs) }];
    socket.on('message', (data) => readAck(Buffer.from(data as Buffer).toString())); // ws delivers Buffers by default
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      connections.find((each) => each.socket === socket)?.cancel();
      connections = connections.filter((each) => each.socket !== socket);
      options.onChange();
    });
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: connections.length,
        debug_info: { host: HOST, build_number: 1, approximate_connection_time: lifeMs / 1000 },
        connection_info: { app_id: APP_ID },
      }),
    );
    options.onChange();
  }

  /** Slack renews every connection after some hours, with a warning before. Returns a function that cancels it. */
  function scheduleRefresh(socket: WebSocket, lifeMs: number): () => void {
    const timers = [
      options.clock.after(lifeMs - LIMITS.socketWarningMs, () => end(socket, 'warning')),
      options.clock.after(lifeMs, () => end(socket, 'refresh_requested')),
    ];
    return () => {
      for (const cancel of timers) {
        cancel();
      }
    };
  }

  function end(socket: WebSocket, reason: DisconnectReason): void {
    socket.send(disconnectMessage(reason));
    if (reason === 'warning') {
      return;
    }
    connections = connections.map((each) => (each.socket === socket ? { ...each, isLeaving: true } : each));
    options.clock.after(LIMITS.socketWarningMs, () => socket.close());
  }

  function readAck(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return; // Slack ignores invalid messages
    }
    if (isFields(message) && typeof message.envelope_id === 'string') {
      const body = message.payload;
      waiting.get(message.envelope_id)?.({ kind: 'acked', body: isFields(body) && hasFields(body) ? body : null });
    }
  }

  /** Round robin: each payload goes to one connection only. */
  function nextSocket(): WebSocket | null {
    const next = connections.find(({ isLeaving }) => !isLeaving);
    if (next === undefined) {
      return null;
    }
    connections = [...connections.filter((each) => each !== next), next];
    return next.socket;
  }

  return {
    get connections() {
      return connections.length;
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
      const isDebug = url.searchParams.get('debug_wss_reconnects') === 'true';
      const lifeMs = isDebug ? LIMITS.socketDebugLifeMs : LIMITS.socketLifeMs;
      server.handleUpgrade(request, socket, head, (accepted) => accept(accepted, lifeMs));
      return true;
    },
    cut,
    disconnect(reason) {
      for (const { socket } of connections) {
        end(socket, reason);
      }
    },
    deliver: (envelope) => sendAndWait(nextSocket(), envelope),
    async [Symbol.asyncDispose]() {
      clearInterval(pings);
      cut();
      server.close();
      for (const settle of waiting.values()) {
        settle({ kind: 'unreachable' });
      }
    },
  };

  function cut(): void {
    for (const { socket } of connections) {
      socket.terminate();
    }
  }

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
          ...(envelope.type === 'events_api' && retryFields(envelope.retry)),
        }),
      );
    });
  }
}

/** Slack does not document the retry reason after a lost connection. */
function retryFields(retry: Envelope['retry']): object {
  if (retry === undefined) {
    return { retry_attempt: 0, retry_reason: '' };
  }
  return { retry_attempt: retry.attempt, retry_reason: retry.after === 'timeout' ? 'timeout' : 'connection_failed' };
}

function disconnectMessage(reason: string): string {
  return JSON.stringify({ type: 'disconnect', reason, debug_info: { host: HOST } });
}

function hasFields(body: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(body).length > 0;
}
