import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver } from '@slack/bolt';
import { settlesWithin } from '../../runtime/timeout.ts';
import type { Requests } from './requests.ts';

/** A peer that says nothing would take 7 seconds. */
export const DISCONNECT_MS = 1_500;

/** One of the two transports by which Slack's requests arrive. */
export interface BotReceiver extends Receiver {
  /** HTTP: handles what Slack posts; null in Socket Mode. */
  readonly requestListener: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /** Whether Slack can reach us now. */
  isConnected(): boolean;
  /** Number of open connections; null: HTTP, which keeps none. */
  readonly openSockets: (() => number) | null;
  /** Takes no more requests, lets the running ones end, then disconnects. */
  stop(): Promise<void>;
}

export async function stopReceiver(requests: Requests, disconnect: () => Promise<unknown>): Promise<void> {
  await requests.drain();
  await settlesWithin(DISCONNECT_MS, disconnect());
}
