import { addDays } from '../../../runtime/dates.ts';
import { hoursBetween } from './hours.ts';
import { onCallAt } from './on-call-at.ts';
import type { Layer, PersonId, Turns } from './schedule.ts';
import { turnAt, turnStart } from './turns.ts';

export interface Shift {
  readonly from: Date;
  readonly to: Date;
  /** null: nobody. */
  readonly person: PersonId | null;
}

/** Who is on call from one time to another, without holes. The first and the last shift are cut at these times. */
export function shiftsBetween({ layers, overrides, calendar = [] }: Turns, from: Date, to: Date): Shift[] {
  const schedule = {
    layers: layers.filter(({ validFrom, validUntil }) => validFrom < to && (validUntil === null || validUntil > from)),
    overrides: overrides.filter((override) => override.from < to && override.to > from),
    calendar: calendar.filter((span) => span.from < to && span.to > from),
  };
  const shifts: Shift[] = [];
  const times = changesBetween(schedule, from, to);
  for (const [index, at] of times.entries()) {
    const person = onCallAt(schedule, at);
    const last = shifts.at(-1);
    const end = times[index + 1] ?? to;
    if (last?.person === person) {
      shifts[shifts.length - 1] = { ...last, to: end };
    } else {
      shifts.push({ from: at, to: end, person });
    }
  }
  return shifts;
}

/** The times at which somebody else may be on call, ascending: the start, and those between. */
function changesBetween({ layers, overrides, calendar = [] }: Turns, from: Date, to: Date): Date[] {
  const spans = [...overrides, ...calendar].flatMap((span) => [span.from, span.to]);
  const times = [...layers.flatMap((layer) => changesOf(layer, from, to)), ...spans];
  const between = times.filter((at) => from < at && at < to).map((at) => at.getTime());
  return [...new Set([from.getTime(), ...between])].toSorted((a, b) => a - b).map((ms) => new Date(ms));
}

function changesOf(layer: Layer, from: Date, to: Date): Date[] {
  const { validFrom, validUntil } = layer;
  const start = validFrom > from ? validFrom : from;
  const end = validUntil !== null && validUntil < to ? validUntil : to;
  if (start >= end) {
    return [];
  }
  const times = [start, end];
  for (let turn = turnAt(layer, start) + 1, at = turnStart(layer, turn); at < end; at = turnStart(layer, turn)) {
    times.push(at);
    turn += 1;
  }
  return [...times, ...hoursBetween(layer, start, end).flatMap((span) => [span.from, span.to])];
}

/** The furthest that is looked for who is next. */
const NEXT_DAYS = 62;

/** What follows on who is on call; null: nothing changes for two months. */
export function nextShift(schedule: Turns, now: Date): Shift | null {
  for (const days of [2, NEXT_DAYS]) {
    const [, next] = shiftsBetween(schedule, now, addDays(now, days));
    if (next !== undefined) {
      return next;
    }
  }
  return null;
}
