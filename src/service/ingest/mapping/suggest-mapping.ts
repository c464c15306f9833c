import type { Mapping, StateAnswers, StateMeaning } from '../../../contract/integrations.ts';
import { template } from '../../core/text.ts';
import { exampleOf, findPlace, type ReadExample, valuesOf } from './example.ts';
import { compileMapping } from './mapping.ts';
import { type Place, pairIn, placesIn, type Scalar } from './places.ts';
import { isOnlyInfo, readSeverity, scaleOf, severityExpression } from './read-severity.ts';
import { stateWord, withoutMark, wordsIn } from './read-state.ts';
import { suggestKey } from './suggest-key.ts';
import { type SuggestedState, suggestState } from './suggest-state.ts';
import { hasTitle, suggestTitle } from './suggest-title.ts';

/** A mapping to begin with, and what people should know about it, in sentences. */
export interface Suggestion {
  /** Empty if no title is found. */
  readonly mapping: Partial<Mapping>;
  /** What unknown words of states mean by the order in which they came; people check them, too. */
  readonly states: StateAnswers;
  readonly remarks: readonly string[];
  /** Words of states of which each may be the end: only people can tell. */
  readonly unclear: readonly string[];
}

/** What is suggested if a word is the end. */
export interface SuggestedEnd extends Suggestion {
  /** null: comparing has found it. */
  readonly end: string | null;
}

/** Words that people are asked about at once. */
const MOST_UNCLEAR = 4;

/**
 * What comparing suggests, and what it would for each word that may be the end: with the one answer of a person, the end's
 * failure is known, and so is what they have in common.
 */
export function suggestEnds(
  bodies: readonly unknown[],
  answers: StateAnswers,
): readonly [SuggestedEnd, ...SuggestedEnd[]] {
  const found = suggestMapping(bodies, answers);
  return [
    { ...found, end: null },
    ...found.unclear.slice(0, MOST_UNCLEAR).map((end): SuggestedEnd => {
      const assumed = suggestMapping(bodies, { ...answers, [end]: 'over' });
      return { ...assumed, states: { ...assumed.states, [end]: 'over' }, end };
    }),
  ];
}

/** Examples that are compared. */
const COMPARED = 20;

/**
 * A mapping for bodies that nobody has written one for. The state is the field whose values part them into failures and
 * ends, the key what is equal in a failure and its end and differs between failures; names of fields decide only what
 * comparing leaves open. People see what it gives before they save it.
 *
 * @param bodies as they came, the oldest first
 * @param answers what people have said of words
 */
export function suggestMapping(bodies: readonly unknown[], answers: StateAnswers = {}): Suggestion {
  const list = findList(bodies);
  const examples = eventsOf(bodies.slice(-COMPARED), list).map((event) =>
    exampleOf(event, list === null ? 'body' : 'event'),
  );
  const title = suggestTitle(examples);
  if (title === undefined) {
    return { mapping: {}, states: {}, remarks: [], unclear: [] };
  }
  const state = suggestState(examples, title, answers);
  const known = examples.map((example): ReadExample => ({ ...example, meaning: state?.meaningOf(example) ?? null }));
  const states = statesByOrder(known, state, title);
  const read = known.map((example) => ({
    ...example,
    meaning: example.meaning ?? states[wordIn(example, state)] ?? null,
  }));
  const key = suggestKey(read, title, state);
  const service = findPlace(examples, 'service', title, ({ value }) => isName(value));
  const severity = suggestSeverity(read, title);
  const isLink = ({ value }: Place) => /^https?:\/\//.test(String(value));
  const link =
    findPlace(examples, 'link', title, (place) => isLink(place) && place.owner === title.owner) ??
    findPlace(examples, 'link', title, isLink);
  const mapping: Mapping = {
    title: title.expression,
    ...(service && { service: service.expression }),
    ...(severity.expression !== undefined && { severity: severity.expression }),
    ...(key.expression !== undefined && { key: key.expression }),
    ...(state && { state: state.expression }),
    ...(link && { link: link.expression }),
    ...(list !== null && { events: list }),
  };
  const remarks = [...remarksOf(read, state !== null), ...key.remarks, ...severity.remarks];
  return { mapping, states, remarks, unclear: unclearIn(read, state) };
}

/** Words that nobody knows. Where no word is known to be the end, it may be any, also one that is read as something else. */
function unclearIn(examples: readonly ReadExample[], state: SuggestedState | null): string[] {
  const isEnded = examples.some(({ meaning }) => meaning === 'over');
  const words = examples.flatMap((example) => (isEnded && example.meaning !== null ? [] : [wordIn(example, state)]));
  return [...new Set(words)].filter((word) => word !== '');
}

/** A mapping with the parts of a suggestion that tell failures and ends apart; its words for people stay. */
export function withBetterParts(mapping: Mapping, { key, state, severity, events }: Partial<Mapping>): Mapping {
  const parts = { key, state, severity, events };
  return { ...mapping, ...Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined)) };
}

/**
 * The first word begins a failure; the only other one that nobody knows ends it, unless a known one does. One that is read as
 * neither may be misread, so that people have to tell.
 */
function statesByOrder(examples: readonly ReadExample[], state: SuggestedState | null, title: Place): StateAnswers {
  const meanings = new Map(examples.map((example) => [wordIn(example, state), example.meaning]));
  const [begin = '', ...others] = [...meanings.keys()].filter((word) => word !== '');
  const [end, ...more] = others.filter((word) => meanings.get(word) === null);
  const isBegin = [null, 'fails'].includes(meanings.get(begin) ?? null);
  const known = new Set(meanings.values());
  const isSettled = more.length > 0 || !isBegin || known.has('over') || known.has('ignored');
  if (end === undefined || isSettled || !isOfOne(examples, state, title, begin, end)) {
    return {};
  }
  return { ...(meanings.get(begin) === null ? { [begin]: 'fails' } : {}), [end]: 'over' };
}

