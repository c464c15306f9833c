import { ContractViolationError } from './errors.ts';
import type { Listed } from './liberal.ts';

/** Stops a walk over a list that never ends. */
const MAX_PAGES = 10_000;

export interface PageStart {
  /** Number of items before the page, as far as known. */
  readonly offset: number;
  /** null: the service has not returned one. */
  readonly cursor: string | null;
}

/**
 * Walks over a list and yields each item once. Uses the cursor if the service returns one, otherwise the offset. The
 * list may change during the walk. Items that move down appear twice and are dropped; if the total shrinks, the walk goes
 * back by the difference. It ends when a page after everything read so far has no new items, which also covers services
 * that ignore the offset.
 *
 * @param call names the list in an error
 * @throws {ContractViolationError} when the list does not end
 */
export async function* walkPages<Item extends { readonly id: string }>(
  call: string,
  readPage: (start: PageStart) => Promise<Listed<Item>>,
): AsyncGenerator<Item, void> {
  const seen = new Set<string>();
  let offset = 0;
  let cursor: string | null = null;
  let reach = 0; // everything read so far is within this many items of the current list
  let total: number | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page: Listed<Item> = await readPage({ offset, cursor });
    const fresh = page.items.filter((item) => !seen.has(item.id) && seen.add(item.id));
    yield* fresh;

    const end = offset + lengthOf(page);
    if (page.nextCursor !== null || cursor !== null) {
      if (page.nextCursor === null || fresh.length === 0) {
        return;
      }
      cursor = page.nextCursor;
      offset = end;
      continue;
    }
    const shift: number = (page.total ?? 0) - (total ?? page.total ?? 0);
    reach += Math.max(0, shift);
    const isProgress = fresh.length > 0 || (lengthOf(page) > 0 && end <= reach);
    reach = Math.max(reach, end);
    total = page.total;
    if (shift < 0) {
      offset = Math.max(0, offset + shift);
    } else if (isProgress && mayHaveMore(page, offset)) {
      offset = end;
    } else {
      return;
    }
  }
  throw new ContractViolationError('the list does not end', call);
}

/** Prefers one request too many to a missed item: a service may silently use smaller pages than requested. */
function mayHaveMore(page: Listed<unknown>, offset: number): boolean {
  const { total, limit, hasMore } = page;
  const length = lengthOf(page);
  return hasMore ?? (limit === null || length >= limit || offset + length < (total ?? 0));
}

/** Whether to offer another page: as the service reports, otherwise derived from its counts. */
export function offersMore(page: Listed<unknown>, asked: { readonly limit: number; readonly offset: number }): boolean {
  const { total, limit, hasMore } = page;
  const length = lengthOf(page);
  if (total === null) {
    return hasMore ?? (length > 0 && length === (limit ?? asked.limit));
  }
  const isFull = length >= (limit ?? 1); // the total may include items that were not requested
  return hasMore ?? (isFull && asked.offset + length < total);
}

/** Number of items on the page, including unreadable ones. */
export function lengthOf({ items, unreadable }: Listed<unknown>): number {
  return items.length + unreadable.length;
}
