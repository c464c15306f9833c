import { Severity } from '../../contract/resources.ts';
import { findTimeOfId, type IdPrefix } from '../core/ids.ts';
import type { Page, PageRequest, Position } from '../store/shared/page.ts';
import { invalidQuery } from './validate.ts';

/** Opaque to clients: the format may change at any time. */
export function writeCursor({ at, id, severity }: Position): string {
  return Buffer.from(`${at.getTime()} ${id}${severity === undefined ? '' : ` ${severity}`}`).toString('base64url');
}

/** @returns null: it is not the cursor of a list of such ids */
export function readCursor(cursor: string, prefix: IdPrefix): Position | null {
  const [time = '', id = '', severity] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const worst = severity === undefined ? null : Severity.safeParse(severity);
  const position = {
    at: new Date(/^\d{1,15}$/.test(time) ? Number(time) : Number.NaN),
    id,
    ...(worst?.success && { severity: worst.data }),
  };
  const isOurs = findTimeOfId(prefix, id) !== null && !Number.isNaN(position.at.getTime());
  return isOurs && writeCursor(position) === cursor ? position : null;
}

/**
 * @param prefix of the ids in the list
 * @throws {RequestError} when the cursor is not from such a list
 */
export function readPageRequest(
  { limit, offset, cursor }: { limit: number; offset: number; cursor?: string | undefined },
  prefix: IdPrefix,
): PageRequest {
  if (cursor === undefined) {
    return { limit, offset };
  }
  const after = readCursor(cursor, prefix);
  if (after === null) {
    throw invalidQuery([{ pointer: '/cursor', detail: 'must be the next_cursor of a page of this list' }]);
  }
  return { limit, offset, after };
}

/** What every list has beside its array. */
export function presentPage({ total, isTotalLowerBound, end }: Page<unknown>, { limit, offset }: PageRequest) {
  return {
    total,
    limit,
    offset,
    has_more: end !== null,
    next_cursor: end === null ? null : writeCursor(end),
    ...(isTotalLowerBound !== undefined && { total_is_lower_bound: isTotalLowerBound }),
  };
}
