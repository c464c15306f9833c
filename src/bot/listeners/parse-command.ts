import { INCIDENT_LABELS, Severity } from '../../contract/resources.ts';
import { readLabelWord } from '../../incident/label-word.ts';
import { closest } from '../../runtime/closest.ts';
import { type FilterName, type IncidentFilter, NO_FILTER } from '../incident/incident-filter.ts';
import { type CommandArguments, findCommand, namesOf, type Words } from './commands.ts';

/** The arguments of a command. Those that the command does not take are empty. */
export interface ParsedArguments {
  /** As typed: `#142`, `142`, an id or a service. Each once. */
  readonly references: readonly string[];
  /** Exactly as typed, without the white space before it; null: none. */
  readonly text: string | null;
  readonly filter: IncidentFilter;
}

/** The words after `/incidents`. */
export type IncidentsCommand =
  | ({ readonly kind: 'command'; readonly word: string } & ParsedArguments)
  /**
   * `fault` is one sentence without markup. `typed` is everything after the word. `service`: the part that may be the name
   * of a service; null: none may.
   */
  | {
      readonly kind: 'wrong';
      readonly word: string;
      readonly fault: string;
      readonly typed: string;
      readonly service: string | null;
    }
  | { readonly kind: 'unknown'; readonly typed: string; readonly suggestion: string | null };

export const MOST_REFERENCES = 20;

const SHOWN_LENGTH = 60;
const NO_ARGUMENTS: ParsedArguments = { references: [], text: null, filter: NO_FILTER };
const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };
const LONGEST_PERIOD_MS = 365 * 24 * HOUR_MS;

class Fault extends Error {
  /** What may be the name of a service; null: nothing may. */
  readonly service: string | null;

  constructor(message: string, service: string | null = null) {
    super(message);
    this.service = service;
  }
}

