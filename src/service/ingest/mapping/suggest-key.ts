import { REQUEST_LIMITS } from '../../../contract/requests.ts';
import type { ReadExample } from './example.ts';
import { FAILURE_IDS, FIELD_NAMES } from './field-names.ts';
import { isNamedTime, type Place, type Scalar } from './places.ts';
import { readState, subjectOf, withoutMark } from './read-state.ts';
import type { SuggestedState } from './suggest-state.ts';

interface SuggestedKey {
  /** Absent: nothing but the title tells failures apart. */
  readonly expression?: string;
  readonly remarks: readonly string[];
}

/** A failure and its end, among others. */
type Pair = readonly [failure: ReadExample, end: ReadExample];

/** Parts of a key. */
const MOST_PARTS = 20;
const MOST_CHARACTERS = 120;
const TIME = /^\d{4}-\d{2}-\d{2}|^\d{10}(?:\d{3})?$|\b\d{1,2}:\d{2}:\d{2}\b/;

/**
 * What is equal in a failure and its end, and differs between failures. An id of the failure is enough; else everything that
 * stays equal is the key together, because a key that tells too much ends nothing, which is seen, and one that tells too
 * little swallows another failure, which is not.
 */
export function suggestKey(sent: readonly ReadExample[], title: Place, state: SuggestedState | null): SuggestedKey {
  const subject: Place = { ...title, expression: `subjectOf(${title.expression})` };
  const examples = sent.map((each): ReadExample => {
    const text = each.values.get(title.expression);
    const about = typeof text === 'string' ? subjectOf(text) : null;
    return { ...each, values: new Map([...each.values, [subject.expression, about]]) };
  });
  const over = endsAmong(examples, state);
  const failing = examples.filter((each) => each.meaning !== 'acknowledged' && !over.includes(each));
  const places = [
    ...new Map(examples.flatMap((each) => each.places).map((place) => [place.expression, place])).values(),
  ];
  const usable = places.filter((place) => place.expression !== state?.place && canTell(place, examples));
  const pairs = pairsAmong(failing, over, usable);
  const stable = usable.filter((place) => isKept(place, pairs));

  const id = FAILURE_IDS.flatMap((name) => stable.filter((place) => place.name === name)).find((place) =>
    tellsApart(place, failing, pairs.length === 0 ? [title] : [title, ...stable.filter((other) => isPlain(other))]),
  );
  if (id !== undefined) {
    return { expression: id.expression, remarks: [] };
  }
  const isOfTitle = state?.place !== title.expression && isTitleKept(title, pairs);
  const isOfSubject =
    pairs.length > 0 && pairs.every(([{ values }]) => values.get(subject.expression)) && isKept(subject, pairs);
  const ofTitle = isOfTitle ? [title] : isOfSubject ? [subject] : [];
  const isOther = (place: Place) => place.expression !== title.expression && isPlain(place);
  const others = stable.filter((place) => isOther(place) && (pairs.length > 0 || mayStay(place)));
  const all = [...ofTitle, ...others];
  const differing = all.filter((place) => differs(place, failing));
  const parts = fitting((differing.length > 0 && pairs.length > 0 ? differing : all).slice(0, MOST_PARTS));
  if (parts.length === 0) {
    const remark = 'Nothing but the title tells failures apart: two failures with one title are one.';
    return { remarks: examples.length > 1 ? [remark] : [] };
  }
  const [only, ...more] = parts.map(({ expression }) => expression);
  const joined = more.length === 0 ? only : parts.map(({ expression }) => `string(${expression})`).join(' + "/" + ');
  return { ...(joined !== undefined && { expression: joined }), remarks: [] };
}

/** As many as fit into an expression. */
function fitting(parts: readonly Place[]): readonly Place[] {
  const ends = parts.map((_, at) =>
    parts.slice(0, at + 1).reduce((sum, { expression }) => sum + expression.length + 17, 0),
  );
  return parts.filter((_, at) => (ends[at] ?? 0) <= REQUEST_LIMITS.expression);
}

