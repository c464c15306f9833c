import { tzOffset } from '@date-fns/tz/tzOffset';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addMinutes } from '../runtime/dates.ts';
import { nextTime, type PlannedMute, type Repeat } from './repetition.ts';

/** A Tuesday, 10:00 in Berlin. */
const NOW = new Date('2026-11-24T09:00:00Z');

const iso = ({ startsAt, until }: Pick<PlannedMute, 'startsAt' | 'until'>) =>
  [startsAt, until].map((at) => at.toISOString().slice(0, 16)).join(' to ');

/** The first `count` times of a plan. */
function timesOf(plan: PlannedMute, count: number): PlannedMute[] {
  const times = [plan];
  for (let last: PlannedMute | null = plan; last !== null && times.length < count; ) {
    last = nextTime(last, last.until);
    times.push(...(last === null ? [] : [last]));
  }
  return times;
}

it('comes back at the same time of day, also after the clocks were changed, and leaves out what has passed', () => {
  const plan = {
    startsAt: new Date('2026-10-24T20:00:00Z'), // 22:00 in summer time
    until: new Date('2026-10-24T22:00:00Z'),
    every: 'week',
    timeZone: 'Europe/Berlin',
  } as const;

  expect(nextTime(plan, plan.startsAt)?.startsAt.toISOString()).toBe('2026-10-31T21:00:00.000Z');
  expect(nextTime(plan, NOW)?.startsAt.toISOString()).toBe('2026-11-28T21:00:00.000Z');
  expect(nextTime({ ...plan, every: null }, NOW)).toBeNull();
});

it('moves as a whole where the clocks skip its start, and is back at its time afterwards', () => {
  const weekly = timesOf(
    {
      startsAt: new Date('2027-03-21T01:30:00Z'), // Sunday, 02:30 to 04:00 in Berlin
      until: new Date('2027-03-21T03:00:00Z'),
      every: 'week',
      timeZone: 'Europe/Berlin',
    },
    3,
  );
  const daily = timesOf(
    {
      startsAt: new Date('2027-03-27T01:30:00Z'), // 02:30 to 03:00
      until: new Date('2027-03-27T02:00:00Z'),
      every: 'day',
      timeZone: 'Europe/Berlin',
    },
    3,
  );

  expect(weekly.map(iso)).toEqual([
    '2027-03-21T01:30 to 2027-03-21T03:00',
    '2027-03-28T01:30 to 2027-03-28T03:00', // 03:30 to 05:00, because there is no 02:30
    '2027-04-04T00:30 to 2027-04-04T02:00',
  ]);
  expect(daily.map(iso)).toEqual([
    '2027-03-27T01:30 to 2027-03-27T02:00',
    '2027-03-28T01:30 to 2027-03-28T02:00',
    '2027-03-29T00:30 to 2027-03-29T01:00',
  ]);
});

it('begins once where a time of day comes twice, and lasts to its end', () => {
  const [, change] = timesOf(
    {
      startsAt: new Date('2026-10-24T00:30:00Z'), // 02:30 to 04:00 in Berlin
      until: new Date('2026-10-24T02:00:00Z'),
      every: 'day',
      timeZone: 'Europe/Berlin',
    },
    2,
  );

  expect(change && iso(change)).toBe('2026-10-25T00:30 to 2026-10-25T03:00');
});

/** The first time of a daily mute, and its starts on the days around the changes of 2027, as Python's zoneinfo says them. */
const AROUND_CHANGES: readonly [timeZone: string, first: string, starts: string][] = [
  ['Europe/Berlin', '2027-01-01T01:30', '03-27T01:30 03-28T01:30 03-29T00:30 10-30T00:30 10-31T00:30 11-01T01:30'],
  ['America/New_York', '2027-01-01T07:30', '03-13T07:30 03-14T07:30 03-15T06:30 11-06T06:30 11-07T07:30 11-08T07:30'],
  [
    'Australia/Lord_Howe',
    '2026-12-31T15:15',
    '04-02T15:15 04-03T15:45 04-04T15:45 10-01T15:45 10-02T15:45 10-03T15:15',
  ],
  ['America/Santiago', '2027-01-01T03:30', '04-03T03:30 04-04T04:30 04-05T04:30 09-04T04:30 09-05T04:30 09-06T03:30'],
];

it.each(AROUND_CHANGES)('does not drift at the changes of %s, where they skip its start', (timeZone, first, starts) => {
  const startsAt = new Date(`${first}Z`);
  const times = timesOf({ startsAt, until: addMinutes(startsAt, 20), every: 'day', timeZone }, 365);

  expect(times.map((time) => iso(time).slice(5, 16))).toEqual(expect.arrayContaining(starts.split(' ')));
  expect(times).toHaveLength(365);
});

const DAYS: Readonly<Record<Repeat, number>> = { day: 1, week: 7 };
/** Clocks that change by an hour, by half an hour, at midnight, in the south, by two hours, twice a year for Ramadan; none. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Havana',
  'Asia/Beirut',
  'America/Asuncion',
  'Antarctica/Troll',
  'Africa/Casablanca',
  'America/St_Johns',
  'Pacific/Chatham',
  'Asia/Kathmandu',
];

/** What a clock on the wall shows, as if it were UTC. */
const wallOf = (at: Date, timeZone: string) => addMinutes(at, tzOffset(timeZone, at)).getTime();

it('has the wall times of the first time on each day that has them, whatever came before', () => {
  const start = fc.integer({ min: Date.UTC(2024, 0) / 300_000, max: Date.UTC(2037, 0) / 300_000 });
  const plan = fc.record({
    startsAt: start.map((steps) => new Date(steps * 300_000)),
    minutes: fc.integer({ min: 1, max: 1_380 }),
    every: fc.constantFrom<Repeat>('day', 'week'),
    timeZone: fc.constantFrom(...ZONES),
  });

  fc.assert(
    fc.property(plan, fc.integer({ min: 2, max: 400 }), ({ minutes, ...rest }, count) => {
      const first = { ...rest, until: addMinutes(rest.startsAt, minutes) };
      const wall = { start: wallOf(first.startsAt, first.timeZone), end: wallOf(first.until, first.timeZone) };
      fc.pre(wall.end > wall.start);

      const times = timesOf(first, count);

      for (const [index, { startsAt, until, timeZone }] of times.entries()) {
        const days = index * DAYS[first.every] * 86_400_000;
        const moved = wallOf(startsAt, timeZone) - (wall.start + days); // only where that time does not exist
        expect(until > startsAt).toBe(true);
        expect(moved).toBeGreaterThanOrEqual(0);
        const before = tzOffset(timeZone, addMinutes(startsAt, -moved / 60_000 - 1));
        expect(moved === 0 || tzOffset(timeZone, startsAt) !== before).toBe(true);
        expect(index === 0 || (times[index - 1]?.startsAt ?? startsAt) < startsAt).toBe(true);
      }
      // However many times were left out, the next is the same.
      const last = times.at(-1);
      expect(last && nextTime(first, new Date(last.until.getTime() - 1))?.startsAt).toEqual(last?.startsAt);
    }),
  );
});
