import { createHash } from 'node:crypto';
import type { TimelineEntry } from '../../contract/resources.ts';
import { plainTag } from './compress-answers.ts';
import { RequestError } from './problem.ts';

const TAGS = /(?:W\/)?"[\x21\x23-\x7e]*"/g;

interface Tagged {
  readonly timeline?: readonly Pick<TimelineEntry, 'at' | 'event' | 'by'>[] | undefined;
  readonly failures_per_minute?: object | undefined;
}

/**
 * The strong entity tag of an incident: digests of its timeline, of the incident, and of the signals, similar incidents
 * and cards that are sent with it. `If-Match` compares only the first. The timeline has everything that people do, and only
 * grows, so two equal ones mean that nobody did anything between them; a new signal refuses nobody. The rate of failures
 * moves on by itself each minute, so it is left out: `last_seen_at` changes with each failure.
 */
export function entityTagOf({ failures_per_minute: _rate, ...incident }: Tagged, related?: readonly object[]): string {
  const parts = [incident.timeline ?? [], incident, ...(related === undefined ? [] : [related])];
  return `"${parts.map(digest).join('.')}"`;
}

function digest(value: object): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

/** Whether the client has this response already. Weak comparison (RFC 9110, 13.1.2). */
export function isKnownToClient(headers: Headers, etag: string): boolean {
  const known = headers.get('if-none-match');
  return known !== null && (known.trim() === '*' || readTags(known).some((tag) => plainTag(tag) === etag));
}

/**
 * @param incident the current state, without signals
 * @throws {RequestError} when somebody has changed the incident since the client read it
 */
export function demandUnchanged(headers: Headers, incident: Tagged): void {
  const etag = entityTagOf(incident);
  if (isExpected(headers, etag)) {
    return;
  }
  const first = incident.timeline?.findLast(({ by }) => by !== undefined);
  const who = first === undefined ? '' : ` (last: ${first.event} by ${first.by} at ${first.at})`;
  const detail = `the incident has changed since you read it${who}: read it again before you change it`;
  throw new RequestError('incident-changed', detail, { headers: { etag } });
}

/**
 * The strong entity tag of a schedule. `If-Match` compares only the revision: that somebody else is on call by now
 * refuses nobody.
 */
export function scheduleTagOf(schedule: object, revision: number): string {
  return `"${revision}.${digest(schedule)}"`;
}

/** The condition of a request as `ScheduleStore.update` takes it. */
export function expectsRevision(headers: Headers): (revision: number) => boolean {
  return (revision) => isExpected(headers, `"${revision}."`);
}

/** Compares what people change, which tags have before their first dot. Weak tags equal none (RFC 9110, 13.1.1). */
function isExpected(headers: Headers, etag: string): boolean {
  const expected = headers.get('if-match');
  const changes = etag.slice(0, etag.indexOf('.') + 1);
  return expected === null || expected.trim() === '*' || readTags(expected).some((tag) => tag.startsWith(changes));
}

function readTags(list: string): string[] {
  return list.match(TAGS) ?? [];
}
