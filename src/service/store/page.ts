export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** All that match, not only those of this page. */
  readonly total: number;
}
