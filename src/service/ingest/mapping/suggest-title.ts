import { template } from '../../core/text.ts';
import { type Example, placesNamed } from './example.ts';
import { FIELD_NAMES } from './field-names.ts';
import { isNamedTime, type Place, wordsOfName } from './places.ts';
import { readState, subjectOf, wordsIn } from './read-state.ts';

/**
 * The text that says what fails. It says more than a state, and is the same until the end; a title by its name, or a sentence about
 * a known service, may also say how it is.
 */
export function suggestTitle(examples: readonly Example[]): Place | undefined {
  const [named, told, others, known] = [
    namedTitles(examples),
    sentences(examples),
    otherTitles(examples),
    services(examples),
  ];
  const mayChange = new Set([...named, ...(known.length > 0 ? told : [])]);
  const isTelling = (place: Place) => {
    const words = meaningfulIn(place);
    return words > 0 && (staysIn(examples, place) || (words > 1 && mayChange.has(place)));
  };
  const isSubject = (place: Place) => staysIn(examples, place) && subjectOf(String(place.value)) !== '';
  const titles = [...named, ...told, ...others];
  return [...titles.filter(isTelling), ...named.filter(isSubject), ...known.filter(isTelling), ...titles, ...known][0];
}

/** Whether something is a title by its name, by its text or by what has failed. */
export function hasTitle(example: Example): boolean {
  return [namedTitles, sentences, services].some((places) => places([example]).length > 0);
}

/** Those that every example has first. */
function namedTitles(examples: readonly Example[]): Place[] {
  const isEverywhere = ({ expression }: Place) =>
    examples.every(({ values }) => typeof values.get(expression) === 'string');
  return [
    ...placesNamed(examples, 'title', null, (place) => isText(place) && isEverywhere(place)),
    ...placesNamed(examples, 'title', null, isText),
  ];
}

/** The longest first. */
function sentences(examples: readonly Example[]): Place[] {
  return textsIn(examples)
    .filter(({ value }) => /\S\s+\S+\s+\S/.test(String(value)))
    .toSorted((a, b) => String(b.value).length - String(a.value).length);
}

/** What has a name, `AlarmName`, then any words, the most letters first: scripts have names of their own, in any language. */
function otherTitles(examples: readonly Example[]): Place[] {
  const named = new Set(services(examples));
  const texts = textsIn(examples).filter((place) => !named.has(place));
  const isWord = (place: Place) =>
    lettersIn(place) > 2 &&
    !/\d{4}-\d{2}/.test(String(place.value)) &&
    !isNamedTime(place) &&
    !FIELD_NAMES.severity.includes(place.name) &&
    readState(String(place.value)) === null;
  return [
    ...texts.filter((place) => wordsOfName(place).at(-1) === 'name'),
    ...texts.filter(isWord).toSorted((a, b) => lettersIn(b) - lettersIn(a)),
  ];
}

/** What has failed, where nothing says how. */
function services(examples: readonly Example[]): Place[] {
  return placesNamed(examples, 'service', null, isText);
}

function textsIn(examples: readonly Example[]): Place[] {
  return examples.flatMap(({ places }) => places).filter(isText);
}

function isText({ value }: Place): boolean {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('://');
}

function lettersIn({ value }: Place): number {
  return String(value).match(/\p{L}/gu)?.length ?? 0;
}

/** Words that are no state and no "alert". */
function meaningfulIn({ value }: Place): number {
  return wordsIn(subjectOf(String(value))).filter((word) => readState(word) === null).length;
}

/** Whether two examples have the same title, apart from measures and words of states. */
function staysIn(examples: readonly Example[], { expression }: Place): boolean {
  const texts = examples.flatMap(({ values }) => {
    const value = values.get(expression);
    return typeof value === 'string' && value.trim() !== '' ? [subjectOf(template(value))] : [];
  });
  return texts.length < 2 || new Set(texts).size < texts.length;
}
