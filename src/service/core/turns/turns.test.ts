import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tzOffset } from '@date-fns/tz/tzOffset';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { reachedAt, wallOf } from '../../../incident/wall-time.ts';
import { addHours, addMinutes } from '../../../runtime/dates.ts';
import { onCallAt } from './on-call-at.ts';
import { type Layer, type Override, type Rotation, TURN_UNITS, WEEKDAYS } from './schedule.ts';
import { shiftsBetween } from './shifts.ts';
import { turnAt, turnStart } from './turns.ts';

const MINUTE_MS = 60_000;
const ZONES = Intl.supportedValuesOf('timeZone');

const read = (name: string) => readFileSync(join(import.meta.dirname, 'zoneinfo', name), 'utf8');

/** A time within some hours of a change of the clocks of a zone, if there is one in the year, otherwise any. */
const nearAChange = fc
  .record({
    timeZone: fc.constantFrom(...ZONES),
    year: fc.integer({ min: 1990, max: 2037 }),
    which: fc.nat(),
    minutes: fc.integer({ min: -1_500, max: 1_500 }),
  })
  .map(({ timeZone, year, which, minutes }) => {
    const changes: number[] = [];
    for (let at = Date.UTC(year, 0); at < Date.UTC(year + 1, 0); at += 86_400_000) {
      if (tzOffset(timeZone, new Date(at)) !== tzOffset(timeZone, new Date(at + 86_400_000))) {
        changes.push(changeIn(at, at + 86_400_000, timeZone));
      }
    }
    const around = changes[which % Math.max(1, changes.length)] ?? Date.UTC(year, 0) + (which % 31_536_000) * 1_000;
    return { timeZone, at: addMinutes(around, minutes) };
  });

function changeIn(early: number, late: number, timeZone: string): number {
  const middle = Math.floor((early + late) / 2 / MINUTE_MS) * MINUTE_MS;
  if (middle <= early) {
    return late;
  }
  const isBefore = tzOffset(timeZone, new Date(middle)) === tzOffset(timeZone, new Date(early));
  return isBefore ? changeIn(middle, late, timeZone) : changeIn(early, middle, timeZone);
}

