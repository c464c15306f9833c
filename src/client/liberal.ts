import { z } from 'zod';
import { EventIncident } from '../contract/events.ts';
import { Integration } from '../contract/integrations.ts';
import { Mute } from '../contract/mute.ts';
import { Incident, IncidentSummary, Signal } from '../contract/resources.ts';
import { markTyped } from './mark-typed.ts';
import {
  isAcknowledgedWord,
  readCount,
  readId,
  readOptionalTime,
  readPerson,
  readServiceName,
  readSignalType,
  readStatus,
  readTime,
} from './values.ts';

/**
 * Reads the responses of any service that follows the API document, including parts that the document leaves open:
 *
 * | part | accepted |
 * |---|---|
 * | id | a string or an integer of any size |
 * | time | RFC 3339 (zone `Z`, offset or none, which is UTC), an HTTP date, Unix seconds, milli-, micro- or nanoseconds, as number or text |
 * | optional time | the same; up to 1970, or empty: not set |
 * | count | an integer as number or text; null is 0 |
 * | status | any word: `closed` and its synonyms are closed, every other word is open, `acknowledged` is that as well |
 * | person | a name, or an object with a name, e-mail or id; empty: nobody |
 * | service | a name, `{name}`, or nothing (`unknown`) |
 * | list | an array, or an object with the array under its name or as its only array, or a wrapper of such an object |
 * | single item | bare, or in an object under its name or as the only object with an id |
 * | signals of an incident | under that name or as the only array of signals, inside the incident or next to it |
 * | incident of a signal | `incident_id`, or one of INCIDENT_ID_NAMES if they agree |
 * | optional field | dropped if its type is unexpected, because the name may mean something else there |
 * | other fields | kept unchanged |
 */

type Fields = Readonly<Record<string, unknown>>;

/** Returns undefined for values that it cannot read. */
type Reader = (value: unknown) => unknown;

const INCIDENT_ID_NAMES = ['incidentId', 'correlation_id', 'correlationId', 'incident', 'correlation'];

const INCIDENT_READERS: Readonly<Record<string, Reader>> = {
  id: readId,
  status: readStatus,
  signal_count: readCount,
  root_service: readServiceName,
  opened_at: readTime,
  acknowledged_at: readOptionalTime,
  acknowledged_by: readPerson,
  closed_at: readOptionalTime,
  resolved_by: readPerson,
  signals_ended_at: readOptionalTime,
  updated_at: readTime,
  previous_incident_id: readId,
};

const SIGNAL_READERS: Readonly<Record<string, Reader>> = {
  id: readId,
  service: readServiceName,
  observed_at: readTime,
  received_at: readTime,
  first_seen_at: readTime,
  last_seen_at: readTime,
  ended_at: readOptionalTime,
};

const INTEGRATION_READERS: Readonly<Record<string, Reader>> = {
  id: readId,
  created_at: readTime,
  last_used_at: readTime,
};

export const LiberalSignal = liberal(Signal, 'signal', (fields) => {
  const type = readSignalType(fields.type) ?? readSignalType(fields.kind);
  const incidentId = readId(fields.incident_id) ?? findIncidentId(fields);
  const incident = incidentId === undefined ? {} : { incident_id: incidentId };
  return withReaders({ service: null, ...fields, type, ...incident }, SIGNAL_READERS);
});

export const LiberalIncidentSummary = liberal(IncidentSummary, 'incident', readIncidentFields);

export const LiberalEventIncident = liberal(EventIncident, 'incident', readIncidentFields);

export const LiberalIncident = liberal(Incident, 'incident', (fields) => {
  const signals = findSignals(fields);
  return readIncidentFields(signals === undefined ? fields : { signal_count: signals.length, ...fields, signals });
});

export const LiberalIntegration = liberal(Integration, 'integration', (fields) =>
  withReaders(fields, INTEGRATION_READERS),
);

export const LiberalMute = liberal(Mute, 'mute', markTyped);

export interface Listed<Item> {
  readonly items: readonly Item[];
  /** Faults of the items that were left out because they are unreadable. */
  readonly unreadable: readonly string[];
  /** This and the next fields are null if the service does not report them. */
  readonly total: number | null;
  readonly limit: number | null;
  /** Only set by Tocsin's own envelope. Such a service accepts `limit` and `offset` for every list. */
  readonly hasMore: boolean | null;
  /** Only set by Tocsin's own envelope. Such a service accepts it as `cursor`. */
  readonly nextCursor: string | null;
}

/** @param name of the array in the documented envelope */
export function listOf<Item>(name: string, item: z.ZodType<Item>): z.ZodType<Listed<Item>> {
  return z.unknown().transform((value, context) => {
    const found = value === null ? [] : findArray(value, name); // some languages serialize an empty list as null
    if (found === undefined) {
      context.addIssue({ code: 'custom', message: `expected a list of ${name}` });
      return z.NEVER;
    }
    const parsed = found.map((each) => item.safeParse(each));
    const items = parsed.flatMap(({ success, data }) => (success ? [data] : []));
    const faults = parsed.flatMap(({ error }) => error ?? []);
    if (items.length === 0 && faults[0] !== undefined) {
      return copyIssues(faults[0], context, [0]);
    }
    const envelope = isFields(value) ? value : {};
    return {
      items,
      unreadable: faults.map((fault) => z.prettifyError(fault)),
      total: readCount(envelope.total) ?? null,
      limit: readCount(envelope.limit) ?? null,
      hasMore: isOurList(envelope) ? envelope.has_more === true : null,
      nextCursor: isOurList(envelope) && typeof envelope.next_cursor === 'string' ? envelope.next_cursor : null,
    };
  });
}

