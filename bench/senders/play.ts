import type { Mapping, StateAnswers } from '../../src/contract/integrations.ts';
import { type MappedReading, readMappedEvent } from '../../src/service/ingest/mapping/mapped-event.ts';
import { compileMapping } from '../../src/service/ingest/mapping/mapping.ts';
import { type AskedEvent, settle } from '../../src/service/ingest/mapping/settle.ts';
import { isBetterStory, type StoryLine, tellStory } from '../../src/service/ingest/mapping/story.ts';
import { suggestEnds, suggestMapping, withBetterParts } from '../../src/service/ingest/mapping/suggest-mapping.ts';
import type { Failure, Said, Vendor } from './strange-vendor.ts';

/** What a sender sends, and what it means in truth. */
export interface Sent {
  readonly body: unknown;
  readonly truths: readonly {
    readonly failure: string;
    readonly said: Said;
    readonly severity: Failure['severity'] | null;
  }[];
}

/** How an integration reads. */
export interface Reading {
  readonly mapping: Mapping;
  readonly answers: StateAnswers;
  /** What its page said when the mapping was suggested. */
  readonly remarks: readonly string[];
}

export type Verdict = 'right' | 'right after one answer' | 'wrong, and said so' | 'wrong in silence';

const NOW = new Date('2026-01-31T09:00:00Z');

interface Played {
  /** What went wrong first; null: nothing. */
  readonly fault: string | null;
  /** Words that are asked about, the ones that wait first. */
  readonly asked: readonly AskedEvent[];
  /** Whether the page said that an end has ended nothing. */
  readonly endedNothing: number;
  readonly refused: number;
  readonly sent: readonly unknown[];
}

export function readerOf({ mapping, answers }: Reading): (body: unknown) => MappedReading[] {
  const read = compileMapping(mapping);
  const format = { type: 'json', mapping, answers, sender: 'int_1' } as const;
  return (body) =>
    [body]
      .flat()
      .flatMap((each: unknown) =>
        read(each).map((mapped) => readMappedEvent(mapped, mapped.event ?? each, format, NOW)),
      );
}

/** What the page tells of the payloads that it keeps. */
function storyBy(reading: Reading, bodies: readonly unknown[]): StoryLine[] {
  return tellStory(bodies.flatMap(readerOf(reading)));
}

/** Plays what is sent, and compares what is open with the truth after each request. */
export function play(sent: readonly Sent[], reading: Reading): Played {
  const read = readerOf(reading);
  const open = new Map<string, string | null>();
  const truly = new Map<string, string | null>();
  const keys = new Map<string, string>();
  const asked: AskedEvent[] = [];
  let [endedNothing, refused, fault] = [0, 0, null as string | null];
  for (const [at, { body, truths }] of sent.entries()) {
    const readings = read(body);
    const settled = settle(readings, open, NOW);
    const spurious = truths.filter(({ said, failure }) => said === 'over' && !truly.has(failure)).length;
    endedNothing += Math.max(0, settled.endedNothing - spurious);
    asked.push(...settled.asked);
    for (const { fingerprint, source } of settled.batch.signals) {
      open.set(fingerprint, typeof source.state === 'string' ? source.state : null);
    }
    for (const { fingerprint } of settled.batch.ends ?? []) {
      open.delete(fingerprint);
    }
    const faults = truths.flatMap(({ failure, said, severity }, index): string[] => {
      const own = readings[index];
      if (own === undefined || own.kind === 'unreadable') {
        return ['refused'];
      }
      if (said === 'fails') {
        truly.set(failure, null);
        const signal = own.kind === 'fails' || own.kind === 'unknown' ? own.signal : null;
        const owner = signal === null ? undefined : keys.get(signal.fingerprint);
        if (signal !== null) {
          keys.set(signal.fingerprint, failure);
        }
        const isMild = severity === 'critical' && (signal?.severity === 'info' || signal?.severity === 'warning');
        return [
          ...(signal === null ? ['a failure that is none'] : []),
          ...(owner !== undefined && owner !== failure && truly.has(owner) ? ['two failures are one'] : []),
          ...(isMild ? ['the severity is too mild'] : []),
        ];
      }
      if (said === 'over') {
        truly.delete(failure);
      }
      return [];
    });
    const counts = open.size === truly.size ? [] : [`${open.size} open instead of ${truly.size}`];
    refused += faults.includes('refused') ? 1 : 0;
    const [now] = [...faults, ...counts];
    fault ??= now === undefined ? null : `${now} after ${at + 1} requests`;
  }
  return { fault, asked, endedNothing, refused, sent: sent.map((each) => each.body) };
}

