import { createHash } from 'node:crypto';
import { RequestError } from './problem.ts';

const OPAQUE_TAG = /"[\x21\x23-\x7e]*"/;
const TAGS = new RegExp(`(?:W/)?${OPAQUE_TAG.source}`, 'g');

/**
 * The strong entity tag of an incident: a digest of the incident, and one of the signals, similar incidents and cards
 * that are sent with it. `If-Match` compares only the first, so that clients that read the incident without signals, or before a
 * signal was seen again, are not refused. The rate of failures moves on by itself each minute, so it is left out:
 * `last_seen_at` changes with each failure.
 */
export function entityTagOf(
  { failures_per_minute: _rate, ...incident }: { readonly failures_per_minute?: object | undefined },
  related?: readonly object[],
): string {
  const suffix = related === undefined ? '' : `.${digest(related)}`;
  return `"${digest(incident)}${suffix}"`;
}

function digest(value: object): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

/** Whether the client has this response already. Weak comparison (RFC 9110, 13.1.2). */
export function isKnownToClient(headers: Headers, etag: string): boolean {
  const known = headers.get('if-none-match');
  return known !== null && (known.trim() === '*' || readTags(known).some((tag) => tag.replace(/^W\//, '') === etag));
}

/**
 * Strong comparison (RFC 9110, 13.1.1).
 *
 * @param incident the current state, without signals
 * @throws {RequestError} when the incident has changed since the client read it
 */
export function demandUnchanged(headers: Headers, incident: object): void {
  const expected = headers.get('if-match');
  const etag = entityTagOf(incident);
  if (expected === null || expected.trim() === '*' || readTags(expected).some((tag) => stateIn(tag) === etag)) {
    return;
  }
  const detail = 'the incident has changed since you read it: read it again before you change it';
  throw new RequestError('incident-changed', detail, { headers: { etag } });
}

function readTags(list: string): string[] {
  return list.match(TAGS) ?? [];
}

function stateIn(tag: string): string {
  return tag.replace(/\..*"$/, '"');
}
