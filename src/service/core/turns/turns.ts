import { reachedAt, wallOf } from '../../../incident/wall-time.ts';
import type { PersonId, Rotation } from './schedule.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNIT_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const;

/** When a turn begins. Turn 0 begins at the anchor, and each is derived from there: none from the one before. */
export function turnStart(rotation: Rotation, turn: number): Date {
  return reachedAt(wallStart(rotation, turn), rotation.timeZone);
}

/** The turn at a time: it begins then or before, and the next one later. */
export function turnAt(rotation: Rotation, at: Date): number {
  let turn = estimate(rotation, wallOf(at, rotation.timeZone));
  while (turnStart(rotation, turn) > at) {
    turn -= 1;
  }
  // After clocks went back, the wall shows less than has been reached.
  while (turnStart(rotation, turn + 1) <= at) {
    turn += 1;
  }
  return turn;
}

export function personOf({ people }: Pick<Rotation, 'people'>, turn: number): PersonId | null {
  return people[indexOfTurn(people, turn)] ?? null;
}

export function indexOfTurn({ length }: Rotation['people'], turn: number): number {
  return ((turn % length) + length) % length;
}

/** Milliseconds since midnight of `HH:mm`. */
export function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS;
}

function wallStart({ anchor, at, every: { count, unit } }: Rotation, turn: number): number {
  const first = Date.parse(anchor);
  if (unit !== 'month') {
    return first + timeOfDay(at) + turn * count * UNIT_MS[unit];
  }
  const date = new Date(first);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + turn * count];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + timeOfDay(at);
}

/** The turn by the clock on the wall, or one beside it. */
function estimate({ anchor, at, every: { count, unit } }: Rotation, wall: number): number {
  const first = Date.parse(anchor) + timeOfDay(at);
  if (unit !== 'month') {
    return Math.floor((wall - first) / (count * UNIT_MS[unit]));
  }
  const [from, to] = [new Date(first), new Date(wall)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  return Math.floor(months / count);
}
