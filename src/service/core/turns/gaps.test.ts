import { describe, expect, it } from 'vitest';
import { findGaps, type Gap, isMeant, tellGaps } from './gaps.ts';
import type { Layer } from './schedule.ts';

const DAY_MS = 86_400_000;
const day = (days: number) => new Date(Date.UTC(2027, 2, 1) + days * DAY_MS);
const shift = (from: number, to: number, person: string | null) => ({ from: day(from), to: day(to), person });
const known = { gone: new Set(['gone']), wakeable: new Set(['ana']), others: [] };

describe('a gap', () => {
  it.each([
    ['nobody', null, 'nobody'],
    ['somebody who left', 'gone', 'left'],
    ['somebody whom no loud way wakes', 'ben', 'not-wakeable'],
  ])('is where the schedule has %s', (_case, person, because) => {
    const gaps = findGaps([shift(0, 1, 'ana'), shift(1, 2, person)], known);

    expect(gaps).toEqual([{ ...shift(1, 2, person), because, elsewhere: null }]);
  });

  it('is not where nobody is woken by the schedule', () => {
    expect(findGaps([shift(0, 1, 'ben')], { ...known, wakeable: null })).toEqual([]);
  });

  it('is the time in which somebody is on call elsewhere too', () => {
    const others = [{ name: 'Search', shifts: [shift(1, 4, 'ana'), shift(4, 9, 'ben')] }];

    expect(findGaps([shift(0, 2, 'ana')], { ...known, others })).toEqual([
      { ...shift(1, 2, 'ana'), because: 'elsewhere', elsewhere: 'Search' },
    ]);
  });
});

describe('what is told of gaps', () => {
  const gap = (from: number, to: number): Gap => ({
    ...shift(from, to, 'ben'),
    because: 'not-wakeable',
    elsewhere: null,
  });
  const look = (gaps: readonly Gap[], at: number, told: Parameters<typeof tellGaps>[1] = []) =>
    tellGaps(gaps, told, day(at));

  it('is each of them once, and once more a day before it begins', () => {
    const first = look([gap(10, 11)], 0);
    const second = look([gap(10, 11)], 1, first.told);
    const dayBefore = look([gap(10, 11)], 9, second.told);
    const then = look([gap(10, 11)], 9.5, dayBefore.told);

    expect([first, second, dayBefore, then].map(({ tell }) => tell.length)).toEqual([1, 0, 1, 0]);
  });

  it('is once what begins soon', () => {
    const first = look([gap(0.5, 2)], 0);

    expect(first.tell).toHaveLength(1);
    expect(look([gap(0.6, 2)], 0.6, first.told).tell).toEqual([]); // it has begun
  });

  it('is again what was closed and opens again', () => {
    const closed = look([], 1, look([gap(10, 11)], 0).told);

    expect(look([gap(10, 11)], 2, closed.told).tell).toHaveLength(1);
  });

  it('is nothing outside the hours that a schedule is for', () => {
    const layer: Layer = {
      id: 'layer_1',
      people: ['ana'],
      every: { count: 1, unit: 'week' },
      at: '09:00',
      anchor: '2027-03-01',
      timeZone: 'UTC',
      hours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }],
      validFrom: day(0),
      validUntil: day(7),
    };
    const turns = { layers: [layer], overrides: [] };
    const nobody = (from: number, to = from + 0.2): Gap => ({
      ...shift(from, to, null),
      because: 'nobody',
      elsewhere: null,
    });

    expect(isMeant(nobody(1), turns)).toBe(true); // midnight
    expect(isMeant(nobody(1.5), turns)).toBe(false); // noon
    expect(isMeant(nobody(1, 2), turns)).toBe(false); // it begins at midnight, and lasts beyond noon
    expect(isMeant(nobody(4.8, 7), turns)).toBe(true); // the weekend
    expect(isMeant(nobody(4.8, 8), turns)).toBe(false); // the layer ends in it
    expect(isMeant(nobody(8), turns)).toBe(false); // the layer has ended
    expect(isMeant(nobody(1), { ...turns, layers: [{ ...layer, hours: [] }] })).toBe(false);
  });
});
