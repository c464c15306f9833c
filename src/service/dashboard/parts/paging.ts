import { z } from 'zod';
import { writeCursor } from '../../http/cursor.ts';
import type { Position } from '../../store/shared/page.ts';

/** Pages that an address remembers; the way back from further ones leads to the first. */
const MOST_REMEMBERED = 20;

/** Cursors of the pages between the first one and this one, in their order: a list only goes on, so they lead back. */
export const Trail = z
  .string()
  .max(4_000)
  .regex(/^[\w.-]+$/)
  .transform((text) => text.split('.'))
  .catch([]);

/** Which page of a list an address asks for. */
export interface Paged {
  /** null: the first page. */
  readonly after: Position | null;
  readonly trail: readonly string[];
}

/** Parameters of an address. */
type Parameters = Readonly<Record<string, string>>;

/** @returns of the page before this one; null: this is the first */
export function previousPage({ after, trail }: Paged): Parameters | null {
  const cursor = trail.at(-1);
  return after === null ? null : cursor === undefined ? {} : { cursor, ...trailOf(trail.slice(0, -1)) };
}

/** @param end of this page; null: it is the last one */
export function nextPage({ after, trail }: Paged, end: Position | null): Parameters | null {
  const passed = after === null ? [] : [...trail, writeCursor(after)].slice(-MOST_REMEMBERED);
  return end === null ? null : { cursor: writeCursor(end), ...trailOf(passed) };
}

function trailOf(trail: readonly string[]): Parameters {
  return trail.length === 0 ? {} : { trail: trail.join('.') };
}
