import { isWithinHours } from './hours.ts';
import type { Layer, PersonId, Turns } from './schedule.ts';
import { personOf, turnAt } from './turns.ts';

/** Who is on call at a time, whenever it is asked; null: nobody. */
export function onCallAt({ layers, overrides, calendar = [] }: Turns, at: Date): PersonId | null {
  let person =
    layers.reduce<PersonId | null>((found, layer) => found ?? personInLayer(layer, at), null) ??
    calendar.find(({ from, to }) => from <= at && at < to)?.person ??
    null;
  for (const { from, to, person: instead, replaces } of overrides) {
    if (from <= at && at < to && (replaces === null || replaces === person)) {
      person = instead;
    }
  }
  return person;
}

/** The same, but before the schedule had turns: as if those that it had first had always been. */
export function onCallBefore({ layers, ...others }: Turns, at: Date): PersonId | null {
  const first = Math.min(...layers.map(({ validFrom }) => validFrom.getTime()));
  const asBefore = layers.map((layer) => (layer.validFrom.getTime() === first ? { ...layer, validFrom: at } : layer));
  return onCallAt({ ...others, layers: at.getTime() < first ? asBefore : layers }, at);
}

export function isValidAt({ validFrom, validUntil }: Pick<Layer, 'validFrom' | 'validUntil'>, at: Date): boolean {
  return validFrom <= at && (validUntil === null || at < validUntil);
}

export function personInLayer(layer: Layer, at: Date): PersonId | null {
  return isValidAt(layer, at) && isWithinHours(layer, at) ? personOf(layer, turnAt(layer, at)) : null;
}
