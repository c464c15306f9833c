import { describe, expect, it } from 'vitest';
import { endOfQuietHours, lastWeekdayAt, nextWeekdayAt, tomorrowAt } from './quiet-hours.ts';

const NIGHT = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };

describe('quiet hours', () => {
  it.each([
    ['2026-01-30T20:59:00Z', null],
    ['2026-01-30T21:00:00Z', '2026-01-31T06:00:00.000Z'],
    ['2026-01-31T05:59:00Z', '2026-01-31T06:00:00.000Z'],
    ['2026-01-31T06:00:00Z', null],
    // The clocks in Berlin go forward at 01:00 UTC.
    ['2026-03-28T23:00:00Z', '2026-03-29T05:00:00.000Z'],
  ])('at %s end at %s', (now, end) => {
    expect(endOfQuietHours(NIGHT, new Date(now))?.toISOString() ?? null).toBe(end);
  });

  it('may begin and end on the same day', () => {
    const lunch = { from: '12:00', to: '13:00', timeZone: 'UTC' };

    expect(endOfQuietHours(lunch, new Date('2026-01-30T12:30:00Z'))).toEqual(new Date('2026-01-30T13:00:00Z'));
    expect(endOfQuietHours(lunch, new Date('2026-01-30T13:30:00Z'))).toBeNull();
  });
});

describe('a time of day', () => {
  it('on the next weekday skips the weekend', () => {
    const friday = new Date('2026-01-30T09:00:00Z');

    expect(nextWeekdayAt('11:00', 'Europe/Berlin', friday)).toEqual(new Date('2026-01-30T10:00:00Z'));
    expect(nextWeekdayAt('10:00', 'Europe/Berlin', friday)).toEqual(new Date('2026-02-02T09:00:00Z'));
  });

  it('on the last weekday skips the weekend', () => {
    const monday = new Date('2026-02-02T09:00:00Z');

    expect(lastWeekdayAt('10:00', 'Europe/Berlin', monday)).toEqual(monday);
    expect(lastWeekdayAt('11:00', 'Europe/Berlin', monday)).toEqual(new Date('2026-01-30T10:00:00Z'));
  });

  it('tomorrow is in the time zone of the person', () => {
    const lateInNewYork = new Date('2026-01-31T03:00:00Z');

    expect(tomorrowAt('09:00', 'America/New_York', lateInNewYork)).toEqual(new Date('2026-01-31T14:00:00Z'));
  });
});