function isStateWord(text: string): boolean {
  const meaning = readState(text);
  return meaning !== null && meaning !== 'ignored';
}

/** Where no word is known to be an end, an unknown one that differs from the first may be. */
function endsAmong(examples: readonly ReadExample[], state: SuggestedState | null): readonly ReadExample[] {
  const known = examples.filter(({ meaning }) => meaning === 'over');
  const wordOf = ({ values }: ReadExample) => values.get(state?.place ?? '');
  const [first] = examples;
  return known.length > 0 || first === undefined
    ? known
    : examples.filter((each) => each.meaning === null && wordOf(each) !== wordOf(first));
}

/** Times, measures, words of states and long texts tell nothing apart. */
function canTell(place: Place, examples: readonly ReadExample[]): boolean {
  const { expression, name } = place;
  const values = examples.flatMap((example) =>
    example.values.has(expression) ? [example.values.get(expression)] : [],
  );
  return (
    values.length === examples.length &&
    !FIELD_NAMES.severity.includes(name) &&
    !FIELD_NAMES.state.slice(0, 12).includes(name) &&
    !isNamedTime(place) &&
    values.every((value) => isTelling(value))
  );
}

function isTelling(value: Scalar | undefined): boolean {
  const text = String(value ?? '');
  const isMeasure = /^\d+\.\d+$/.test(text);
  const isOther = typeof value === 'boolean' || isMeasure || TIME.test(text) || isStateWord(text);
  return text !== '' && !isOther && text.length <= MOST_CHARACTERS;
}

/** Ends with the failure that is most like them. Those that are less like any than others are ends of what did not come. */
function pairsAmong(failing: readonly ReadExample[], over: readonly ReadExample[], places: readonly Place[]): Pair[] {
  const likeness = ([one, other]: Pair) => places.filter((place) => isKept(place, [[one, other]])).length;
  const pairs = over.flatMap((end) => {
    const [closest] = failing
      .map((failure): Pair => [failure, end])
      .toSorted((one, other) => likeness(other) - likeness(one));
    return closest === undefined ? [] : [closest];
  });
  const most = Math.max(...pairs.map(likeness));
  return pairs.filter((pair) => likeness(pair) === most);
}

function isKept({ expression }: Place, pairs: readonly Pair[]): boolean {
  return pairs.every(([failure, end]) => failure.values.get(expression) === end.values.get(expression));
}

/** Failures that differ in what stays the same until their end have different values. */
function tellsApart(place: Place, failing: readonly ReadExample[], others: readonly Place[]): boolean {
  const known = new Map<Scalar | undefined, string>();
  return failing.every(({ values }) => {
    const about = others.map(({ expression }) => withoutMark(String(values.get(expression)))).join('\n');
    const before = known.get(values.get(place.expression));
    known.set(values.get(place.expression), about);
    return before === undefined || before === about;
  });
}

function isPlain({ value }: Place): boolean {
  return !/^(?:https?:.*|true|false)$/.test(String(value));
}

function differs({ expression }: Place, failing: readonly ReadExample[]): boolean {
  return new Set(failing.map(({ values }) => values.get(expression))).size > 1;
}

/** Ids that may be those of the notification, which the next one does not have. */
const OF_NOTIFICATION = /^(?:id|uid|uuid|guid|(?:message|event|notification|request|trace|delivery)id|token)$/;

/** Of one example: texts and ids of objects, but no ids that the next notification may not have. */
function mayStay({ name, value }: Place): boolean {
  return (typeof value === 'string' || name.endsWith('id')) && !OF_NOTIFICATION.test(name);
}

/** Of one example nothing is known: a title that changes with the state ends nothing, which is seen. */
function isTitleKept(title: Place, pairs: readonly Pair[]): boolean {
  const text = String(title.value);
  return pairs.length === 0 ? withoutMark(text) === text && !/\d[.,]\d|%/.test(text) : isKept(title, pairs);
}
