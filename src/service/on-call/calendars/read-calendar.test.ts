import { describe, expect, it } from 'vitest';
import { CalendarError, readCalendar } from './read-calendar.ts';
import { writeCalendar } from './write-calendar.ts';

const PERIOD = { from: new Date('2027-03-01T00:00:00Z'), to: new Date('2027-05-01T00:00:00Z') };

function calendarOf(events: readonly (readonly string[])[], zone = ''): string {
  const lines = events.flatMap((event, index) => {
    const uid = event.some((line) => line.startsWith('UID:')) ? [] : [`UID:${index}`];
    return ['BEGIN:VEVENT', ...uid, ...event, 'END:VEVENT'];
  });
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...(zone === '' ? [] : [`X-WR-TIMEZONE:${zone}`])];
  return [...head, ...lines, 'END:VCALENDAR'].join('\r\n');
}

const shifts = (...given: Parameters<typeof calendarOf>) => readCalendar(calendarOf(...given), PERIOD, 'UTC').shifts;
const times = (...given: Parameters<typeof calendarOf>) => shifts(...given).map(({ from }) => from.toISOString());

const BERLIN = 'TZID=Europe/Berlin';
const nightly = [`DTSTART;${BERLIN}:20270326T023000`, `DTEND;${BERLIN}:20270327T023000`];

describe('a calendar', () => {
  it('begins at the end of the gap what the clocks skip, keeps its wall time afterwards, and leaves no hole', () => {
    const read = shifts([[...nightly, 'RRULE:FREQ=DAILY;COUNT=5']]);

    expect(read.map(({ from }) => from.toISOString())).toEqual([
      '2027-03-26T01:30:00.000Z',
      '2027-03-27T01:30:00.000Z',
      '2027-03-28T01:00:00.000Z', // 03:00, because there is no 02:30
      '2027-03-29T00:30:00.000Z',
      '2027-03-30T00:30:00.000Z',
    ]);
    expect(read.slice(1).map(({ from }) => from)).toEqual(read.slice(0, -1).map(({ to }) => to));
  });

  it.each([
    ['until a moment in UTC', 'RRULE:FREQ=DAILY;UNTIL=20270328T003000Z', 2],
    ['until a day', 'RRULE:FREQ=DAILY;UNTIL=20270328', 3],
    ['on further days', `RDATE;${BERLIN}:20270402T023000,20270405T023000`, 3],
  ])('repeats an event %s', (_case, rule, count) => {
    expect(times([[...nightly, rule]])).toHaveLength(count);
  });

  it('leaves out what was removed, and moves what was changed', () => {
    const daily = [...nightly, 'RRULE:FREQ=DAILY;COUNT=3', `EXDATE;${BERLIN}:20270327T023000`];
    const changed = [
      'UID:0',
      `RECURRENCE-ID;${BERLIN}:20270328T023000`,
      `DTSTART;${BERLIN}:20270328T120000`,
      `DTEND;${BERLIN}:20270328T180000`,
      'ATTENDEE:mailto:ben@example.com',
    ];

    const read = shifts([daily, changed]);

    expect(read.map(({ from, emails }) => [from.toISOString(), ...emails])).toEqual([
      ['2027-03-26T01:30:00.000Z'],
      ['2027-03-28T10:00:00.000Z', 'ben@example.com'],
    ]);
    expect(shifts([changed])).toHaveLength(1); // the event that it changes was removed
  });

  it('reads days and times without a zone in the zone of the calendar, or of the schedule', () => {
    const days = ['DTSTART;VALUE=DATE:20270310', 'DTEND;VALUE=DATE:20270312'];
    const floating = ['DTSTART:20270315T090000', 'DTEND:20270315T170000'];

    expect(times([days, floating], 'America/New_York')).toEqual([
      '2027-03-10T05:00:00.000Z',
      '2027-03-15T13:00:00.000Z',
    ]);
    expect(times([days])).toEqual(['2027-03-10T00:00:00.000Z']);
  });

  it('knows people by the addresses of those who attend, and nobody by a name', () => {
    const event = [
      ...nightly,
      'SUMMARY:On call: Dora',
      'ORGANIZER:mailto:boss@example.com',
      'ATTENDEE;CUTYPE=ROOM:mailto:room@example.com',
      'ATTENDEE;PARTSTAT=DECLINED:mailto:cem@example.com',
      'ATTENDEE;CN=Ana:MAILTO:Ana@Example.com',
    ];

    expect(shifts([event]).map(({ emails }) => emails)).toEqual([['ana@example.com']]);
    expect(shifts([[...nightly, 'SUMMARY:Ana']]).map(({ emails }) => emails)).toEqual([[]]);
  });

  it('does not count what was cancelled, and says how many events it does not understand', () => {
    const events = [
      [...nightly, 'STATUS:CANCELLED'],
      [...nightly, 'RRULE:FREQ=SECONDLY'],
      [...nightly, 'ATTENDEE:mailto:ana@example.com'],
    ];

    const { shifts: read, unread } = readCalendar(calendarOf(events), PERIOD, 'UTC');

    expect([read.length, unread]).toEqual([1, 1]);
  });

  it.each([
    ['no calendar', '<html></html>'],
    ['more events than are read', calendarOf(Array.from({ length: 2_001 }, () => nightly))],
    ['more shifts than are read', calendarOf(Array.from({ length: 12 }, () => [...nightly, 'RRULE:FREQ=HOURLY']))],
    [
      'more repetitions than are read, all of them cancelled',
      calendarOf(Array.from({ length: 12 }, () => [...nightly, 'RRULE:FREQ=HOURLY', 'STATUS:CANCELLED'])),
    ],
  ])('is refused where it has %s', (_case, text) => {
    expect(() => readCalendar(text, PERIOD, 'UTC')).toThrow(CalendarError);
  });
});

it('writes what it reads: the times, with a UID for each start', () => {
  const [from, to] = [new Date('2027-03-28T00:30:00Z'), new Date('2027-03-29T07:00:00Z')];
  const nameOf = () => 'Ana; Lima, "A"';
  const write = (person: string | null) =>
    writeCalendar({ id: 'sched_1', name: 'Payments' }, [{ from, to, person }], {
      nameOf,
      url: 'http://tocsin.test/dashboard/on-call/sched_1',
      now: new Date('2027-03-01T00:00:00Z'),
    });

  const text = write('person_1');

  expect(readCalendar(text, PERIOD, 'Europe/Berlin').shifts).toEqual([{ from, to, emails: [] }]);
  expect(text).toContain(`UID:sched_1.${from.getTime()}@tocsin`);
  expect(text).toContain('SUMMARY:Ana\\; Lima\\, "A": Payments');
  expect(write(null)).not.toContain('VEVENT');
});
