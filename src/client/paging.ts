import { ContractViolationError } from './errors.ts';
import type { Listed } from './liberal.ts';

/** More than any list needs: a service that always has more does not hold us forever. */
const MAX_PAGES = 10_000;

export interface PageStart {
  /** How many items lie before the page, as far as is known. */
  readonly offset: number;
  /** null: the service has offered none. */
  readonly cursor: string | null;
}

/**
 * Walks over a list by cursor as soon as the service offers one, until then by offset, and gives each item once. The list may move meanwhile, as its total tells: what slides down
 * comes twice and is dropped; when items have slid up past our offset, the walk goes back by as many. It ends where a
 * page beyond all that was read brings nothing new, so also where the service ignores the offset.
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
  let reach = 0; // what was read lies at most this far down the list as it is now
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

/** Asks once too often rather than miss an item: a service may use a smaller page than was asked for and not say so. */
function mayHaveMore(page: Listed<unknown>, offset: number): boolean {
  const { total, limit, hasMore } = page;
  const length = lengthOf(page);
  return hasMore ?? (limit === null || length >= limit || offset + length < (total ?? 0));
}

/** Whether a reader should be offered another page: what the service says, else what its numbers tell. */
export function offersMore(page: Listed<unknown>, asked: { readonly limit: number; readonly offset: number }): boolean {
  const { total, limit, hasMore } = page;
  const length = lengthOf(page);
  if (total === null) {
    return hasMore ?? (length > 0 && length === (limit ?? asked.limit));
  }
  const isFull = length >= (limit ?? 1); // a total may count others than were asked for
  return hasMore ?? (isFull && asked.offset + length < total);
}

/** On the page of the service, also what cannot be read. */
export function lengthOf({ items, unreadable }: Listed<unknown>): number {
  return items.length + unreadable.length;
}
