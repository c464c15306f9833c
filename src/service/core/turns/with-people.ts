import { wallOf } from '../../../incident/wall-time.ts';
import type { Edit } from './edit.ts';
import type { PersonId, Schedule } from './schedule.ts';

/**
 * An edit that gives the lowest layer these people. Those who are in it already keep their order, so the person after the
 * one on call stays the next; without a layer, they take turns of a week.
 */
export function withPeople({ name, timeZone, layers }: Schedule, people: readonly PersonId[], now: Date): Edit {
  const current = layers.filter(({ validUntil }) => validUntil === null || validUntil > now);
  const lowest = current.at(-1);
  const stay = (lowest?.people ?? []).filter((person) => person !== null && people.includes(person));
  const turns = [...stay, ...people.filter((person) => !stay.includes(person))];
  const base = lowest ?? {
    id: null,
    every: { count: 1, unit: 'week' as const },
    at: '09:00',
    anchor: new Date(wallOf(now, timeZone)).toISOString().slice(0, 10),
    timeZone,
    hours: [],
    validUntil: null,
  };
  return {
    name,
    timeZone,
    isAtOnce: false,
    layers: [...current.slice(0, -1).map(unchanged), unchanged({ ...base, people: turns })],
  };
}

function unchanged<Each extends object>(layer: Each): Each & { readonly validFrom: null } {
  return { ...layer, validFrom: null };
}
