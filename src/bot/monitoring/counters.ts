import { Counter, Histogram, type Registry } from 'prom-client';
import type { Repairs } from '../messages/audit.ts';
import type { CallOutcome } from '../slack/clients.ts';
import { SLACK_APP_METHODS, SLACK_METHODS } from '../slack/methods.ts';
import type { CounterValues } from './counter-values.ts';

/** Enough for a p95. */
const KEPT_LAGS = 500;
/** In seconds; the upper end covers Slack's longest rate limits. */
const LAG_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800];
/** In seconds; Slack gives up after three. */
const ACK_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const SLOW_ACK_MS = 1_000;

const OUTCOMES = {
  ok: true,
  ambiguous: true,
  'rate-limited': true,
  'refused-token': true,
  'missing-scope': true,
  refused: true,
} as const satisfies Readonly<Record<CallOutcome, true>>;

/** The bot's own counters, for `/metrics` and `/incidents health`. */
export interface Counters {
  /** Time from a visible change becoming due to the message showing it. */
  cardShown(lagMs: number): void;
  slackAnswered(method: string, outcome: CallOutcome): void;
  /** Time until a request from Slack was acknowledged. */
  acknowledged(durationMs: number): void;
  repaired(repairs: Repairs): void;
  read(): Promise<CounterValues>;
}

/** @param registry receives the metrics */
export function createCounters(registry: Registry): Counters {
  const registers = [registry];
  const lags: number[] = [];
  const lag = new Histogram({
    name: 'tocsin_bot_card_lag_seconds',
    help: 'Time from a change becoming known until the card shows it',
    buckets: LAG_BUCKETS,
    registers,
  });
  const calls = new Counter({
    name: 'tocsin_bot_slack_calls_total',
    help: 'Calls to Slack’s Web API by method and outcome; rate-limited: 429',
    labelNames: ['method', 'outcome'],
    registers,
  });
  const acks = new Histogram({
    name: 'tocsin_bot_ack_duration_seconds',
    help: 'Time until a request from Slack is acknowledged',
    buckets: ACK_BUCKETS,
    registers,
  });
  const slowAcks = new Counter({
    name: 'tocsin_bot_slow_acks_total',
    help: 'Acknowledgements that took more than one second; Slack gives up after three',
    registers,
  });
  const repairs = new Counter({
    name: 'tocsin_bot_message_repairs_total',
    help: 'Messages repaired by an audit: duplicates removed, lost messages found, deleted messages posted again',
    labelNames: ['kind'],
    registers,
  });
  // Series start at 0, because `rate()` misses the first increment of a new series.
  for (const method of [...Object.keys(SLACK_METHODS), ...SLACK_APP_METHODS]) {
    for (const outcome of Object.keys(OUTCOMES)) {
      calls.inc({ method, outcome }, 0);
    }
  }
  countRepairs({ duplicates: 0, adopted: 0, missing: 0 });

  function countRepairs({ duplicates, adopted, missing }: Repairs): void {
    repairs.inc({ kind: 'duplicate' }, duplicates);
    repairs.inc({ kind: 'lost' }, adopted);
    repairs.inc({ kind: 'deleted' }, missing);
  }

  return {
    cardShown(lagMs) {
      lag.observe(lagMs / 1_000);
      lags.push(lagMs);
      if (lags.length > KEPT_LAGS) {
        lags.shift();
      }
    },
    slackAnswered: (method, outcome) => calls.inc({ method, outcome }),
    acknowledged(durationMs) {
      acks.observe(durationMs / 1_000);
      if (durationMs > SLOW_ACK_MS) {
        slowAcks.inc();
      }
    },
    repaired: countRepairs,
    async read() {
      const [shown, called, repaired] = await Promise.all([lag.get(), calls.get(), repairs.get()]);
      return {
        lag: percentiles(lags),
        cardsShown: sum(shown.values.filter(({ metricName }) => metricName?.endsWith('_count'))),
        limits: sum(called.values.filter(({ labels }) => labels.outcome === 'rate-limited')),
        repairs: sum(repaired.values),
      };
    },
  };
}

function sum(values: readonly { readonly value: number }[]): number {
  return values.reduce((total, { value }) => total + value, 0);
}

function percentiles(lags: readonly number[]): CounterValues['lag'] {
  const sorted = lags.toSorted((one, other) => one - other);
  /** Nearest rank. */
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return sorted.length === 0 ? null : { p50Ms: at(0.5), p95Ms: at(0.95), changes: sorted.length };
}
