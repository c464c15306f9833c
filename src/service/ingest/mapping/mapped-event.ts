import type { IncomingType, Mapping, StateAnswers } from '../../../contract/integrations.ts';
import type { Severity } from '../../../contract/resources.ts';
import type { ObservedSignal } from '../../core/signal.ts';
import type { Attributes, AttributeValue } from '../../core/telemetry.ts';
import { fingerprint, template } from '../../core/text.ts';
import { toSignal } from '../alert.ts';
import { timeOf } from '../vendor-values.ts';
import type { Mapped } from './mapping.ts';
import { pairIn } from './places.ts';
import { readSeverity } from './read-severity.ts';
import { readState, stateWord, withoutMark } from './read-state.ts';
import { isUnfilled } from './unfilled.ts';

/** How an integration's events are read. */
export interface MappedFormat {
  readonly type: IncomingType;
  readonly mapping: Pick<Mapping, 'state'>;
  readonly answers: StateAnswers;
  /** Integration or key that sent the events. */
  readonly sender: string;
}

/** What a person did at the sender. */
interface Done {
  readonly fingerprint: string;
  /** null: it names nobody. */
  readonly user: string | null;
  readonly note: string | null;
}

/** What an event says. The word is that of its state, which nobody may have heard before. */
export type MappedReading =
  | { readonly kind: 'fails'; readonly signal: ObservedSignal; readonly word: string | null }
  | (Omit<Done, 'fingerprint'> & { readonly kind: 'unknown'; readonly signal: ObservedSignal; readonly word: string })
  | (Done & { readonly kind: 'over' })
  | (Done & { readonly kind: 'acknowledged' })
  /** What changes nothing else, but has a note. */
  | (Done & { readonly kind: 'noted'; readonly note: string })
  | { readonly kind: 'ignored' }
  /** It has no title, and no key that ends something. */
  | { readonly kind: 'unreadable' };

/** @param event as sent, for what else it says */
export function readMappedEvent(mapped: Mapped, event: unknown, format: MappedFormat, now: Date): MappedReading {
  const { service, key, link, user, note } = mapped;
  const title = mapped.title ?? key ?? '';
  const word = mapped.state === null ? null : stateWord(mapped.state);
  const said = word === null ? 'fails' : (format.answers[word] ?? readState(mapped.state ?? '', nameOf(format)));
  if (said === 'ignored' && note === null) {
    return { kind: 'ignored' };
  }
  // An end needs no title, and what may be one neither.
  if (title === '' || (said === 'fails' && mapped.title === null)) {
    return { kind: 'unreadable' };
  }
  const ofEvent = fingerprint(
    format.type,
    format.sender,
    key ?? template(`${service ?? ''} ${withoutMark(title, mapped.state === mapped.title)}`),
  );
  if (said === 'over' || said === 'acknowledged') {
    return { kind: said, fingerprint: ofEvent, user, note };
  }
  if (said === 'ignored') {
    return note === null ? { kind: 'ignored' } : { kind: 'noted', fingerprint: ofEvent, user, note };
  }
  const fields = fieldsOf(event);
  const signal = toSignal({
    services: [service],
    labels: fields,
    otherwise: { 'the title': title },
    summary: title,
    severity: readSeverity(mapped.severity ?? '') ?? severityOfState(word ?? ''),
    observedAt: timeOf(mapped.at ?? '', now),
    seenAt: now,
    fingerprint: ofEvent,
    attributes: fields,
    pages: [{ kind: 'generator', url: link }],
    reportsEnd: mapped.state !== null,
    source: { format: format.type, ...(word === null ? {} : { state: word }) },
  });
  return said === null && word !== null
    ? { kind: 'unknown', signal, word, user, note }
    : { kind: 'fails', signal, word };
}

/** A state may say how bad it is, as `warning` and `critical` do. It has begun, so that it is more than an info. */
function severityOfState(word: string): Severity {
  const said = readSeverity(word);
  return said === null || said === 'info' ? 'error' : said;
}

/** Names in the path of the state, if its expression is one: `body.healthy`. */
function nameOf({ mapping }: MappedFormat): string {
  return (
    /^(?:body|event)((?:\.\w+|\[[^\]]*\])+)$/
      .exec(mapping.state?.trim() ?? '')?.[1]
      ?.split('.')
      .at(-1) ?? ''
  );
}

/** Texts that are filled, numbers, booleans, lists of them and lists of pairs, by their names; of objects only those at the top. */
function fieldsOf(event: unknown): Attributes {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    return {};
  }
  const entries = Object.entries(event).flatMap(([name, value]): [string, AttributeValue][] => {
    if (typeof value === 'string' && isUnfilled(value)) {
      return [];
    }
    if (!Array.isArray(value)) {
      return typeof value === 'object' ? [] : [[name, value]];
    }
    const pairs = value.flatMap((each) => pairIn(each) ?? []);
    const texts = value.filter((each) => typeof each !== 'object');
    return [
      ...pairs.map((pair): [string, AttributeValue] => [pair.key, pair.value]),
      ...(texts.length > 0 ? [[name, texts] as [string, AttributeValue]] : []),
    ];
  });
  return Object.fromEntries(entries.toReversed());
}