const timeOfDay = fc
  .integer({ min: 0, max: 1_439 })
  .map((minutes) => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`);

const hours = fc.array(
  fc.record({ days: fc.subarray([...WEEKDAYS], { minLength: 1 }), from: timeOfDay, to: timeOfDay }),
  { maxLength: 2 },
);

const rotationAnd = nearAChange.chain(({ timeZone, at }) =>
  fc.record({
    at: fc.constant(at),
    rotation: fc.record({
      people: fc.array(fc.option(fc.constantFrom('ana', 'ben', 'cem'), { nil: null }), { minLength: 1, maxLength: 4 }),
      every: fc.record({ count: fc.integer({ min: 1, max: 9 }), unit: fc.constantFrom(...TURN_UNITS) }),
      at: timeOfDay,
      anchor: fc
        .integer({ min: -900, max: 900 })
        .map((days) => new Date(at.getTime() + days * 86_400_000).toISOString().slice(0, 10)),
      timeZone: fc.constant(timeZone),
      hours,
    }),
  }),
);

it('reaches each wall time at the first minute that shows it or more', () => {
  fc.assert(
    fc.property(nearAChange, fc.integer({ min: -300, max: 300 }), ({ timeZone, at }, minutes) => {
      const wall = Math.floor(wallOf(at, timeZone) / MINUTE_MS + minutes) * MINUTE_MS;

      let first = addHours(wall, -16);
      while (wallOf(first, timeZone) < wall) {
        first = addMinutes(first, 1);
      }

      expect(reachedAt(wall, timeZone)).toEqual(first);
    }),
    { numRuns: runs(60) },
  );
});

it('has exactly one turn at any time, which begins at its hour unless the clocks skip it', () => {
  fc.assert(
    fc.property(rotationAnd, ({ rotation, at }) => {
      const turn = turnAt(rotation, at);
      const start = turnStart(rotation, turn);

      expect(start <= at && at < turnStart(rotation, turn + 1)).toBe(true);
      for (let other = turn - 3; other < turn + 3; other += 1) {
        expect(turnStart(rotation, other) <= turnStart(rotation, other + 1)).toBe(true);
        const shown = new Date(wallOf(turnStart(rotation, other), rotation.timeZone)).toISOString();
        const isSkipped =
          wallOf(addMinutes(turnStart(rotation, other), -1), rotation.timeZone) < Date.parse(shown) - MINUTE_MS;
        expect(isSkipped || rotation.every.unit === 'hour' || shown.slice(11, 16) === rotation.at).toBe(true);
      }
    }),
  );
});

it('gives the same shifts whenever and however it is asked', () => {
  const layer = (rotation: Rotation, id: string, at: Date): Layer => ({
    ...rotation,
    id,
    validFrom: addHours(at, -200),
    validUntil: null,
  });
  fc.assert(
    fc.property(
      rotationAnd,
      rotationAnd,
      fc.array(fc.record({ from: fc.nat(90), for: fc.integer({ min: 1, max: 40 }), replaces: fc.boolean() })),
      fc.integer({ min: 1, max: 71 }),
      ({ rotation, at: near }, { rotation: other }, instead, cut) => {
        const at = new Date(Math.floor(near.getTime() / MINUTE_MS) * MINUTE_MS);
        const overrides: Override[] = instead.map((each, index) => ({
          id: `${index}`,
          from: addHours(at, each.from),
          to: addHours(at, each.from + each.for),
          person: 'dora',
          replaces: each.replaces ? 'ana' : null,
        }));
        const schedule = { layers: [layer(rotation, 'high', at), layer(other, 'low', at)], overrides };
        const to = addHours(at, 72);

        const shifts = shiftsBetween(schedule, at, to);

        expect([shifts[0]?.from, shifts.at(-1)?.to]).toEqual([at, to]);
        for (const [index, shift] of shifts.entries()) {
          const next = shifts[index + 1];
          expect(
            next === undefined || (next.from.getTime() === shift.to.getTime() && next.person !== shift.person),
          ).toBe(true);
        }
        for (let minute = 0; minute < 72 * 60; minute += 17) {
          const moment = addMinutes(at, minute);
          const shift = shifts.find(({ from, to: end }) => from <= moment && moment < end);
          expect(shift?.person).toBe(onCallAt(schedule, moment));
        }
        const middle = addHours(at, cut);
        const halves = [...shiftsBetween(schedule, at, middle), ...shiftsBetween(schedule, middle, to)];
        expect(
          halves
            .filter(
              ({ from }, index) =>
                from.getTime() !== middle.getTime() || halves[index - 1]?.person !== onCallAt(schedule, middle),
            )
            .map(({ from, person }) => [from, person]),
        ).toEqual(shifts.map(({ from, person }) => [from, person]));
      },
    ),
    { numRuns: runs(60) },
  );
});

it("knows each of 10,000 wall times as Python's zoneinfo does", () => {
  const wrong: string[] = [];
  let cases = 0;
  for (const line of read('walls.txt').trim().split('\n')) {
    const [timeZone = '', ...pairs] = line.split(' ');
    for (const pair of pairs) {
      const [wall = 0, offset = 0] = pair.split(':').map(Number);
      const found = reachedAt(wall * MINUTE_MS, timeZone).getTime() / MINUTE_MS;
      cases += 1;
      if (found !== wall - offset) {
        wrong.push(`${timeZone} ${new Date(wall * MINUTE_MS).toISOString()} ${wall - found} instead of ${offset}`);
      }
    }
  }

  expect(cases).toBeGreaterThan(10_000);
  expect(wrong).toEqual([]);
});

/** By the name of the schedule: the times and people of the windows around the changes, each closed by `end`. */
const SHIFTS = new Map(
  read('shifts.txt')
    .split('# ')
    .slice(1)
    .map((part) => {
      const [name = '', ...lines] = part.trim().split('\n');
      return [name, lines];
    }),
);

const SCHEDULES = JSON.parse(read('schedules.json')) as { name: string; layers: Rotation[] }[]; // a file of this folder

it.each(SCHEDULES)('has the shifts of zoneinfo: $name', ({ name, layers }) => {
  const schedule = {
    layers: layers.map((layer, index) => ({ ...layer, id: `${index}`, validFrom: new Date(0), validUntil: null })),
    overrides: [],
  };
  const expected = SHIFTS.get(name) ?? [];
  const windows = expected.join('\n').split(/(?<= end)\n/);

  const found = windows.flatMap((window) => {
    const times = window.split('\n').map((line) => new Date(line.slice(0, 17)));
    const [from = new Date(0), to = new Date(0)] = [times[0], times.at(-1)];
    const shifts = shiftsBetween(schedule, from, to).map((shift) => `${iso(shift.from)} ${shift.person ?? '-'}`);
    return [...shifts, `${iso(to)} end`];
  });

  expect(windows.length).toBeGreaterThan(1);
  expect(found).toEqual(expected);
});

function iso(at: Date): string {
  return at.toISOString().replace(/:00\.000Z$/, 'Z');
}
