import { sql } from 'kysely';
import { NotFoundError } from '../../core/errors.ts';
import { findTimeOfId } from '../../core/ids.ts';
import type { IncidentRow } from './incident-row.ts';

const NUMBER = /^\d{1,18}$/;

/** Whether it can be the id or the number of an incident. */
export function isReference(text: string): boolean {
  return NUMBER.test(text) || findTimeOfId('inc', text) !== null;
}

/** @throws {NotFoundError} */
export function matches(reference: string) {
  if (!isReference(reference)) {
    throw new NotFoundError('incident', reference);
  }
  return NUMBER.test(reference) ? sql<boolean>`number = ${reference}::bigint` : sql<boolean>`id = ${reference}`;
}

/** @throws {NotFoundError} */
export function requireOne(rows: readonly IncidentRow[], reference: string): IncidentRow {
  const [row] = rows;
  if (row === undefined) {
    throw new NotFoundError('incident', reference);
  }
  return row;
}
