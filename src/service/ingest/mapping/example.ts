import type { StateMeaning } from '../../../contract/integrations.ts';
import { FIELD_NAMES } from './field-names.ts';
import { type Place, placesIn, type Scalar } from './places.ts';

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

/** The oldest place of the most telling name; of equal names the one beside the title, else the least deep. */
export function findPlace(
  examples: readonly Example[],
  field: keyof typeof FIELD_NAMES,
  title: Place | null,
  fits: (place: Place) => boolean,
): Place | undefined {
  const distance = ({ owner, depth }: Place) => (owner === title?.owner ? -1 : depth);
  const fitting = [...examples]
    .reverse()
    .flatMap(({ places }) => places)
    .filter((place) => place.expression !== title?.expression || field === 'service')
    .filter(fits)
    .toSorted((a, b) => distance(a) - distance(b));
  const named = (name: string) => fitting.find((place) => place.name === name || place.name === `${name}name`);
  return FIELD_NAMES[field].map(named).find((place) => place);
}

/** @param root the variable that holds the event: `body` or `event` */
export function exampleOf(event: unknown, root: string): Example {
  const places = placesIn(event, root);
  return { places, values: valuesOf(places) };
}

export function valuesOf(places: readonly Place[]): ReadonlyMap<string, Scalar> {
  return new Map(places.map(({ expression, value }) => [expression, value]));
}