/** Parses JSON. Integers that are too large for a number become strings. @throws SyntaxError */
export function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) {
    return JSON.parse(text);
  }
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source ?? '';
    return typeof value === 'number' && /^-?\d{16,}$/.test(source) && !Number.isSafeInteger(value) ? source : value;
  });
}

/**
 * Whether a response has Tocsin's additions to the API document, so that the service supports the other additions too.
 * Checks two fields each, because another service may have one of them by chance.
 */
export function showsOurAdditions(answer: unknown): boolean {
  if (!isFields(answer)) {
    return false;
  }
  return isOurList(answer) || (typeof answer.number === 'number' && isFields(answer.signals_by_type));
}

/**
 * Whether a response has mutes that name by id who set them, so that the service takes `user_id` with a request without a
 * body, where an earlier version refuses what it does not know.
 */
export function showsUserIds(answer: unknown): boolean {
  const mutes = isFields(answer) ? [answer, answer.mute, ...(Array.isArray(answer.mutes) ? answer.mutes : [])] : [];
  return mutes.some((mute) => isFields(mute) && mute.created_by_id !== undefined);
}

function isOurList(envelope: Fields): boolean {
  return typeof envelope.has_more === 'boolean' && typeof envelope.offset === 'number';
}

/** A lenient version of the contract's schema: it unwraps, normalizes, and drops unreadable optional fields. */
function liberal<Schema extends z.ZodObject>(
  schema: Schema,
  name: string,
  tidy: (fields: Fields) => Fields,
): z.ZodType<z.infer<Schema>> {
  const loose = schema.loose();
  return z.unknown().transform((value, context) => {
    const thing = unwrap(value, name);
    const fields = thing === undefined ? value : tidy(thing);
    const first = loose.safeParse(fields);
    if (first.success) {
      return first.data as z.infer<Schema>; // loose() only adds unknown fields
    }
    const faulty = new Set(first.error.issues.map((issue) => issue.path[0]));
    const rest = Object.fromEntries(Object.entries(fields ?? {}).filter(([key]) => !faulty.has(key)));
    const second = loose.safeParse(rest);
    return second.success ? (second.data as z.infer<Schema>) : copyIssues(first.error, context);
  });
}

/** @param at path of the value within the input of `context` */
function copyIssues(error: z.ZodError, context: z.RefinementCtx, at: readonly PropertyKey[] = []): never {
  for (const { path, message } of error.issues) {
    context.addIssue({ code: 'custom', path: [...at, ...path], message });
  }
  return z.NEVER;
}

function readIncidentFields(fields: Fields): Fields {
  const said = isAcknowledgedWord(fields.status) ? { acknowledged: true } : {};
  const counted = fields.signal_count === null ? { signal_count: 0 } : {};
  const { mute, timeline, similar } = fields;
  const named = {
    ...(isFields(mute) && { mute: LiberalMute.safeParse(mute).data ?? mute }),
    ...(Array.isArray(timeline) && { timeline: timeline.map(marked) }),
    ...(Array.isArray(similar) && { similar: similar.map(marked) }),
  };
  return markTyped(withReaders({ ...fields, ...said, ...counted, ...named }, INCIDENT_READERS));
}

function marked(value: unknown): unknown {
  return isFields(value) ? markTyped(value) : value;
}

function withReaders(fields: Fields, readers: Readonly<Record<string, Reader>>): Fields {
  const read = Object.entries(readers).flatMap(([key, reader]) => {
    const value = key in fields ? reader(fields[key]) : undefined;
    return value === undefined ? [] : [[key, value]];
  });
  return { ...fields, ...Object.fromEntries(read) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Finds the object with an id inside at most two wrappers. Objects and arrays next to it in a wrapper are added to it.
 *
 * @returns undefined: none, or ambiguous
 */
function unwrap(value: unknown, name: string, depth = 2): Fields | undefined {
  if (!isFields(value) || 'id' in value) {
    return isFields(value) ? value : undefined;
  }
  const found = Object.entries(value).flatMap(([key, inner]) => {
    const thing = depth > 0 ? unwrap(inner, name, depth - 1) : undefined;
    return thing === undefined ? [] : [{ key, thing }];
  });
  const chosen = found.find(({ key }) => key === name) ?? only(found);
  const beside = Object.entries(value).filter(([key, its]) => key !== chosen?.key && typeof its === 'object' && its);
  return chosen === undefined ? undefined : { ...Object.fromEntries(beside), ...chosen.thing };
}

/** @returns undefined: none, or ambiguous */
function findArray(value: unknown, name: string, depth = 2): readonly unknown[] | undefined {
  if (Array.isArray(value)) {
    return value;
  }
  if (!isFields(value) || depth === 0) {
    return undefined;
  }
  if (Array.isArray(value[name]) || value[name] === null) {
    return value[name] ?? [];
  }
  const arrays = Object.values(value).filter((inner) => Array.isArray(inner));
  return arrays.length > 0 ? only(arrays) : findArray(only(Object.values(value).filter(isFields)), name, depth - 1);
}

/** Finds and parses the signals of an incident. @returns undefined: none found */
function findSignals(fields: Fields): Signal[] | undefined {
  const signals = z.array(LiberalSignal);
  const named = signals.safeParse(findArray(fields.signals, 'signals'));
  if (named.success) {
    return named.data;
  }
  const others = Object.values(fields).filter((value) => Array.isArray(value) && value.length > 0);
  const read = others.map((value) => signals.safeParse(value).data);
  return only(read.filter((found) => found !== undefined));
}

/** @returns undefined: no field names an incident, or several name different ones */
function findIncidentId(fields: Fields): string | undefined {
  const named = INCIDENT_ID_NAMES.map((name) => fields[name]).map((value) =>
    readId(isFields(value) ? value.id : value),
  );
  return only([...new Set(named.filter((id) => id !== undefined))]);
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}
