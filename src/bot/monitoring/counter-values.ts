/** Counters of this process since its start. */
export interface CounterValues {
  /** Delay of the latest card updates; null: there were none. */
  readonly lag: { readonly p50Ms: number; readonly p95Ms: number; readonly changes: number } | null;
  readonly cardsShown: number;
  readonly limits: number;
  readonly repairs: number;
}
