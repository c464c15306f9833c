import type { StoredSignal } from '../../core/signal.ts';
import { FINDING } from '../../core/signal-source.ts';
import type { Family } from '../../core/telemetry-item.ts';
import { oneLine, template, textOf } from '../../core/text.ts';
import { type Trace, traceOf } from './trace-of.ts';

/** What the stored signals of an incident show. */
export interface Evidence {
  /** What the root says first, then those on the way to people, then what was seen most; what belongs to the past last. */
  readonly messages: readonly Message[];
  /** How many other messages the signals have. */
  readonly moreMessages: number;
  /** The trace of what is said first, if several steps of it are stored, else the one with most; null: no signal has one. */
  readonly trace: Trace | null;
  /** Where it fails: the operations, versions and hosts that the signals name. */
  readonly affected: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** What more than half of the signals have in common, beyond that. */
  readonly shared: readonly Shared[];
  /** How many signals that stands on. */
  readonly signals: number;
  /** Whether more are stored, which were seen less often. */
  readonly isCut: boolean;
}

/** What a failure says, wherever it is seen. */
export interface Message {
  /** As it was written. */
  readonly text: string;
  /** Where it was seen most often, the root if it was seen there. */
  readonly service: string;
  /** How often it was seen there. */
  readonly times: number;
  /** The engine found it and looks again every few seconds, so how often it was seen tells nothing. */
  readonly isMeasured: boolean;
  readonly others: readonly string[];
  /** Not seen since the present failure began: it is of an earlier one. */
  readonly isPast: boolean;
  /** Everything that its sender wrote. */
  readonly full: string;
  readonly signalId: string;
}

interface Shared {
  readonly name: string;
  readonly value: string;
  /** How many signals have it. */
  readonly signals: number;
}

const MAX_MESSAGES = 5;
/** Characters: less stands in any text. */
const LEAST_WORDS = 8;
const MAX_VALUES = 5;
const MAX_SHARED = 8;
const MESSAGE_LENGTH = 300;
const VALUE_LENGTH = 120;

/**
 * @param signals those that were seen most often, first
 * @param way of the failure: the root first
 * @param isCut whether more are stored
 * @param since when the present failure began; null: not known
 */
export function evidenceOf(
  signals: readonly StoredSignal[],
  way: readonly string[],
  { isCut = false, since = null }: { readonly isCut?: boolean; readonly since?: Date | null } = {},
): Evidence {
  const messages = messagesOf(signals, way, since);
  return {
    messages: messages.slice(0, MAX_MESSAGES),
    moreMessages: Math.max(0, messages.length - MAX_MESSAGES),
    trace: traceOf(signals, messages[0]?.signalId),
    affected: AFFECTED.map(([name, keys]) => ({ name, values: valuesOf(signals, keys, isCut) })).filter(
      ({ values }) => values.length > 0,
    ),
    shared: sharedBy(signals),
    signals: signals.length,
    isCut,
  };
}

function messagesOf(signals: readonly StoredSignal[], way: readonly string[], since: Date | null): Message[] {
  const told = signals.filter((signal) => !isFoundHarm(signal));
  const groups = Map.groupBy(told.length === 0 ? signals : told, (signal) => template(messageOf(signal)));
  const messages = [...groups.values()].flatMap((group) => {
    const shown = group.find(({ service }) => service === way[0]) ?? group[0];
    if (shown === undefined) {
      return [];
    }
    const { service, id } = shown;
    const times = timesOf(group.filter((each) => each.service === service));
    const others = [...new Set(group.map((each) => each.service))].filter((each) => each !== service);
    const isPast = since !== null && group.every(({ lastSeenAt }) => lastSeenAt < since);
    const isMeasured = group.every(({ source }) => source.format === FINDING);
    const said = { text: messageOf(shown), full: fullTextOf(shown), signalId: id };
    return [{ ...said, service, times, isMeasured, others, isPast }];
  });
  const places = new Map(way.map((service, place) => [service, place]));
  const placeOf = ({ service }: Message) => places.get(service) ?? way.length;
  return messages
    .filter((message) => !messages.some((other) => isRepeated(other, message)))
    .toSorted(
      (one, other) =>
        Number(one.isPast) - Number(other.isPast) || placeOf(one) - placeOf(other) || other.times - one.times,
    );
}