export function parseIncidentsCommand(text: string, words: Words): IncidentsCommand {
  const [, typed = '', rest = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  const word = findCommand(typed === '' ? 'open' : typed, words);
  const command = word === null ? undefined : words[word];
  if (word === null || command === undefined) {
    const names = Object.entries(words).flatMap((named) => namesOf(...named));
    return { kind: 'unknown', typed, suggestion: closest(typed, names) };
  }
  try {
    return { kind: 'command', word, ...parseArguments(command.takes, rest) };
  } catch (error) {
    if (error instanceof Fault) {
      return { kind: 'wrong', word, fault: error.message, typed: rest, service: error.service };
    }
    throw error;
  }
}

function parseArguments({ references, hasText, filters }: CommandArguments, rest: string): ParsedArguments {
  if (references === 'list') {
    return parseReferencesAndText(rest);
  }
  if (hasText) {
    return { ...NO_ARGUMENTS, text: rest.trim() === '' ? null : rest };
  }
  const words = wordsOf(rest);
  const named = references === 'one' ? words.slice(0, 1) : references === 'many' ? words : [];
  return {
    references: unique(named),
    text: null,
    filter: words.slice(named.length).reduce((filter, word) => addFilter(filter, word, filters), NO_FILTER),
  };
}

/** `#6, #7 the note`. After a comma and a space only a number with its `#` is a reference; other words begin the text. */
function parseReferencesAndText(rest: string): ParsedArguments {
  const [list = ''] = FIRST_REFERENCES.exec(rest) ?? [];
  const text = rest.slice(list.length).trimStart();
  return {
    ...NO_ARGUMENTS,
    references: unique(wordsOf(list)),
    text: text === '' ? null : text,
  };
}

/** A name in quotes, also in those that phones type. */
const QUOTED = /["“”„]([^"“”„]+)["“”]/;
const FIRST_REFERENCES = new RegExp(
  String.raw`^(?:[\w.-]*:)?(?:${QUOTED.source}|[^\s,]+)(?:,\s*#\d+(?![^\s,])|,(?:${QUOTED.source}|[^\s,]+))*,?`,
);
const WORD = new RegExp(String.raw`([\w.-]*:)?${QUOTED.source}|[^\s,]+`, 'g');

/** Words separated by spaces and commas. What is in quotes is one word, `service:"a shop"` too. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map(([word, prefix = '', quoted]) => (quoted === undefined ? word : prefix + quoted));
}

/** `6` and `#6` are the same incident. */
function unique(references: readonly string[]): readonly string[] {
  const byNumber = new Map(references.map((each) => [each.replace(/^#(?=\d+$)/, ''), each]));
  if (byNumber.size > MOST_REFERENCES) {
    throw new Fault(`At most ${MOST_REFERENCES} incidents at once; there are ${byNumber.size}.`);
  }
  return [...byNumber.values()];
}

function addFilter(filter: IncidentFilter, word: string, allowed: readonly FilterName[]): IncidentFilter {
  const found = readFilter(word, allowed);
  const [key] = Object.keys(found) as (keyof IncidentFilter)[]; // one of them, by `readFilter`
  if (found.labels) {
    return { ...filter, labels: [...new Set([...(filter.labels ?? []), ...found.labels])] };
  }
  if (key !== undefined && filter[key] !== null) {
    throw new Fault(`“${shown(word)}” is the second filter of its kind.`);
  }
  return { ...filter, ...found };
}

/** @throws {Fault} saying what is allowed */
function readFilter(word: string, allowed: readonly FilterName[]): Partial<IncidentFilter> {
  const [, name = '', value = ''] = /^([^:]*):(.*)$/.exec(word) ?? [];
  const key = name.toLowerCase();
  const takesService = allowed.includes('service') || allowed.includes('any service');
  if (key === 'service' && takesService && value !== '') {
    return { service: value };
  }
  if (key === 'severity' && allowed.includes('severity')) {
    return { severity: readSeverity(value) };
  }
  const label = allowed.includes('label') ? readLabelWord(word) : null;
  if (label !== null) {
    return { labels: [label] };
  }
  if (allowed.includes('acknowledged') && /^(un)?(acked|acknowledged)$/i.test(word)) {
    return { isAcknowledged: !word.toLowerCase().startsWith('un') };
  }
  const periodMs = /^\d+[hdw]$/i.test(word) && allowed.includes('period') ? readPeriod(word) : null;
  if (periodMs !== null) {
    return { periodMs };
  }
  if (allowed.includes('any service') && name === '') {
    return { service: word };
  }
  const guess = closest(
    word,
    allowed.flatMap((name) => FILTER_WORDS[name]),
  );
  const fault = `“${shown(word)}” is not understood here.`;
  throw guess === null
    ? new Fault(`${fault} ${allowedWords(allowed)}`, takesService && !word.includes(':') ? word : null)
    : new Fault(`${fault} Did you mean ${guess}? ${allowedWords(allowed)}`);
}

function readSeverity(value: string): Severity {
  const severity = Severity.safeParse(value.toLowerCase());
  if (!severity.success) {
    throw new Fault(`There is no severity “${shown(value)}”: it is one of ${Severity.options.join(', ')}.`);
  }
  return severity.data;
}

function readPeriod(word: string): number {
  const ms = Number(word.slice(0, -1)) * (UNIT_MS[word.slice(-1).toLowerCase()] ?? Number.NaN);
  if (!(ms >= HOUR_MS && ms <= LONGEST_PERIOD_MS)) {
    throw new Fault(`The period “${shown(word)}” must be from 1h to 365d.`);
  }
  return ms;
}

const FILTER_EXAMPLES: Readonly<Record<FilterName, string>> = {
  service: 'service:payments',
  'any service': 'a service',
  severity: 'severity:critical',
  label: INCIDENT_LABELS.map((name) => `${name}:<name>`).join(', '),
  acknowledged: 'unacked or acked',
  period: 'a period such as 24h or 7d',
};

/** Whole words among the filters. */
const FILTER_WORDS: Readonly<Record<FilterName, readonly string[]>> = {
  service: [],
  'any service': [],
  severity: Severity.options.map((severity) => `severity:${severity}`),
  label: [],
  acknowledged: ['unacked', 'acked', 'unacknowledged', 'acknowledged'],
  period: [],
};

function allowedWords(allowed: readonly FilterName[]): string {
  return allowed.length === 0
    ? 'Nothing may follow.'
    : `Allowed: ${allowed.map((name) => FILTER_EXAMPLES[name]).join(', ')}.`;
}

function shown(word: string): string {
  return word.length > SHOWN_LENGTH ? `${word.slice(0, SHOWN_LENGTH).toWellFormed()}…` : word;
}

/** Puts each name that contains a space into quotes where it stands in the text as whole words, in any case. */
export function quoteKnownNames(text: string, names: readonly string[]): string {
  const spaced = names.filter((name) => /\s/.test(name)).toSorted((one, other) => other.length - one.length);
  return spaced.reduce((result, name) => {
    const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/\s+/g, String.raw`\s+`);
    return result.replace(new RegExp(String.raw`(^|[\s,:])(${escaped})(?=$|[\s,])`, 'iu'), '$1"$2"');
  }, text);
}
