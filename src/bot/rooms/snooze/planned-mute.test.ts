import { describe, expect, it } from 'vitest';
import { readPlan } from './planned-mute.ts';

/** A Tuesday, 10:00 in Berlin. */
const NOW = new Date('2026-11-24T09:00:00Z');

function planOf(text: string, time = '2h') {
  const read = readPlan(time, text, 'Europe/Berlin', NOW);
  return read?.kind === 'plan'
    ? [read.plan.startsAt.toISOString(), read.plan.until.toISOString(), read.plan.every, read.reason]
    : read;
}

describe('readPlan', () => {
  it.each([
    ['from 22:00 upgrade', ['2026-11-24T21:00:00.000Z', '2026-11-24T23:00:00.000Z', null, 'upgrade']],
    ['from 9:30 upgrade', ['2026-11-25T08:30:00.000Z', '2026-11-25T10:30:00.000Z', null, 'upgrade']],
    ['from tomorrow 9:30 weekly', ['2026-11-25T08:30:00.000Z', '2026-11-25T10:30:00.000Z', 'week', '']],
    [
      'FROM Saturday at 22:00 weekly new disks',
      ['2026-11-28T21:00:00.000Z', '2026-11-28T23:00:00.000Z', 'week', 'new disks'],
    ],
    ['from tue 9:00 daily backup', ['2026-12-01T08:00:00.000Z', '2026-12-01T10:00:00.000Z', 'day', 'backup']],
    ['from 2027-07-01 22:00 upgrade', ['2027-07-01T20:00:00.000Z', '2027-07-01T22:00:00.000Z', null, 'upgrade']],
  ])('reads %s in the time zone of the person', (text, plan) => {
    expect(planOf(text)).toEqual(plan);
  });

  it.each(['from today 9:00 too late', 'from 2026-02-31 10:00', 'from noon', 'from 25:00', 'from 22:00weekly'])(
    'refuses %s',
    (text) => {
      expect(planOf(text)).toEqual({ kind: 'wrong' });
    },
  );

  it('leaves other reasons alone', () => {
    expect(planOf('upgrade from 1.2 to 1.3')).toBeNull();
  });
});
