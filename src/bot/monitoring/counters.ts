import { Counter, Histogram, type Registry } from 'prom-client';
import type { SlackFailure } from '../slack/errors.ts';
import { SLACK_APP_METHODS, SLACK_METHODS } from '../slack/methods.ts';

/** Enough for a p95, and as much as anybody would call recent. */
const KEPT_LAGS = 500;
/** In seconds: from at once to the longest limits of Slack. */
const LAG_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800];
/** In seconds; Slack gives up after three. */
const ACK_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const SLOW_ACK_MS = 1_000;

export type CallOutcome = 'ok' | SlackFailure['kind'];
const OUTCOMES = {
  ok: true,
  ambiguous: true,
  'rate-limited': true,
  'refused-token': true,
  'missing-scope': true,
  refused: true,
} as const satisfies Readonly<Record<CallOutcome, true>>;

/** What an audit found wrong in a channel and put right. */
export interface Healed {
  readonly doubles: number;
  readonly adopted: number;
  readonly missing: number;
}

/** What the bot counts of itself, in one place, for whoever tells or exports it. */
export interface Figures {
  /** How long a change of a card that people can see took from becoming due to being shown. */
  cardShown(lagMs: number): void;
  slackAnswered(method: string, outcome: CallOutcome): void;
  /** How long Slack waited for us to take what somebody did. */
  acknowledged(durationMs: number): void;
  healed(cards: Healed): void;
  read(): Promise<FiguresRead>;
}

export interface FiguresRead {
  /** Of the last changes of cards; null: none yet. */
  readonly lag: { readonly p50Ms: number; readonly p95Ms: number; readonly changes: number } | null;
  /** Since the start. */
  readonly cardsShown: number;
  readonly limits: number;
  readonly healed: number;
}

/** @param registry where the same figures can be scraped */
export function createFigures(registry: Registry): Figures {
  const registers = [registry];
  const lags: number[] = [];
  const lag = new Histogram({
    name: 'tocsin_bot_card_lag_seconds',
    help: 'Time from a change becoming known to the card showing it',
    buckets: LAG_BUCKETS,
    registers,
  });
  const calls = new Counter({
    name: 'tocsin_bot_slack_calls_total',
    help: 'Calls of the Web API of Slack by how they ended; rate-limited: 429',
    labelNames: ['method', 'outcome'],
    registers,
  });
  const acks = new Histogram({
    name: 'tocsin_bot_ack_duration_seconds',
    help: 'Time until what Slack delivered is acknowledged',
    buckets: ACK_BUCKETS,
    registers,
  });
  const slowAcks = new Counter({
    name: 'tocsin_bot_slow_acks_total',
    help: 'Acknowledgements after more than a second; Slack gives up after three',
    registers,
  });
  const healed = new Counter({
    name: 'tocsin_bot_cards_healed_total',
    help: 'Cards that an audit put right: doubles taken away, lost ones found again, deleted ones posted anew',
    labelNames: ['kind'],
    registers,
  });
  // A series that appears with its first increment is one whose first increment no rate shows.
  for (const method of [...Object.keys(SLACK_METHODS), ...SLACK_APP_METHODS]) {
    for (const outcome of Object.keys(OUTCOMES)) {
      calls.inc({ method, outcome }, 0);
    }
  }
  countHealed({ doubles: 0, adopted: 0, missing: 0 });

  function countHealed({ doubles, adopted, missing }: Healed): void {
    healed.inc({ kind: 'double' }, doubles);
    healed.inc({ kind: 'lost' }, adopted);
    healed.inc({ kind: 'deleted' }, missing);
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
    healed: countHealed,
    async read() {
      const [shown, called, put] = await Promise.all([lag.get(), calls.get(), healed.get()]);
      return {
        lag: percentiles(lags),
        cardsShown: sum(shown.values.filter(({ metricName }) => metricName?.endsWith('_count'))),
        limits: sum(called.values.filter(({ labels }) => labels.outcome === 'rate-limited')),
        healed: sum(put.values),
      };
    },
  };
}

function sum(values: readonly { readonly value: number }[]): number {
  return values.reduce((total, { value }) => total + value, 0);
}

function percentiles(lags: readonly number[]): FiguresRead['lag'] {
  const sorted = lags.toSorted((one, other) => one - other);
  /** Nearest rank. */
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return sorted.length === 0 ? null : { p50Ms: at(0.5), p95Ms: at(0.95), changes: sorted.length };
}
