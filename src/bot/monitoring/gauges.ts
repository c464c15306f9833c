import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../../runtime/timeout.ts';
import type { WaitingMessages } from '../store/cards.ts';

/** A scrape waits this long for the database. The other metrics are needed most while it is away. */
const TIMEOUT_MS = 1_000;
const STATES = [
  'person',
  'opened',
  'state',
  'count',
  'reply',
  'withheld',
] as const satisfies readonly (keyof WaitingMessages)[];

/** Metrics that are looked up at each scrape. What is counted as it happens is in `counters.ts`. */
export function registerGauges(
  registry: Registry,
  sources: {
    waitingMessages(): Promise<WaitingMessages>;
    waitingActions(): Promise<number>;
    /** When the service last answered this process; null: not since the start. */
    answeredAt(): Date | null;
    /** null: HTTP, which keeps none. */
    openSockets: (() => number) | null;
    now(): Date;
  },
): void {
  const registers = [registry];
  const startedAt = sources.now();
  new Gauge({
    name: 'tocsin_bot_messages_waiting',
    help: 'Messages that differ from what they should show, in the whole database, by urgency; NaN while it does not answer',
    labelNames: ['urgency'],
    registers,
    async collect() {
      const waiting = await inTime(sources.waitingMessages());
      for (const urgency of STATES) {
        this.set({ urgency }, waiting?.[urgency] ?? Number.NaN);
      }
    },
  });
  new Gauge({
    name: 'tocsin_bot_actions_waiting',
    help: 'Actions of people that are kept until the service takes them, in the whole database; NaN while it does not answer',
    registers,
    async collect() {
      this.set((await inTime(sources.waitingActions())) ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'tocsin_bot_service_answer_age_seconds',
    help: 'Time since the incident service last answered a poll of this process, or since its start if it has not',
    registers,
    collect() {
      const since = sources.answeredAt() ?? startedAt;
      this.set((sources.now().getTime() - since.getTime()) / 1_000);
    },
  });
  const { openSockets } = sources;
  if (openSockets !== null) {
    new Gauge({
      name: 'tocsin_bot_socket_connections',
      help: 'Connections of Socket Mode that are open',
      registers,
      collect() {
        this.set(openSockets());
      },
    });
  }
}

/** @returns null: not in time, or not at all */
async function inTime<Value>(found: Promise<Value>): Promise<Value | null> {
  return withTimeout(TIMEOUT_MS, () => found).catch(() => null);
}