/** Plays, gives the one answer that the page asks for, and plays again. @param truth what the words mean */
export function judge(
  sent: readonly Sent[],
  reading: Reading,
  truth: Vendor['answers'],
): { verdict: Verdict; why: string } {
  const first = play(sent, reading);
  if (first.fault === null) {
    return { verdict: 'right', why: '' };
  }
  const answered = answersTo(first, reading, truth);
  const again = answered.map((other) => play(sent, other));
  if (again.some(({ fault }) => fault === null)) {
    return { verdict: 'right after one answer', why: first.fault };
  }
  const isEnding = storyBy(reading, first.sent).some(({ does }) => does === 'ends');
  const isSaid = first.asked.length > 0 || first.endedNothing + first.refused > 0 || isRemarked(reading) || !isEnding;
  return { verdict: isSaid ? 'wrong, and said so' : 'wrong in silence', why: first.fault };
}

/** That a second payload would tell more is always said with one; it does not count as a warning of what is wrong. */
function isRemarked({ remarks }: Reading): boolean {
  return remarks.some((remark) => !remark.startsWith('Only one payload'));
}

/** Payloads that the page compares. */
const KEPT = 12;

/**
 * What one click on the page changes: a word explained, with what comparing then finds, or the key and state that comparing
 * finds alone. A person knows which word is the end.
 */
function answersTo({ asked, sent }: Played, reading: Reading, truth: Vendor['answers']): Reading[] {
  const words = [...asked.filter(({ isWaiting }) => isWaiting), ...asked].map(({ word }) => word);
  const word = words.find((each) => truth[each] === 'over') ?? words[0];
  const meaning = word === undefined ? undefined : truth[word];
  const explained =
    word === undefined || meaning === undefined
      ? []
      : [{ ...reading, answers: { ...reading.answers, [word]: meaning } }];
  const kept = sent.slice(0, KEPT);
  const better = suggestEnds(kept, reading.answers)
    .filter(({ end }) => end === null || truth[end] === 'over')
    .map(({ mapping, states }) => ({
      ...reading,
      mapping: withBetterParts(reading.mapping, mapping),
      answers: { ...reading.answers, ...states },
    }))
    .filter((other) => isBetterStory(storyBy(other, kept), storyBy(reading, kept)));
  return [...explained, ...better];
}

/** The mapping that the page suggests for what was sent, saved as it is. */
export function setUp(bodies: readonly unknown[]): Reading | null {
  const { mapping, states, remarks } = suggestMapping(bodies);
  const { title } = mapping;
  return title === undefined ? null : { mapping: { ...mapping, title }, answers: states, remarks };
}

/** A day of a sender: what each of the eight steps sends. */
export function dayOf(vendor: Vendor, another: 'host' | 'check'): Sent[] {
  let serial = 10;
  const a: Failure = { host: 'web-1', check: 'disk', occurrence: 1, severity: 'critical' };
  const b: Failure = { ...a, ...(another === 'host' ? { host: 'web-2' } : { check: 'load' }), severity: 'warning' };
  const later: Failure = { ...a, occurrence: 2 };
  const many = Array.from({ length: 200 }, (_, at): Failure => ({ ...a, host: `db-${letters(at)}`, occurrence: 3 }));
  const idOf = ({ host, check, occurrence }: Failure) => `${host}/${check}/${occurrence}`;
  const send = (failures: readonly Failure[], said: Said): Sent[] => {
    const events = failures.map((failure) => vendor.event(failure, said, serial++));
    const truths = failures.map((failure) => ({
      failure: idOf(failure),
      said,
      severity: said === 'fails' ? failure.severity : null,
    }));
    const { batch } = vendor;
    return batch === undefined
      ? events.map((body, at) => ({ body, truths: truths.slice(at, at + 1) }))
      : Array.from({ length: Math.ceil(events.length / 50) }, (_, at) => ({
          body: batch(events.slice(at * 50, at * 50 + 50)),
          truths: truths.slice(at * 50, at * 50 + 50),
        }));
  };
  return [
    ...send([a], 'fails'),
    ...send([a], 'fails'),
    ...send([b], 'fails'),
    ...(vendor.reportsAcknowledgement ? send([a], 'acknowledged') : []),
    ...send([a], 'over'),
    ...send([later], 'fails'),
    ...send([later], 'over'),
    ...send([later], 'over'),
    ...send([{ ...a, host: 'mail-7', occurrence: 9 }], 'over'),
    ...send(many, 'fails'),
    ...send(many, 'over'),
    ...send([b], 'over'),
  ];
}

/** What somebody sends to set it up: a failure and its end. */
export function testOf(vendor: Vendor): unknown[] {
  const tested: Failure = { host: 'try-1', check: 'ping', occurrence: 1, severity: 'critical' };
  const { batch = (events: readonly unknown[]) => events[0] } = vendor;
  return [batch([vendor.event(tested, 'fails', 1)]), batch([vendor.event(tested, 'over', 2)])];
}

/** Hosts differ by letters, because numbers in titles are masked where nothing else tells failures apart. */
function letters(at: number): string {
  return String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26));
}
