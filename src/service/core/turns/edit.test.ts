import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { addDays, addHours } from '../../../runtime/dates.ts';
import { applyEdit, type Edit, type WantedLayer } from './edit.ts';
import { onCallAt } from './on-call-at.ts';
import { type Schedule, TURN_UNITS } from './schedule.ts';
import { shiftsBetween } from './shifts.ts';

/** A Wednesday. */
const START = new Date('2027-03-03T12:00:00Z');

const EMPTY: Schedule = { id: 'schedule', name: 'Payments', timeZone: 'Europe/Berlin', layers: [], overrides: [] };

const WEEKLY: WantedLayer = {
  id: null,
  people: ['ana', 'ben', 'cem'],
  every: { count: 1, unit: 'week' },
  at: '09:00',
  anchor: '2027-03-01',
  timeZone: 'Europe/Berlin',
  hours: [],
  validFrom: null,
  validUntil: null,
};

function edit(schedule: Schedule, now: Date, layers: readonly WantedLayer[], isAtOnce = false): Schedule {
  const wanted: Edit = { name: schedule.name, timeZone: schedule.timeZone, layers, isAtOnce };
  return applyEdit(schedule, wanted, now, () => crypto.randomUUID());
}

const current = (schedule: Schedule, now: Date) =>
  schedule.layers.filter(({ validUntil }) => validUntil === null || validUntil > now);

/** Who is on call and from when, for some weeks. */
function ahead(schedule: Schedule, from: Date): string[] {
  return shiftsBetween(schedule, from, addDays(from, 30)).map(
    (shift) => `${shift.from.toISOString().slice(0, 16)} ${shift.person}`,
  );
}

it('lets those on call stay until their hand-over, and the next in the new list follow', () => {
  const before = edit(EMPTY, START, [WEEKLY]);
  const [layer] = before.layers;

  const after = edit(before, addDays(START, 1), [{ ...WEEKLY, ...layer, people: ['dora', 'cem', 'ana', 'ben'] }]);

  expect(ahead(before, START)).toEqual([
    '2027-03-03T12:00 ana',
    '2027-03-08T08:00 ben',
    '2027-03-15T08:00 cem',
    '2027-03-22T08:00 ana',
    '2027-03-29T07:00 ben',
  ]);
  expect(ahead(after, START)).toEqual([
    '2027-03-03T12:00 ana',
    '2027-03-08T08:00 ben',
    '2027-03-15T08:00 dora',
    '2027-03-22T08:00 cem',
    '2027-03-29T07:00 ana',
  ]);
});

it('takes no new layer that would end before its first hand-over, and takes back one that has ended', () => {
  const before = edit(EMPTY, START, [WEEKLY]);
  const isOver = { ...WEEKLY, ...before.layers[0], validUntil: START };

  expect(() => edit(before, START, [WEEKLY, { ...WEEKLY, validUntil: addDays(START, 4) }])).toThrow(
    'layer 2 would be over before its first turn',
  );
  expect(edit(before, START, [WEEKLY, { ...WEEKLY, validUntil: addDays(START, 6) }]).layers).toHaveLength(3);
  expect(current(edit(before, addDays(START, 1), [isOver]), addDays(START, 7))).toEqual([]);
});

it('goes on with the next one who is left where the person on call is taken off the list', () => {
  const before = edit(EMPTY, START, [WEEKLY]);
  const [layer] = before.layers;

  const after = edit(before, addDays(START, 1), [{ ...WEEKLY, ...layer, people: ['cem', 'ben'] }]);
  const atOnce = edit(before, addDays(START, 1), [{ ...WEEKLY, ...layer, people: ['cem', 'ben'] }], true);

  expect(ahead(after, START).slice(0, 3)).toEqual([
    '2027-03-03T12:00 ana',
    '2027-03-08T08:00 ben',
    '2027-03-15T08:00 cem',
  ]);
  expect(ahead(atOnce, START).slice(0, 3)).toEqual([
    '2027-03-03T12:00 ana',
    '2027-03-04T12:00 ben',
    '2027-03-08T08:00 cem',
  ]);
});

