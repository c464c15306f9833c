import type { z } from 'zod';
import type { Problem } from '../../contract/problem.ts';
import { ClientGoneError } from '../core/errors.ts';
import { isUtf8Text, mediaTypeOf } from '../ingest/media-type.ts';
import { describeIssue } from './describe-issue.ts';
import { findSimilar } from './did-you-mean.ts';
import { RequestError } from './problem.ts';
import { hasUtf8Escapes, StorableText } from './storable-text.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i;

/** Maximum number of reported errors, so that the response is not much larger than the request. */
export const MAX_ERRORS = 20;

/** Escapes in JSON text: those to keep, pairs of surrogates whole, and what PostgreSQL cannot store. */
const ESCAPES = /(\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|[^u]|u(?!0000|d[89a-f])))|\\u[\da-f]{4}/gi;
const MAY_BE_UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/** @throws {RequestError} */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, url: string): z.output<Schema> {
  const { search, searchParams } = new URL(url);
  if (!hasUtf8Escapes(search)) {
    throw new RequestError('invalid-query', 'the query must be UTF-8');
  }
  const query: Record<string, string> = {};
  for (const [name, value] of searchParams) {
    if (Object.hasOwn(query, name)) {
      throw invalidQuery([{ pointer: pointerTo([name]), detail: 'is given more than once' }]);
    }
    const text = StorableText.safeParse(value);
    if (!text.success) {
      throw invalidQuery(text.error.issues.map((issue) => ({ pointer: pointerTo([name]), detail: issue.message })));
    }
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  const parsed = schema.safeParse(query, { error: describeIssue });
  if (!parsed.success) {
    const known = 'shape' in schema ? Object.keys(schema.shape as object) : []; // zod objects have a shape
    throw invalidQuery(parsed.error.issues.flatMap((issue) => describeQueryIssue(issue, known)));
  }
  return parsed.data;
}

export function invalidQuery(errors: NonNullable<Problem['errors']>): RequestError {
  return new RequestError('invalid-query', summarise(errors), { errors });
}

function describeQueryIssue(issue: z.core.$ZodIssue, known: readonly string[]): NonNullable<Problem['errors']> {
  if (issue.code !== 'unrecognized_keys') {
    return [{ pointer: pointerTo(issue.path), detail: issue.message }];
  }
  return issue.keys.map((key) => {
    const similar = findSimilar(key, known);
    const hint = known.length === 0 ? 'there are none here' : `known are ${known.join(', ')}`;
    const detail = `is no query parameter of this address: ${similar === null ? hint : `did you mean "${similar}"?`}`;
    return { pointer: pointerTo([key]), detail };
  });
}

/**
 * @param request the caller has limited its size
 * @throws {RequestError}
 */
export async function parseBody<Schema extends z.ZodType>(schema: Schema, request: Request): Promise<z.output<Schema>> {
  demandJson(request.headers);
  const bytes = await request.arrayBuffer().catch((cause: unknown) => {
    throw new ClientGoneError('the client broke off the request', { cause });
  });
  return checkBody(schema, parseJson(decodeText(bytes)));
}

/** @throws {RequestError} unless the headers announce JSON that `decodeText` can read */
export function demandJson(headers: Headers): void {
  if (!JSON_TYPE.test(mediaTypeOf(headers))) {
    throw new RequestError('unsupported-media-type', 'send the body as JSON, with content-type: application/json');
  }
  demandText(headers);
}

/** @throws {RequestError} unless the headers announce text that `decodeText` can read */
export function demandText(headers: Headers): void {
  if (!/^(identity)?$/i.test(headers.get('content-encoding') ?? '')) {
    throw new RequestError('unsupported-media-type', 'send the body without content-encoding');
  }
  if (!isUtf8Text(headers)) {
    throw new RequestError('unsupported-media-type', 'send the body in the charset utf-8');
  }
}

/** @throws {RequestError} when it is not UTF-8 */
export function decodeText(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RequestError('invalid-json', 'the body is not valid UTF-8');
  }
}

/** @throws {RequestError} */
export function checkBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body, { error: describeIssue });
  if (!parsed.success) {
    throw invalidBody(parsed.error.issues.map((issue) => ({ pointer: pointerTo(issue.path), detail: issue.message })));
  }
  return parsed.data;
}

export function invalidBody(errors: NonNullable<Problem['errors']>): RequestError {
  const shown = errors.slice(0, MAX_ERRORS);
  return new RequestError('invalid-body', summarise(shown), { errors: shown });
}

/**
 * NUL and halves of surrogate pairs, which PostgreSQL cannot store, become U+FFFD: nobody's alert or note is lost for them.
 *
 * @throws {RequestError}
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(MAY_BE_UNSTORABLE.test(text) ? text.replaceAll(ESCAPES, (_, kept) => kept ?? '\\ufffd') : text);
  } catch {
    throw new RequestError('invalid-json', 'the body is not valid JSON');
  }
}

/** JSON Pointer (RFC 6901). A query is treated as an object of its parameters. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function summarise(errors: NonNullable<Problem['errors']>): string {
  return errors.map(({ pointer, detail }) => `${pointer?.slice(1) || 'the body'}: ${detail}`).join('; ');
}
