import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver } from '@slack/bolt';
import { settlesWithin } from '../../runtime/timeout.ts';
import type { Requests } from './requests.ts';

/** Limit for closing a connection; the library would wait 7 seconds for a silent peer. */
export const DISCONNECT_MS = 1_500;

/** The transport of Slack's requests: Socket Mode or signed HTTP. */
export interface BotReceiver extends Receiver {
  /** Handles Slack's HTTP requests; null in Socket Mode. */
  readonly requestListener: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /** Whether requests of Slack can arrive. */
  isConnected(): boolean;
  /** Number of open connections; null: signed HTTP. */
  readonly openSockets: (() => number) | null;
  /** Rejects new requests, waits for the running ones, then disconnects. */
  stop(): Promise<void>;
}

export async function stopReceiver(requests: Requests, disconnect: () => Promise<unknown>): Promise<void> {
  await requests.drain();
  await settlesWithin(DISCONNECT_MS, disconnect());
}
