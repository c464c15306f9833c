import type { StateAnswers, StateMeaning } from '../../../contract/integrations.ts';
import { template } from '../../core/text.ts';
import type { Example } from './example.ts';
import { FIELD_NAMES } from './field-names.ts';
import { isNamedTime, type Place, type Scalar, wordsOfName } from './places.ts';
import { markOf, readState, stateWord, withoutMark, wordsIn } from './read-state.ts';

/** Where a state stands. */
export interface SuggestedState {
  readonly expression: string;
  /** The place that it is read from. */
  readonly place: string;
  readonly meaningOf: (example: Example) => StateMeaning | null;
}

interface Candidate extends Pick<SuggestedState, 'expression' | 'place'> {
  readonly score: number;
  /** Absent: its words say it. */
  readonly meaningOf?: SuggestedState['meaningOf'];
}

/** What a value of a place means. */
type ReadValue = (value: Scalar, place: Place) => StateMeaning | null;

/** Fields that say what was before. */
const EARLIER = /^(?:previous|prev|old|last|prior|from|vorherig|anterior|precedent|vorig)/;
const MOST_CHARACTERS = 40;

/**
 * The field whose values part failures from ends. Of one example only a name and a word can tell.
 *
 * @param answers what people have said of words
 * @returns null: nothing looks like a state
 */
export function suggestState(
  examples: readonly Example[],
  title: Place,
  answers: StateAnswers = {},
): SuggestedState | null {
  const read: ReadValue = (value, place) =>
    answers[stateWord(String(value))] ??
    readState(String(value), place.expression === title.expression ? '' : wordsOfName(place).join(' '));
  const places = new Map(examples.flatMap(({ places }) => places).map((place) => [place.expression, place]));
  const found = [...places.values()].flatMap((place) => {
    const candidate = candidateOf(place, examples, title, read);
    return candidate === null ? [] : [{ meaningOf: ofPlace(place, read), ...candidate }];
  });
  const [best] = found.toSorted((one, other) => other.score - one.score);
  return best ?? null;
}

function ofPlace(place: Place, read: ReadValue): SuggestedState['meaningOf'] {
  return ({ values }) => {
    const value = values.get(place.expression);
    return value === undefined || value === null ? null : read(value, place);
  };
}

function candidateOf(place: Place, examples: readonly Example[], title: Place, read: ReadValue): Candidate | null {
  const values = examples.flatMap(({ values }) => {
    const value = values.get(place.expression);
    return value === undefined ? [] : [value];
  });
  if (EARLIER.test(place.name)) {
    return null;
  }
  return (
    endTimeOf(place, values) ??
    (place.expression === title.expression
      ? markedTitle(place, examples, read)
      : wordOf(place, values, read, isTold(place, examples, title)))
  );
}

/** A time of the end: absent while it fails. */
function endTimeOf(place: Place, values: readonly Scalar[]): Candidate | null {
  const isSet = (value: Scalar) => value !== null && value !== '' && value !== 0;
  const isEnd = isNamedTime(place) && wordsOfName(place).some((word) => readState(word) === 'over');
  if (!isEnd || values.every(isSet)) {
    return null;
  }
  const { expression } = place;
  return {
    expression: `string(${expression}) in ["", "0"] ? "fails" : "over"\n"fails"`,
    place: expression,
    score: values.some(isSet) ? 90 : 25,
    meaningOf: ({ values: held }) => (isSet(held.get(expression) ?? null) ? 'over' : 'fails'),
  };
}

/**
 * Titles begin with the state in some products: where the marks of one title differ, or all say that something fails. A mark
 * that another field has too says where it fails.
 */
function markedTitle(place: Place, examples: readonly Example[], read: ReadValue): Candidate | null {
  const titles = examples.flatMap(({ values }) => {
    const title = values.get(place.expression);
    return typeof title === 'string' ? [{ title, others: [...values.values()] }] : [];
  });
  const meanings = titles.map(({ title }) => read(title, place));
  if (meanings.includes('over') && meanings.includes('fails')) {
    return candidate(place, 40);
  }
  // One title under several marks. Its measures may differ.
  const marks = new Map<string, Set<string | null>>();
  for (const { title, others } of titles) {
    const mark = markOf(title);
    const rest = others.includes(mark) ? title : withoutMark(title, true);
    const known = marks.get(template(rest)) ?? new Set();
    marks.set(template(rest), known.add(rest === title ? null : mark));
  }
  if ([...marks.values()].some(({ size }) => size > 1)) {
    return candidate(place, 38);
  }
  const isMarked = titles.every(({ title }, at) => withoutMark(title) !== title && meanings[at] === 'fails');
  return isMarked ? candidate(place, 35) : null;
}

/** Whether titles say the value, as they say what fails and where. */
function isTold({ expression }: Place, examples: readonly Example[], title: Place): boolean {
  return examples.some(({ values }) => {
    const [value, told] = [values.get(expression), values.get(title.expression)].map((each) => wordsIn(String(each)));
    return value !== undefined && value.length > 0 && value.every((word) => told?.includes(word));
  });
}

function wordOf(place: Place, values: readonly Scalar[], read: ReadValue, isInTitle: boolean): Candidate | null {
  const words = values.filter((value) => value !== null && value !== '');
  if (words.length === 0 || words.some((word) => String(word).length > MOST_CHARACTERS)) {
    return null;
  }
  const rank = FIELD_NAMES.state.indexOf(place.name);
  const isNamed = rank !== -1 || FIELD_NAMES.state.slice(0, 20).some((name) => place.name.endsWith(name));
  const ofName = (isNamed ? 20 : 0) + (rank === -1 ? 0 : 10 - rank / 10) - place.depth / 100;
  const isOther = FIELD_NAMES.severity.includes(place.name) || FIELD_NAMES.link.includes(place.name);
  const meanings = words.map((word) => read(word, place));
  const has = (meaning: StateMeaning) => meanings.includes(meaning);
  const kinds = new Set(words.map((word) => String(word).toLowerCase())).size;
  if (has('over') && has('fails')) {
    return candidate(place, (isOther ? 60 : 100) + ofName);
  }
  if (isOther || kinds > 6) {
    return null;
  }
  if (isNamed && meanings.some((meaning) => meaning !== null)) {
    return candidate(place, 50 + ofName + (kinds > 1 ? 5 : 0));
  }
  // Words that nobody knows, of which one may be the end: asked about when they come.
  const isWord = words.every((word) => /^(?:[\p{L}\p{M}'_ .:-]+|\d)$/u.test(String(word)));
  if (kinds > 1 && isWord && !isInTitle && (isNamed || !isNamedTime(place))) {
    return candidate(place, (isNamed ? 45 : 28) + ofName);
  }
  if (meanings.some((meaning) => meaning === 'over' || meaning === 'fails')) {
    // What never changes says less than words that nobody knows and that do.
    const ofConstant = words.length > 1 ? 24 : 30;
    return candidate(place, (kinds > 1 ? 44 : ofConstant) + ofName);
  }
  return isNamed && place.name !== 'type' && place.name !== 'kind' ? candidate(place, 20 + ofName) : null;
}

function candidate({ expression }: Place, score: number): Candidate {
  return { expression, place: expression, score };
}
