import { wallOf } from '../../../incident/wall-time.ts';
import type { PersonId } from './schedule.ts';
import type { Shift } from './shifts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEP_MS = 15 * 60_000;
const NIGHT = { from: 22 * HOUR_MS, to: 6 * HOUR_MS };

export interface HoursOnCall {
  readonly person: PersonId;
  readonly hours: number;
  /** From 22:00 to 06:00 in the zone. */
  readonly nightHours: number;
  /** Saturday and Sunday in the zone. */
  readonly weekendHours: number;
}

/** How long each person is on call, to a quarter of an hour for nights and weekends. */
export function hoursOf(shifts: readonly Shift[], timeZone: string): HoursOnCall[] {
  const totals = new Map<PersonId, HoursOnCall>();
  for (const { person, from, to } of shifts) {
    if (person === null) {
      continue;
    }
    const total = totals.get(person) ?? { person, hours: 0, nightHours: 0, weekendHours: 0 };
    totals.set(person, { ...add(total, from.getTime(), to.getTime(), timeZone), person });
  }
  return [...totals.values()];
}

/** Somebody was woken for an incident. */
export interface Woken {
  readonly person: PersonId;
  readonly incident: string;
  readonly at: Date;
}

/** For how many incidents each person was woken while they were on call. */
export function pagesOf(shifts: readonly Shift[], woken: readonly Woken[]): ReadonlyMap<PersonId, number> {
  const byPerson = Map.groupBy(woken, ({ person }) => person);
  return new Map(
    [...byPerson].map(([person, own]) => {
      const onCall = shifts.filter((shift) => shift.person === person);
      const during = own.filter(({ at }) => onCall.some(({ from, to }) => from <= at && at < to));
      return [person, new Set(during.map(({ incident }) => incident)).size];
    }),
  );
}

/** From 22:00 to 06:00. */
export function isNight(at: Date, timeZone: string): boolean {
  const time = wallOf(at, timeZone) % DAY_MS;
  return time >= NIGHT.from || time < NIGHT.to;
}

function add(total: HoursOnCall, from: number, to: number, timeZone: string): HoursOnCall {
  let [nightMs, weekendMs] = [0, 0];
  // Zones are whole quarters of an hour from UTC, so no quarter is half night.
  for (let at = from; at < to; ) {
    const end = Math.min(to, Math.floor(at / STEP_MS) * STEP_MS + STEP_MS);
    const weekday = new Date(wallOf(new Date(at), timeZone)).getUTCDay();
    nightMs += isNight(new Date(at), timeZone) ? end - at : 0;
    weekendMs += weekday === 0 || weekday === 6 ? end - at : 0;
    at = end;
  }
  return {
    ...total,
    hours: total.hours + (to - from) / HOUR_MS,
    nightHours: total.nightHours + nightMs / HOUR_MS,
    weekendHours: total.weekendHours + weekendMs / HOUR_MS,
  };
}
