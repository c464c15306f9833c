import { findTimeOfId, type IdPrefix } from '../core/ids.ts';
import type { PageRequest, Position } from '../store/page.ts';
import { invalidQuery } from './validate.ts';

/** Opaque to callers: it may change its form at any time, and one that is not ours is refused. */
export function writeCursor({ at, id }: Position): string {
  return Buffer.from(`${at.getTime()} ${id}`).toString('base64url');
}

/**
 * @param prefix of the ids in the list
 * @throws {RequestError} when the cursor came from no page of such a list
 */
export function readPageRequest(
  { limit, offset, cursor }: { limit: number; offset: number; cursor?: string | undefined },
  prefix: IdPrefix,
): PageRequest {
  if (cursor === undefined) {
    return { limit, offset };
  }
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const after = { at: new Date(/^\d{1,15}$/.test(time) ? Number(time) : Number.NaN), id };
  if (findTimeOfId(prefix, id) === null || Number.isNaN(after.at.getTime()) || writeCursor(after) !== cursor) {
    throw invalidQuery([{ pointer: '/cursor', detail: 'must be the next_cursor of a page of this very list' }]);
  }
  return { limit, offset, after };
}
