import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../../runtime/timeout.ts';
import type { WaitingMessages } from '../rooms/card/cards.ts';
import { PROBLEM_NAMES, type Problems } from './problems.ts';

/** Limit for database queries of a scrape, so that the other metrics stay available while the database is down. */
const TIMEOUT_MS = 1_000;
const STATES = [
  'person',
  'opened',
  'state',
  'count',
  'reply',
  'withheld',
] as const satisfies readonly (keyof WaitingMessages)[];

/** Registers metrics that are looked up at each scrape. Event counters are in `counters.ts`. */
export function registerGauges(
  registry: Registry,
  sources: {
    waitingMessages(): Promise<WaitingMessages>;
    /** When the longest waiting message became due; null: none waits. */
    waitingSince(): Promise<Date | null>;
    waitingActions(): Promise<number>;
    problems(): Promise<Problems>;
    /** When the service last responded to this process; null: not since the start. */
    answeredAt(): Date | null;
    /** null: the bot uses HTTP. */
    openSockets: (() => number) | null;
    now(): Date;
  },
): void {
  const registers = [registry];
  const startedAt = sources.now();
  /** How long the oldest message has waited; 0: none waits. */
  const ageMs = async () => {
    const since = await sources.waitingSince();
    return since === null ? 0 : Math.max(0, sources.now().getTime() - since.getTime());
  };
  new Gauge({
    name: 'tocsin_bot_messages_waiting',
    help: 'Messages waiting to be posted or edited, in the whole database, by urgency; NaN while it is not responding',
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
    name: 'tocsin_bot_message_age_seconds',
    help: 'How long the oldest message to Slack has waited, in the whole database; NaN while it is not responding',
    registers,
    async collect() {
      this.set(((await inTime(ageMs())) ?? Number.NaN) / 1_000);
    },
  });
  new Gauge({
    name: 'tocsin_bot_actions_waiting',
    help: 'User actions waiting for the incident service, in the whole database; NaN while it is not responding',
    registers,
    async collect() {
      this.set((await inTime(sources.waitingActions())) ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'tocsin_bot_problems',
    help: 'Problems that /readyz reports, by check; NaN while the database is not responding',
    labelNames: ['check'],
    registers,
    async collect() {
      const problems = await inTime(sources.problems());
      for (const check of PROBLEM_NAMES) {
        this.set({ check }, problems?.[check].length ?? Number.NaN);
      }
    },
  });
  new Gauge({
    name: 'tocsin_bot_service_answer_age_seconds',
    help: 'Time since the incident service last responded to a poll of this process, or since its start if it has not',
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
      help: 'Open Socket Mode connections',
      registers,
      collect() {
        this.set(openSockets());
      },
    });
  }
}

/** @returns null: failed or timed out */
async function inTime<Value>(found: Promise<Value>): Promise<Value | null> {
  return withTimeout(TIMEOUT_MS, () => found).catch(() => null);
}