it('gives nobody a turn of an hour where the time of the hand-over moves', () => {
  const before = edit(EMPTY, START, [WEEKLY]);
  const [layer] = before.layers;

  const later = edit(before, addDays(START, 1), [{ ...WEEKLY, ...layer, at: '10:00' }]);
  const earlier = edit(before, addDays(START, 1), [{ ...WEEKLY, ...layer, at: '08:00' }]);

  expect(ahead(later, START).slice(0, 3)).toEqual([
    '2027-03-03T12:00 ana',
    '2027-03-08T09:00 ben',
    '2027-03-15T09:00 cem',
  ]);
  expect(ahead(earlier, START).slice(0, 3)).toEqual([
    '2027-03-03T12:00 ana',
    '2027-03-08T08:00 ben',
    '2027-03-15T07:00 cem',
  ]);
});

it('begins where the editor says, if the anchor is another', () => {
  const before = edit(EMPTY, START, [WEEKLY]);
  const [layer] = before.layers;

  const after = edit(before, addDays(START, 1), [{ ...WEEKLY, ...layer, anchor: '2027-03-08' }]);

  expect(ahead(after, addDays(START, 5)).slice(0, 2)).toEqual(['2027-03-08T12:00 ana', '2027-03-15T08:00 ben']);
});

it('changes nothing where the same is wanted again', () => {
  const before = edit(EMPTY, START, [WEEKLY, { ...WEEKLY, people: ['dora'], at: '00:00' }]);
  const wanted = before.layers.map((layer) => ({ ...layer }));

  expect(edit(before, addDays(START, 3), wanted)).toEqual(before);
});

it('never changes what was, nor who is on call now', () => {
  const layer = fc.record({
    people: fc.array(fc.option(fc.constantFrom('ana', 'ben', 'cem', 'dora'), { nil: null, freq: 5 }), {
      minLength: 1,
      maxLength: 4,
    }),
    every: fc.record({ count: fc.integer({ min: 1, max: 3 }), unit: fc.constantFrom(...TURN_UNITS) }),
    at: fc.constantFrom('00:00', '02:30', '09:00'),
    anchor: fc.constantFrom('2027-03-01', '2027-01-31', '2027-05-05'),
    hours: fc.constantFrom([], [{ days: ['mon', 'sat'] as const, from: '22:00', to: '06:00' }]),
  });
  /** Of each layer: whether it goes, stays, or becomes another; and where it goes. */
  const step = fc.record({
    hours: fc.integer({ min: 1, max: 400 }),
    isAtOnce: fc.boolean(),
    fates: fc.array(fc.record({ fate: fc.constantFrom('stays', 'goes', 'changes'), to: layer, place: fc.nat(3) }), {
      minLength: 3,
      maxLength: 3,
    }),
    added: fc.array(layer, { maxLength: 1 }),
  });
  const asWanted = (fields: Partial<WantedLayer>): WantedLayer => ({ ...WEEKLY, ...fields });

  fc.assert(
    fc.property(fc.array(layer, { maxLength: 3 }), fc.array(step, { minLength: 1, maxLength: 6 }), (layers, steps) => {
      let now = START;
      let schedule = edit(EMPTY, now, layers.map(asWanted));
      for (const { hours, isAtOnce, fates, added } of steps) {
        now = addHours(now, hours);
        const wanted = current(schedule, now)
          .map((each, index) => ({ each, ...fates[index % 3] }))
          .filter(({ fate }) => fate !== 'goes')
          .toSorted((one, other) => (one.place ?? 0) - (other.place ?? 0))
          .map(({ each, fate, to }) => asWanted({ ...each, ...(fate === 'changes' && to) }));
        const before = schedule;

        schedule = edit(before, now, [...wanted, ...added.map(asWanted)], isAtOnce);

        expect(shiftsBetween(schedule, addDays(START, -9), now)).toEqual(
          shiftsBetween(before, addDays(START, -9), now),
        );
        const who = onCallAt(before, now);
        expect(isAtOnce || who === null || onCallAt(schedule, now) === who).toBe(true);
      }
    }),
    { numRuns: runs(30) },
  );
});
