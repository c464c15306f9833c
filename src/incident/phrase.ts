/** Words of which each medium shows the times, people and services in its own way. */
export type Phrase = readonly (string | Moment | Named)[];

/** @property as `ago`: "20 seconds ago"; `time`: the date or the time of the day */
export interface Moment {
  readonly at: string;
  readonly as: 'time' | 'ago';
}

type Named = { readonly person: string } | { readonly service: string };

/** The words of a medium that has only text. */
export function phraseText(
  phrase: Phrase,
  show: { moment(moment: Moment): string; person(name: string): string; service(name: string): string },
): string {
  return phrase
    .map((part) => {
      if (typeof part === 'string') {
        return part;
      }
      if ('at' in part) {
        return show.moment(part);
      }
      return 'person' in part ? show.person(part.person) : show.service(part.service);
    })
    .join('');
}

/** With a capital letter, if it begins with a word of ours. */
export function capitalizedPhrase([first, ...rest]: Phrase): Phrase {
  if (typeof first !== 'string') {
    return first === undefined ? [] : [first, ...rest];
  }
  return [capitalized(first), ...rest];
}

export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "1,216 calls", "1 call" */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** @returns [[1], ', ', [2], ', ', [3]] as one phrase */
export function joined(phrases: readonly Phrase[], separator: string): Phrase {
  return phrases.flatMap((phrase, index) => (index === 0 ? phrase : [separator, ...phrase]));
}
