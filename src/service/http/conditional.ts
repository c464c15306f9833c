import { createHash } from 'node:crypto';
import { RequestError } from './problem.ts';

const OPAQUE_TAG = /"[\x21\x23-\x7e]*"/;
const TAGS = new RegExp(`(?:W/)?${OPAQUE_TAG.source}`, 'g');

/**
 * The strong entity tag of an incident as it is sent: of what it is, and of what was sent along: its signals and those
 * like it. A change is held against the first part alone, so that who read it without signals, or before one of them was
 * seen once more, is not refused.
 */
export function entityTagOf(incident: object, sentAlong?: readonly object[]): string {
  const ofTheRest = sentAlong === undefined ? '' : `.${digest(sentAlong)}`;
  return `"${digest(incident)}${ofTheRest}"`;
}

function digest(value: object): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

/** Whether the sender has this very answer already: compared weakly (RFC 9110, 13.1.2). */
export function isKnownToSender(headers: Headers, etag: string): boolean {
  const known = headers.get('if-none-match');
  return known !== null && (known.trim() === '*' || readTags(known).some((tag) => tag.replace(/^W\//, '') === etag));
}

/**
 * @param incident as it is now, without its signals
 * @throws {RequestError} when the sender holds it for something else: compared strongly (RFC 9110, 13.1.1)
 */
export function demandUnchanged(headers: Headers, incident: object): void {
  const expected = headers.get('if-match');
  const etag = entityTagOf(incident);
  if (expected === null || expected.trim() === '*' || readTags(expected).some((tag) => stateIn(tag) === etag)) {
    return;
  }
  const detail = 'the incident has changed since you read it: read it again and decide anew';
  throw new RequestError('incident-changed', detail, { headers: { etag } });
}

function readTags(list: string): string[] {
  return list.match(TAGS) ?? [];
}

function stateIn(tag: string): string {
  return tag.replace(/\..*"$/, '"');
}
