import type { z } from 'zod';
import type { Problem } from '../../contract/problem.ts';
import type { SignalBatch } from '../core/signal.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import { describeIssue } from './describe-issue.ts';
import { decodeJsonBy } from './ingest-body.ts';
import { RequestError } from './problem.ts';
import { checkBody, invalidBody, MAX_ERRORS, pointerTo, summarise } from './validate.ts';

/** Some entries of a list are invalid. The sender is told once the others are stored. */
export class PartlyRefusedError extends RequestError {
  /** For the integration's page. */
  readonly entries: readonly unknown[];
  /** "2 of 10 refused, the others taken" */
  readonly extent: string;

  constructor(errors: NonNullable<Problem['errors']>, entries: readonly unknown[], total: number) {
    const extent = `${entries.length} of ${total} refused, the others taken`;
    const shown = errors.slice(0, MAX_ERRORS);
    super('invalid-body', `${extent}: ${summarise(shown)}`, { errors: shown });
    this.entries = entries;
    this.extent = extent;
  }
}

/** A body without its invalid entries. */
export interface Taken<Body> {
  readonly body: Body;
  /** null: all entries are valid */
  readonly refusal: PartlyRefusedError | null;
}

/** What a request has reported. */
export interface Received extends SignalBatch {
  readonly refusal?: PartlyRefusedError | null;
}

/**
 * Decodes a list, or an object with a list, in steps. Invalid entries are left out, so that they cost the sender no
 * others.
 *
 * @param list the member with the list; absent: the body is the list
 * @throws {RequestError} also from the steps; when no entry is valid, too
 */
export function decodeEntries<Schema extends z.ZodType>(
  schema: Schema,
  headers: Headers,
  list?: string,
): Decode<Taken<z.output<Schema>>> {
  return decodeJsonBy(headers, (value) => takeEntries(schema, value, list));
}

/** @throws {RequestError} */
export function takeEntries<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  list?: string,
): Taken<z.output<Schema>> {
  const entries: unknown = list === undefined ? body : Object(body)[list];
  const parsed = schema.safeParse(body, { error: describeIssue });
  const place = list === undefined ? [] : [list];
  if (parsed.success) {
    return { body: parsed.data, refusal: null };
  }
  const faults = parsed.error.issues;
  const errors = faults.map(({ path, message }) => ({ pointer: pointerTo(path), detail: message }));
  const refused = new Set(
    faults.map(({ path }) => (path.slice(0, place.length).join() === place.join() ? path[place.length] : undefined)),
  );
  if (!Array.isArray(entries) || refused.has(undefined) || refused.size === entries.length) {
    throw invalidBody(errors);
  }
  const [left, valid] = [entries.filter((_, at) => refused.has(at)), entries.filter((_, at) => !refused.has(at))];
  return {
    body: checkBody(schema, list === undefined ? valid : { ...Object(body), [list]: valid }),
    refusal: new PartlyRefusedError(errors, left, entries.length),
  };
}
