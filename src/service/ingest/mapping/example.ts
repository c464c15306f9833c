import type { StateMeaning } from '../../../contract/integrations.ts';
import { FIELD_NAMES } from './field-names.ts';
import { type Place, placesIn, type Scalar, wordsOfName } from './places.ts';

/** An event that was sent, as the places of its values. */
export interface Example {
  readonly places: readonly Place[];
  /** By expression. */
  readonly values: ReadonlyMap<string, Scalar>;
}

/** An example whose state is known. */
export interface ReadExample extends Example {
  readonly meaning: StateMeaning | null;
}

/** Fields whose names may have words before them: `business_service`, `ALERT_SEVERITY`. Titles may not: `hostname`. */
const ENDING: ReadonlySet<keyof typeof FIELD_NAMES> = new Set(['service', 'severity', 'link']);

/** The oldest place of the most telling name; of equal names the one beside the title, else the least deep. */
export function findPlace(...asked: Parameters<typeof placesNamed>): Place | undefined {
  return placesNamed(...asked)[0];
}

/** The places of a field, the most telling first. */
export function placesNamed(
  examples: readonly Example[],
  field: keyof typeof FIELD_NAMES,
  title: Place | null,
  fits: (place: Place) => boolean,
): Place[] {
  const distance = ({ owner, depth }: Place) => (owner === title?.owner ? -1 : depth);
  const fitting = [...examples]
    .reverse()
    .flatMap(({ places }) => places)
    .filter((place) => place.expression !== title?.expression || field === 'service')
    .filter(fits)
    .toSorted((a, b) => distance(a) - distance(b));
  const isNamed = (place: Place, name: string) =>
    [place.name, place.fullName].some((own) => own === name || own === `${name}name`) ||
    (field === 'service' && `${place.name}name` === name);
  const places = FIELD_NAMES[field].flatMap((name) => fitting.filter((place) => isNamed(place, name)));
  const endsWith = (place: Place, name: string) => name.length > 2 && wordsOfName(place).at(-1) === name;
  const longer = fitting.toSorted((a, b) => a.name.length - b.name.length);
  return ENDING.has(field)
    ? [...places, ...FIELD_NAMES[field].flatMap((name) => longer.filter((place) => endsWith(place, name)))]
    : places;
}

/** @param root the variable that holds the event: `body` or `event` */
export function exampleOf(event: unknown, root: string): Example {
  const places = placesIn(event, root);
  return { places, values: valuesOf(places) };
}

export function valuesOf(places: readonly Place[]): ReadonlyMap<string, Scalar> {
  return new Map(places.map(({ expression, value }) => [expression, value]));
}
