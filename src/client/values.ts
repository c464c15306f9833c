import { type IncidentStatus, SIGNAL_TYPES, type SignalType } from '../contract/resources.ts';

/** Readers for single values in the formats of other services. They return undefined for unreadable values. */

const CLOSED_WORDS = /^(closed?|resolved?|done|completed?|fixed|solved|cancell?ed|dismissed|inactive|finished|ended)$/i;

const ACKNOWLEDGED_WORDS = /^(ack|acked|acknowledged)$/i;

/** RFC 3339 and similar formats; Java adds the name of the time zone. */
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(z|utc|gmt|[+-]\d\d:?\d\d)?(?:\[[\w/+-]+\])?$/i;

/** HTTP dates (RFC 9110, "IMF-fixdate"). */
const HTTP_DATE = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i;

/** Times up to this count as unset; languages without null use them as zero values. */
const NO_TIME_UNTIL = '1970-01-01T00:00:00.000Z';

export function readId(value: unknown): string | undefined {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? String(value) : undefined;
  }
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** An unknown word means open, because a missed incident is worse than a superfluous one. */
export function readStatus(value: unknown): IncidentStatus | undefined {
  if (typeof value !== 'string') {
    return undefined;
  }
  return CLOSED_WORDS.test(value.trim()) ? 'closed' : 'open';
}

/** Whether the status itself means open and acknowledged. */
export function isAcknowledgedWord(value: unknown): boolean {
  return typeof value === 'string' && ACKNOWLEDGED_WORDS.test(value.trim());
}

/** Reads the name, e-mail or id of a person or team; null: nobody. */
export function readPerson(value: unknown): string | null | undefined {
  if (typeof value === 'object' && value !== null) {
    const { name, email, id } = value as Readonly<Record<string, unknown>>;
    return readPerson(name ?? email ?? id ?? []);
  }
  const text = typeof value === 'string' ? value.trim() : undefined;
  return value === null || text === '' ? null : text;
}

export function readServiceName(value: unknown): string | undefined {
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : value;
  if (name === null || name === undefined || name === '') {
    return 'unknown';
  }
  return typeof name === 'string' ? name : undefined;
}

export function readSignalType(value: unknown): SignalType | undefined {
  const word = typeof value === 'string' ? value.toLowerCase().replace(/s$/, '') : '';
  return SIGNAL_TYPES.find((type) => type === word);
}

/** @returns RFC 3339 in UTC with milliseconds */
export function readTime(value: unknown): string | undefined {
  const at = new Date(unixMs(value) ?? dateTimeMs(value) ?? Number.NaN);
  const year = at.getUTCFullYear();
  return year >= 0 && year <= 9999 ? at.toISOString() : undefined;
}

/** Reads an optional time. @returns as `readTime`; null: not set */
export function readOptionalTime(value: unknown): string | null | undefined {
  const time = readTime(value);
  return value === '' || (time !== undefined && time <= NO_TIME_UNTIL) ? null : time;
}

/** Infers the unit from the magnitude: each unit covers the years 1973 to 5138; seconds also cover earlier times. */
function unixMs(value: unknown): number | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))) {
    return undefined;
  }
  const time = Number(value);
  const size = Math.abs(time);
  const perMs = size < 1e11 ? 1e-3 : size < 1e14 ? 1 : size < 1e17 ? 1e3 : 1e6;
  return Math.round(time / perMs);
}

function dateTimeMs(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  if (HTTP_DATE.test(text)) {
    return Date.parse(text);
  }
  const parts = DATE_TIME.exec(text);
  return parts === null ? undefined : Date.parse(`${parts[1]}T${parts[2]}${zoneOf(parts[3] ?? 'Z')}`);
}

function zoneOf(text: string): string {
  return /^(z|utc|gmt)$/i.test(text) ? 'Z' : text.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
}