const HARM: ReadonlySet<unknown> = new Set<Family>(['harmed_requests', 'tolerated_failures', 'lost_time']);

/** A finding with the counts of its first moment: the head of the page has those of now. */
function isFoundHarm({ source }: StoredSignal): boolean {
  return source.format === FINDING && HARM.has(source.family);
}

/** Whether a service says one thing in the words of another: "POST /charge failed: no account" for "no account". */
function isRepeated(one: Message, inOther: Message): boolean {
  const [words, all] = [template(one.text), template(inOther.text)];
  return one.service === inOther.service && words !== all && words.length >= LEAST_WORDS && all.includes(words);
}

/** A request can be seen as several signals of one service, so only the most frequent of them counts. */
function timesOf(signals: readonly StoredSignal[]): number {
  const equal = Map.groupBy(signals, ({ fingerprint }) => fingerprint).values();
  return Math.max(...[...equal].map((each) => each.reduce((sum, { occurrences }) => sum + occurrences, 0)));
}

/** The words of the failure, without the operation that failed. */
function messageOf({ detail, attributes, summary, source }: StoredSignal): string {
  if (detail.type === 'log') {
    const body = oneLine(detail.body, MESSAGE_LENGTH);
    // The message of a structured line stands somewhere among its fields.
    const isMessage = source.format === FINDING || body.startsWith(summary.replace(/…$/, ''));
    return isMessage && body !== '' ? body : summary;
  }
  const thrown = textOf(attributes['exception.message'] as string | undefined);
  return oneLine(thrown, MESSAGE_LENGTH) || (/ fails \((.+)\)$/.exec(summary)?.[1] ?? summary);
}

function fullTextOf(signal: StoredSignal): string {
  const { detail, attributes } = signal;
  const stack = attributes['exception.stacktrace'];
  if (typeof stack === 'string' && stack !== '') {
    return stack;
  }
  return detail.type === 'log' ? detail.body : messageOf(signal);
}

/** What is shown as where it fails, and the attributes that say it. */
const AFFECTED: readonly (readonly [string, readonly string[]])[] = [
  ['Operations', ['http.route', 'rpc.method', 'span.name']],
  ['Versions', ['service.version']],
  ['Hosts', ['k8s.pod.name', 'host.name', 'service.instance.id']],
];

/** Shown elsewhere, or different in each signal. */
const NOT_SHARED = new Set([...AFFECTED.flatMap(([, keys]) => keys), 'span.kind', 'format', 'service_by', 'family']);

/** The first of these attributes that a signal has, with its service; each value once. */
function valuesOf(signals: readonly StoredSignal[], keys: readonly string[], isCut: boolean): string[] {
  const values = signals.flatMap(({ service, attributes, source }) => {
    const all: Record<string, unknown> = { ...source, ...attributes };
    const key = keys.find((each) => typeof all[each] === 'string' && all[each] !== '');
    return key === undefined ? [] : [`${service}: ${oneLine(String(all[key]), VALUE_LENGTH)}`];
  });
  const unique = [...new Set(values)];
  const rest = unique.length - MAX_VALUES;
  const more = isCut ? `and at least ${rest} more` : `and ${rest} more`;
  return rest > 0 ? [...unique.slice(0, MAX_VALUES), more] : unique;
}

function sharedBy(signals: readonly StoredSignal[]): Shared[] {
  if (signals.length < 2) {
    return [];
  }
  const counts = new Map<string, Shared>();
  for (const { attributes, source } of signals) {
    for (const [name, value] of Object.entries({ ...source, ...attributes })) {
      const isShown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      if (isShown && !NOT_SHARED.has(name) && !name.startsWith('exception.')) {
        const text = oneLine(String(value), VALUE_LENGTH);
        const key = `${name}\n${text}`;
        counts.set(key, { name, value: text, signals: (counts.get(key)?.signals ?? 0) + 1 });
      }
    }
  }
  return [...counts.values()]
    .filter((shared) => shared.signals * 2 > signals.length)
    .toSorted((one, other) => other.signals - one.signals || (one.name < other.name ? -1 : 1))
    .slice(0, MAX_SHARED);
}
