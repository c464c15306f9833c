/** Enough for a p95, and as much as anybody would call recent. */
const KEPT_LAGS = 500;

/** What the bot counts of itself, in one place, for whoever tells or exports it. */
export interface Figures {
  /** How long a change of a card took from becoming due to being shown. */
  cardShown(lagMs: number): void;
  limited(): void;
  healed(cards: number): void;
  read(): FiguresRead;
}

export interface FiguresRead {
  /** Of the last changes of cards; null: none yet. */
  readonly lag: { readonly p50Ms: number; readonly p95Ms: number; readonly changes: number } | null;
  /** Since the start. */
  readonly cardsShown: number;
  readonly limits: number;
  readonly healed: number;
}

export function createFigures(): Figures {
  const lags: number[] = [];
  let cardsShown = 0;
  let limits = 0;
  let healed = 0;
  return {
    cardShown(lagMs) {
      cardsShown += 1;
      lags.push(lagMs);
      if (lags.length > KEPT_LAGS) {
        lags.shift();
      }
    },
    limited() {
      limits += 1;
    },
    healed(cards) {
      healed += cards;
    },
    read: () => ({ lag: percentiles(lags), cardsShown, limits, healed }),
  };
}

function percentiles(lags: readonly number[]): FiguresRead['lag'] {
  const sorted = lags.toSorted((one, other) => one - other);
  /** Nearest rank. */
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return sorted.length === 0 ? null : { p50Ms: at(0.5), p95Ms: at(0.95), changes: sorted.length };
}
