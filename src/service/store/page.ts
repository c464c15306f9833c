/** Where an item stands in a list that runs newest first: by time, then by id. */
export interface Position {
  readonly at: Date;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** Begins right after it, however the list has moved. */
  readonly after?: Position | null;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** All that match, not only those of this page. */
  readonly total: number;
  /** Where the next page begins; null: this is the last one. */
  readonly end: Position | null;
}

/** @param found in the order of the list, and one more than the page may hold if there is one */
export function toPage<Item extends { readonly id: string }>(
  found: readonly Item[],
  limit: number,
  total: number,
  timeOf: (item: Item) => Date,
): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const end = found.length > limit && last !== undefined ? { at: timeOf(last), id: last.id } : null;
  return { items, total, end };
}