/** Whether two words were said of a failure with one title, or the second of one without. */
function isOfOne(
  examples: readonly ReadExample[],
  state: SuggestedState | null,
  title: Place,
  ...words: readonly [string, string]
): boolean {
  const [begun, ended] = words.map((word) => {
    const texts = examples
      .filter((each) => wordIn(each, state) === word)
      .map(({ values }) => values.get(title.expression));
    return texts.map((text) => (typeof text === 'string' ? template(withoutMark(text, true)) : null));
  });
  return ended?.some((text) => text === null || begun?.includes(text)) ?? false;
}

function wordIn({ values }: ReadExample, state: SuggestedState | null): string {
  return stateWord(String(values.get(state?.place ?? '') ?? ''));
}

function remarksOf(examples: readonly ReadExample[], hasState: boolean): string[] {
  const isSeen = (meaning: StateMeaning) => examples.some((example) => example.meaning === meaning);
  if (!hasState) {
    return ['Nothing says when a failure is over. Send the end of a failure too, or the sender’s own test.'];
  }
  if (examples.length === 1) {
    return [
      'Only one payload came so far. Send the end of this failure too, or a test of the sender: what is equal in both and differs between failures is the key.',
    ];
  }
  return isSeen('over') ? [] : ['No end of a failure came so far: send one, to see whether it ends its failure.'];
}

function suggestSeverity(examples: readonly ReadExample[], title: Place): { expression?: string; remarks: string[] } {
  const named = (fits: (value: Scalar) => boolean) =>
    findPlace(examples, 'severity', title, ({ value }) => fits(value));
  const text =
    named((value) => typeof value === 'string' && value.length <= 40 && readSeverity(value) !== null) ??
    examples
      .flatMap(({ places }) => places)
      .find(({ value, expression }) => expression !== title.expression && isSeverity(value));
  if (text !== undefined) {
    return { expression: text.expression, remarks: [] };
  }
  const number = named((value) => isNumeric(value));
  if (number === undefined) {
    const other = named((value) => typeof value === 'string' && value.trim() !== '' && value.length <= 20);
    return { ...(other && { expression: other.expression }), remarks: [] };
  }
  const numbersOf = (isOver: boolean) =>
    examples.flatMap(({ meaning, values }) => {
      const value = values.get(number.expression);
      return (meaning === 'over') === isOver && isNumeric(value) ? [Number(value)] : [];
    });
  const beside = examples.flatMap(({ places }) => places.map(({ name }) => name)).join(' ');
  const [failing, over] = [numbersOf(false), numbersOf(true)];
  const scale = scaleOf(number.name, failing, over, beside);
  // Until an end was seen, no guess may make the failure that came one that opens nothing.
  if (scale === null || (over.length === 0 && failing.some((value) => isOnlyInfo(value, scale)))) {
    const remark = `The severity ${number.expression} is a number, and nothing says whether low or high is worse: every failure is an error until you write it, such as double(${number.expression}) <= 1.0 ? "critical" : "error"`;
    return { remarks: [remark] };
  }
  return {
    expression: severityExpression(number.expression, scale),
    remarks: [`The severity is a number; it is read so that ${SCALE_WORDS[scale]}.`],
  };
}

/** A word that can hardly be anything else, whatever its field is called. */
function isSeverity(value: Scalar): boolean {
  const said = typeof value === 'string' && wordsIn(value).length === 1 ? readSeverity(value) : null;
  return said === 'critical' || said === 'warning';
}

const SCALE_WORDS = {
  'one is worst': '1 is the worst',
  syslog: '0 is the worst and 7 the mildest, as in syslog',
  'five is worst': 'high numbers are the worst',
  'hundred is worst': '100 is the worst',
} as const;

export function isNumeric(value: Scalar | undefined): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && /^\d{1,3}(?:\.\d+)?$/.test(value.trim()));
}

function isName(value: Scalar): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 100 && !value.includes('://');
}

/** The member that holds the events of a batch: a list of objects that have titles, in a body that has none itself. */
function findList(bodies: readonly unknown[]): string | null {
  const isTold = (places: readonly Place[]) => hasTitle({ places, values: valuesOf(places) });
  for (const body of bodies) {
    const lists = typeof body === 'object' && body !== null && !Array.isArray(body) ? listsIn(body, 'body', 0) : [];
    const holding = lists.find(
      ({ entries }) => pairIn(entries[0]) === null && isTold(placesIn(entries[0], 'event')),
    )?.expression;
    const around = placesIn(body, 'body').filter(({ expression }) => !expression.startsWith(`${holding}[`));
    if (holding !== undefined && !isTold(around)) {
      return holding;
    }
  }
  return null;
}

function listsIn(
  value: object,
  expression: string,
  depth: number,
): { expression: string; entries: readonly unknown[] }[] {
  return Object.entries(value).flatMap(([key, held]: [string, unknown]) => {
    const inner = `${expression}${/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`}`;
    if (Array.isArray(held)) {
      const isOfObjects = held.length > 0 && held.every((entry) => typeof entry === 'object' && entry !== null);
      return isOfObjects ? [{ expression: inner, entries: held }] : [];
    }
    return typeof held === 'object' && held !== null && depth < 2 ? listsIn(held, inner, depth + 1) : [];
  });
}

function eventsOf(bodies: readonly unknown[], list: string | null): unknown[] {
  const each = bodies.flatMap((body) => (Array.isArray(body) ? body : [body]));
  if (list === null) {
    return each;
  }
  const read = compileMapping({ title: '"-"', events: list });
  return each.flatMap((body) => read(body).map(({ event }) => event));
}
