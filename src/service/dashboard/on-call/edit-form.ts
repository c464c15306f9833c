import type { z } from 'zod';
import { ON_CALL_LIMITS, ScheduleRequest } from '../../../contract/on-call.ts';
import { isTimeZone, reachedAt, wallOf } from '../../../incident/wall-time.ts';
import type { Edit } from '../../core/turns/edit.ts';
import type { Layer } from '../../core/turns/schedule.ts';
import type { StoredSchedule } from '../../store/schedules/stored-schedule.ts';

const DAY_MS = 86_400_000;

/** The choice of a turn that nobody has; an empty one is no turn. */
export const NOBODY = 'nobody';

/** What was typed into the form of a layer. */
export interface TypedLayer {
  /** Empty: a new one. */
  readonly id: string;
  /** Ids; `NOBODY`: nobody has that turn. */
  readonly people: readonly string[];
  readonly count: string;
  readonly unit: string;
  readonly at: string;
  readonly anchor: string;
  readonly zone: string;
  /** The last local date; empty: no end. */
  readonly until: string;
  readonly hours: readonly { readonly days: readonly string[]; readonly from: string; readonly to: string }[];
}

export interface TypedEdit {
  readonly revision: string;
  readonly name: string;
  readonly zone: string;
  readonly isAtOnce: boolean;
  readonly layers: readonly TypedLayer[];
}

export function newLayer(now: Date): TypedLayer {
  const anchor = now.toISOString().slice(0, 10);
  return { id: '', people: [], count: '1', unit: 'week', at: '09:00', anchor, zone: '', until: '', hours: [] };
}

export function typedOf(schedule: StoredSchedule, now: Date): TypedEdit {
  const layers = schedule.layers.filter(({ validUntil }) => validUntil === null || validUntil > now);
  return {
    revision: String(schedule.revision),
    name: schedule.name,
    zone: schedule.timeZone,
    isAtOnce: false,
    layers: layers.map((layer) => typedLayer(layer, schedule.timeZone)),
  };
}

function typedLayer({ people, every, validUntil, timeZone, ...layer }: Layer, ofSchedule: string): TypedLayer {
  return {
    id: layer.id,
    people: people.map((person) => person ?? NOBODY),
    count: String(every.count),
    unit: every.unit,
    at: layer.at,
    anchor: layer.anchor,
    zone: timeZone === ofSchedule ? '' : timeZone,
    until: validUntil === null ? '' : new Date(wallOf(validUntil, timeZone) - 1).toISOString().slice(0, 10),
    hours: layer.hours,
  };
}

/** What a browser sends. */
export function readForm(form: FormData): TypedEdit {
  const text = (name: string) => textsOf(form, name)[0] ?? '';
  const layers: TypedLayer[] = [];
  for (let index = 0; form.has(`${index}.id`); index += 1) {
    const field = (name: string) => text(`${index}.${name}`);
    const places = [...form.keys()].filter((key) => key.startsWith(`${index}.from.`)).length;
    const hours = Array.from({ length: places }, (_, place) => ({
      days: textsOf(form, `${index}.days.${place}`),
      from: field(`from.${place}`),
      to: field(`to.${place}`),
    })).filter(({ days, from, to }) => days.length > 0 || from !== '' || to !== '');
    if (!form.has(`${index}.remove`)) {
      layers.push({
        id: field('id'),
        people: textsOf(form, `${index}.people`).filter((person) => person !== ''),
        count: field('count'),
        unit: field('unit'),
        at: field('at'),
        anchor: field('anchor'),
        zone: field('zone'),
        until: field('until'),
        hours,
      });
    }
  }
  return { revision: text('revision'), name: text('name'), zone: text('zone'), isAtOnce: form.has('at-once'), layers };
}

function textsOf(form: FormData, name: string): string[] {
  return form.getAll(name).flatMap((value) => (typeof value === 'string' ? [value.trim()] : []));
}

/** @returns a sentence: what is wrong with the form */
export function editOf(typed: TypedEdit, stored: StoredSchedule): Edit | string {
  const zones = [typed.zone, ...typed.layers.map(({ zone }) => zone || typed.zone)];
  const wrongZone = zones.find((zone) => !isTimeZone(zone));
  if (wrongZone !== undefined) {
    return `"${wrongZone}" is no time zone: use a name such as Europe/Berlin.`;
  }
  const parsed = ScheduleRequest.safeParse({
    name: typed.name,
    time_zone: typed.zone,
    is_at_once: typed.isAtOnce,
    layers: typed.layers.map(({ id, people, count, zone, unit, until, ...layer }) => ({
      ...layer,
      ...(id !== '' && { id }),
      people: people.map((person) => (person === NOBODY ? null : person)),
      every: { count: Number(count), unit },
      time_zone: zone || typed.zone,
      ...(until !== '' && { valid_until: dayAfter(until, zone || typed.zone) }),
    })),
  });
  return parsed.success ? toEdit(parsed.data, stored) : faultOf(parsed.error);
}

function toEdit(parsed: z.output<typeof ScheduleRequest>, stored: StoredSchedule): Edit {
  return {
    name: parsed.name,
    timeZone: parsed.time_zone,
    isAtOnce: parsed.is_at_once,
    layers: parsed.layers.map((layer) => ({
      id: layer.id ?? null,
      people: layer.people,
      every: layer.every,
      at: layer.at,
      anchor: layer.anchor,
      timeZone: layer.time_zone ?? parsed.time_zone,
      hours: layer.hours,
      // The form does not show it, so a layer that begins later still does.
      validFrom: stored.layers.find(({ id }) => id === layer.id)?.validFrom ?? null,
      validUntil: layer.valid_until ?? null,
    })),
  };
}

function dayAfter(date: string, timeZone: string): string {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(midnight) ? date : reachedAt(midnight + DAY_MS, timeZone).toISOString();
}

/** What is needed, as the continuation of "Layer 1 needs". */
const NEEDED: Readonly<Record<string, string>> = {
  name: `a name of at most ${ON_CALL_LIMITS.name} characters`,
  layers: `at most ${ON_CALL_LIMITS.layers} layers`,
  people: `1 to ${ON_CALL_LIMITS.turns} turns`,
  every: `turns of 1 to ${ON_CALL_LIMITS.count} hours, days, weeks or months`,
  at: 'the time of the hand-over, such as 09:00',
  anchor: 'the day of the first hand-over, such as 2026-11-30',
  hours: 'days and two times for its hours, such as 09:00 and 17:30',
  valid_until: 'a last day such as 2027-12-31, or none',
};

function faultOf({ issues: [issue] }: z.ZodError): string {
  const [first, index, field] = issue?.path ?? [];
  const isLayer = first === 'layers' && typeof index === 'number';
  const needed = NEEDED[String(isLayer ? field : first)] ?? 'other values';
  return `${isLayer ? `Layer ${index + 1}` : 'A schedule'} needs ${needed}.`;
}
