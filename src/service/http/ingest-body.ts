import type { z } from 'zod';
import { MalformedMessageError } from '../ingest/decoded.ts';
import type { Decode, IncomingBodies } from '../ingest/incoming-bodies.ts';
import { expectEnd, openJson, skipValue } from '../ingest/json-cursor.ts';
import { INGEST_LIMITS, RequestTooLargeError } from '../ingest/limits.ts';
import { mediaTypeOf } from '../ingest/media-type.ts';
import { RequestError } from './problem.ts';
import { checkBody, decodeText, demandJson, demandText, parseJson } from './validate.ts';

/**
 * Parses a JSON body of a sender in steps. Its values are counted before they are created.
 *
 * @throws {RequestError} also from the steps
 * @throws {RequestTooLargeError} from the steps
 */
export function decodeJson<Schema extends z.ZodType>(schema: Schema, headers: Headers): Decode<z.output<Schema>> {
  return decodeJsonBy(headers, (value) => checkBody(schema, value));
}

/** What collectd, `curl -d` and programs that say nothing call their JSON. */
const MAYBE_JSON = ['', 'text/json', 'text/plain', 'application/x-www-form-urlencoded'];

/** The same with a check of one's own. */
export function decodeJsonBy<Result>(headers: Headers, check: (value: unknown) => Result): Decode<Result> {
  if (MAYBE_JSON.includes(mediaTypeOf(headers))) {
    demandText(headers);
  } else {
    demandJson(headers);
  }
  return function* (bytes) {
    checkShape(bytes);
    yield;
    const value = parseJson(decodeText(bytes));
    yield;
    return check(value);
  };
}

const JSON_HEADERS = new Headers({ 'content-type': 'application/json' });

/**
 * Parses JSON as `decodeJson` does, also as the field `payload` of a form, which it must begin with.
 *
 * @throws {RequestError} also from the steps
 * @throws {RequestTooLargeError} from the steps
 */
export function decodeJsonOrForm<Schema extends z.ZodType>(schema: Schema, headers: Headers): Decode<z.output<Schema>> {
  if (mediaTypeOf(headers) !== FORM_TYPE) {
    return decodeJson(schema, headers);
  }
  demandText(headers);
  const decode = decodeJson(schema, JSON_HEADERS);
  return function* (bytes) {
    const payload = payloadIn(decodeText(bytes));
    yield;
    return yield* decode(payload);
  };
}

/**
 * Parses JSON, or a form as the object of its texts, for which scripts need to escape nothing. What begins like JSON is JSON
 * also under the type of forms, as `curl -d` sends it.
 *
 * @throws {RequestError} @throws {RequestTooLargeError} also from the steps
 */
export function decodeJsonOrFields<Result>(headers: Headers, check: (value: unknown) => Result): Decode<Result> {
  if (mediaTypeOf(headers) !== FORM_TYPE) {
    return decodeJsonBy(headers, check);
  }
  demandText(headers);
  const decode = decodeJsonBy(JSON_HEADERS, check);
  return function* (bytes) {
    const text = decodeText(bytes);
    if (/^\s*[[{]/.test(text)) {
      return yield* decode(bytes);
    }
    const fields = fieldsIn(text);
    yield;
    return check(fields);
  };
}

/** A field that is given more than once is a list. */
function fieldsIn(form: string): Readonly<Record<string, string | readonly string[]>> {
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(form.replaceAll('%00', '%EF%BF%BD'))) {
    // as in JSON
    const values = fields.get(name);
    if (values === undefined) {
      fields.set(name, [value]);
    } else {
      values.push(value);
    }
  }
  return Object.fromEntries(
    [...fields].map(([name, [first = '', ...more]]) => [name, more.length === 0 ? first : [first, ...more]]),
  );
}

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** @throws {RequestError} */
function payloadIn(form: string): Uint8Array {
  const payload = /^payload=([^&]*)/.exec(form)?.[1] ?? '';
  try {
    return Buffer.from(decodeURIComponent(payload.replaceAll('+', ' ')));
  } catch {
    throw new RequestError('invalid-json', 'the field payload of the form is not percent-encoded');
  }
}

/** @throws {RequestError} @throws {RequestTooLargeError} */
function checkShape(bytes: Uint8Array): void {
  try {
    const cursor = openJson(bytes);
    const values = skipValue(cursor);
    expectEnd(cursor);
    if (values > INGEST_LIMITS.jsonValues) {
      throw new RequestTooLargeError(`a body may have at most ${INGEST_LIMITS.jsonValues} values: send less at once`);
    }
  } catch (error) {
    throw error instanceof MalformedMessageError
      ? new RequestError('invalid-json', `the body is not valid JSON: ${error.message}`)
      : error;
  }
}

/** Decodes, pauses, and reads what was decoded. */
export function thenRead<Parsed, Result>(decode: Decode<Parsed>, read: (parsed: Parsed) => Result): Decode<Result> {
  return function* (body) {
    const parsed = yield* decode(body);
    yield;
    return read(parsed);
  };
}

/**
 * Receives a body and decodes it.
 *
 * @throws {RequestError} @throws {OverloadedError} @throws {ClientGoneError}
 */
export async function receiveJson<Result>(
  bodies: IncomingBodies,
  request: Request,
  {
    sender,
    maxBytes,
    isGzip = false,
  }: { readonly sender: string; readonly maxBytes: number; readonly isGzip?: boolean },
  decode: Decode<Result>,
): Promise<Result> {
  try {
    return await bodies(request, { sender, isGzip, limit: maxBytes }, decode);
  } catch (error) {
    throw error instanceof RequestTooLargeError ? new RequestError('body-too-large', error.message) : error;
  }
}
