/** What the process has counted so far. */
export interface CounterValues {
  /** How late the last card updates were; null: there were none. */
  readonly lag: { readonly p50Ms: number; readonly p95Ms: number; readonly changes: number } | null;
  readonly cardsShown: number;
  readonly limits: number;
  readonly repairs: number;
}
