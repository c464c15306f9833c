import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Receiver } from '@slack/bolt';
import type { Intake } from './inbound.ts';

export const DISCONNECT_CAP_MS = 1_500;

/** Where Slack's requests come in: one of the two transports, with the same stopping manners. */
export interface BotReceiver extends Receiver {
  /** HTTP: handles what Slack posts; null in Socket Mode. */
  readonly requestListener: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /** Whether Slack can reach us now. */
  isConnected(): boolean;
  /** How many connections are open; null: HTTP, which keeps none. */
  readonly openSockets: (() => number) | null;
  /** Stops taking requests, lets those that run end, then disconnects. */
  stop(): Promise<void>;
}

/** @param disconnect is given `DISCONNECT_CAP_MS`; a silent peer would take 7 seconds */
export async function stopReceiver(intake: Intake, disconnect: () => Promise<unknown>): Promise<void> {
  await intake.drain();
  await Promise.race([disconnect(), sleep(DISCONNECT_CAP_MS, undefined, { ref: false })]);
}
