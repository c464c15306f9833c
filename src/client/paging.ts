import { ContractViolationError } from './errors.ts';
import type { Listed } from './liberal.ts';

/** More than any list needs: a service that always has more does not hold us forever. */
const MAX_PAGES = 10_000;

/**
 * Walks over a list by offset and gives each item once. The list may move meanwhile: what slides down comes twice and is
 * dropped; when the total shrinks, items have slid up past our offset, so the walk goes back by as many. It ends at a
 * page that brings nothing new, so also where the service ignores the offset.
 *
 * @param call names the list in an error
 * @throws {ContractViolationError} when the list does not end
 */
export async function* walkPages<Item extends { readonly id: string }>(
  call: string,
  readPage: (offset: number) => Promise<Listed<Item>>,
): AsyncGenerator<Item, void> {
  const seen = new Set<string>();
  let offset = 0;
  let total: number | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await readPage(offset);
    const fresh = page.items.filter((item) => !seen.has(item.id) && seen.add(item.id));
    yield* fresh;

    const shrunkBy: number = Math.max(0, (total ?? 0) - (page.total ?? total ?? 0));
    total = page.total;
    if (shrunkBy > 0) {
      offset = Math.max(0, offset - shrunkBy);
    } else if (fresh.length > 0 && mayHaveMore(page, offset)) {
      offset += page.items.length;
    } else {
      return;
    }
  }
  throw new ContractViolationError('the list does not end', call);
}

/** Asks once too often rather than miss an item: a service may use a smaller page than was asked for and not say so. */
function mayHaveMore(page: Listed<unknown>, offset: number): boolean {
  const { items, total, limit, hasMore } = page;
  return hasMore ?? (limit === null || items.length >= limit || offset + items.length < (total ?? 0));
}

/** Whether a reader should be offered another page: what the service says, else what its numbers tell. */
export function offersMore(page: Listed<unknown>, asked: { readonly limit: number; readonly offset: number }): boolean {
  const { items, total, limit, hasMore } = page;
  const isWithinTotal = total === null ? items.length === (limit ?? asked.limit) : asked.offset + items.length < total;
  return hasMore ?? (items.length > 0 && isWithinTotal);
}
