import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Severity } from '../../../contract/resources.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** Position of an item in a list that is ordered by time and id, newest first. */
export interface Position {
  readonly at: Date;
  readonly id: string;
  /** Only in lists that are ordered by severity first. */
  readonly severity?: Severity;
}

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** Start right after this position, even if the list has changed. */
  readonly after?: Position | null;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Number of all matching items. */
  readonly total: number;
  /** Whether there are more than `total`, because counting them would cost too much. Absent: it is exact. */
  readonly isTotalLowerBound?: boolean;
  /** Position of the last item; null on the last page. */
  readonly end: Position | null;
}

/** Matches are counted up to here where counting costs what matches. */
const MOST_COUNTED = 10_000;

/** Counts the rows of a select without columns. */
export async function countBounded(
  db: Kysely<ServiceTables>,
  rows: RawBuilder<unknown>,
): Promise<Required<Pick<Page<unknown>, 'total' | 'isTotalLowerBound'>>> {
  const counted = await sql<{ total: string }>`
    select count(*) as total from (${rows} limit ${MOST_COUNTED + 1}) as counted
  `.execute(db);
  const total = Number(counted.rows[0]?.total);
  return { total: Math.min(total, MOST_COUNTED), isTotalLowerBound: total > MOST_COUNTED };
}

/** @param found items in the order of the list, with one more than `limit` if there are more */
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
