import { EmptyLayerError } from '../errors.ts';
import { onCallAt } from './on-call-at.ts';
import type { Layer, PersonId, Rotation, Schedule } from './schedule.ts';
import { indexOfTurn, personOf, turnAt, turnStart } from './turns.ts';

type People = Rotation['people'];

/** A layer as somebody wants it. */
export interface WantedLayer extends Rotation {
  /** The layer that it changes; null: it is a new one. */
  readonly id: string | null;
  /** Not before; null: as soon as it can. */
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
}

export interface Edit {
  readonly name: string;
  readonly timeZone: string;
  /** All layers, the highest first. Those that are not among them end. */
  readonly layers: readonly WantedLayer[];
  /** Changes count from now, not from the next hand-over. */
  readonly isAtOnce: boolean;
}

/**
 * The schedule after an edit. What was stays: a layer that is changed, moved or removed ends at its next hand-over, and its
 * successor goes on from there. Where the anchor stays, so does the order of turns: the person after the one on call is
 * next. Another anchor says where the list begins.
 *
 * @throws {EmptyLayerError} when a new layer would end before it begins
 */
export function applyEdit<Edited extends Schedule>(
  schedule: Edited,
  { name, timeZone, layers: wanted, isAtOnce }: Edit,
  now: Date,
  createId: () => string,
): Edited {
  const existing = schedule.layers;
  const ends = new Map(existing.map((layer) => [layer.id, endOf(layer, isAtOnce, now)]));
  const layers: Layer[] = [];
  let passed = 0;
  // Layers keep their order among each other, also those that have ended: it says who was on call.
  const passUntil = (index: number) => {
    layers.push(...existing.slice(passed, index).flatMap((layer) => endAt(layer, ends.get(layer.id) ?? now)));
    passed = index;
  };
  for (const each of wanted) {
    const index = existing.findIndex(
      ({ id, validUntil }) => id === each.id && (validUntil === null || validUntil > now),
    );
    const old = existing[index];
    if (old !== undefined && index >= passed && isSame(old, each, now)) {
      passUntil(index);
      passed = index + 1;
      layers.push(...endAt(old, each.validUntil === null || each.validUntil > now ? each.validUntil : now));
      continue;
    }
    const start = old === undefined ? startOfNew(schedule, each, isAtOnce, now) : (ends.get(old.id) ?? now);
    const validFrom = each.validFrom !== null && each.validFrom > start ? each.validFrom : start;
    if (each.id === null && each.validUntil !== null && each.validUntil <= validFrom) {
      throw new EmptyLayerError(wanted.indexOf(each) + 1);
    }
    const people = old?.anchor === each.anchor ? goOn(old, each, validFrom, now) : each.people;
    layers.push(
      ...endAt({ ...rotationOf(each), people, id: createId(), validFrom, validUntil: null }, each.validUntil),
    );
  }
  passUntil(existing.length);
  return { ...schedule, name, timeZone, layers };
}

export function rotationOf({ people, every, at, anchor, timeZone, hours }: Rotation): Rotation {
  return {
    people,
    every: { count: every.count, unit: every.unit },
    at,
    anchor,
    timeZone,
    hours: hours.map(({ days, from, to }) => ({ days, from, to })),
  };
}

/** Whether the layer can stay. When it ends does not matter: that is ahead. */
function isSame(old: Layer, wanted: WantedLayer, now: Date): boolean {
  const { validFrom } = wanted;
  const startsSo = validFrom === null || validFrom.getTime() === old.validFrom.getTime();
  return (
    JSON.stringify(rotationOf(old)) === JSON.stringify(rotationOf(wanted)) &&
    (startsSo || (old.validFrom <= now && validFrom <= now))
  );
}

/** @param end null: it does not end. A layer that does not begin before its end leaves nothing behind. */
function endAt(layer: Layer, end: Date | null): Layer[] {
  return end !== null && layer.validFrom >= end ? [] : [{ ...layer, validUntil: end }];
}

/** When a layer ends that is not wanted any more: at its next hand-over. One that has not begun does not begin. */
function endOf(layer: Layer, isAtOnce: boolean, now: Date): Date {
  const { validFrom, validUntil } = layer;
  if (validUntil !== null && validUntil <= now) {
    return validUntil;
  }
  const next = isAtOnce || validFrom > now ? now : nextHandOver(layer, now);
  return validUntil !== null && validUntil < next ? validUntil : next;
}

/** Where nobody is on call, a new layer counts from now: it takes the call from nobody. */
function startOfNew(schedule: Schedule, wanted: WantedLayer, isAtOnce: boolean, now: Date): Date {
  return isAtOnce || onCallAt(schedule, now) === null ? now : nextHandOver(wanted, now);
}

function nextHandOver(rotation: Rotation, now: Date): Date {
  return turnStart(rotation, turnAt(rotation, now) + 1);
}

/** The list, turned so that it goes on at `from` where the old one is. */
function goOn(old: Layer, { people, ...wanted }: WantedLayer, from: Date, now: Date): People {
  const place = from > now ? placeAfter(old, people, turnAt(old, now)) : placeOf(old, people, turnAt(old, now));
  const turn = nearestTurn({ ...wanted, people }, from);
  const shift = indexOfTurn(people, place - indexOfTurn(people, turn));
  return [...people.slice(shift), ...people.slice(0, shift)];
}

/** Where the list has the person after the one of a turn. */
function placeAfter(old: Layer, people: People, turn: number): number {
  const place = findPlace(old, people, turn);
  return place === null ? placeOf(old, people, turn + 1) : place + 1;
}

/** Where the list has the person of a turn, or the first after them who is still in it. */
function placeOf(old: Layer, people: People, turn: number): number {
  const places = old.people.map((_person, ahead) => findPlace(old, people, turn + ahead));
  return places.find((place) => place !== null) ?? 0;
}

/** Somebody may have several turns: the one at the same place is meant. */
function findPlace(old: Layer, people: People, turn: number): number | null {
  const person: PersonId | null = personOf(old, turn);
  const place = indexOfTurn(old.people, turn);
  const found = people[place] === person ? place : people.indexOf(person);
  return found < 0 ? null : found;
}

/** The turn that has the longer part of what is cut at a time. A short rest of a turn belongs to the one before. */
function nearestTurn(rotation: Rotation, from: Date): number {
  const turn = turnAt(rotation, from);
  const middle = (turnStart(rotation, turn).getTime() + turnStart(rotation, turn + 1).getTime()) / 2;
  return from.getTime() > middle ? turn + 1 : turn;
}
