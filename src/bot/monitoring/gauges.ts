import { setTimeout } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { WaitingCards } from '../store/cards.ts';

/** How long a scrape waits for the database, in milliseconds: the other metrics are needed most while it is away. */
const PATIENCE_MS = 1_000;
const LANES = ['person', 'opened', 'state', 'count', 'withheld'] as const satisfies readonly (keyof WaitingCards)[];

/** What the bot looks up when it is asked for. What it counts is in its figures. */
export function measureState(
  registry: Registry,
  sources: {
    waitingCards(): Promise<WaitingCards>;
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
    name: 'tocsin_bot_cards_waiting',
    help: 'Cards that are not as they should be, in the whole database, by what they wait for; NaN while it does not answer',
    labelNames: ['lane'],
    registers,
    async collect() {
      const waiting = await inTime(sources.waitingCards());
      for (const lane of LANES) {
        this.set({ lane }, waiting?.[lane] ?? Number.NaN);
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

/** null: not in time, or not at all. */
async function inTime<Value>(found: Promise<Value>): Promise<Value | null> {
  return Promise.race([found.catch(() => null), setTimeout(PATIENCE_MS, null, { ref: false })]);
}
