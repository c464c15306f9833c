import ical from 'ical-generator';
import type { Shift } from '../../core/turns/shifts.ts';

/**
 * Shifts as a calendar (RFC 5545): one event for each that somebody has. An event keeps its UID while its shift begins at the
 * same time, so that programs change it.
 */
export function writeCalendar(
  { id, name }: { readonly id: string; readonly name: string },
  shifts: readonly Shift[],
  { nameOf, url, now }: { readonly nameOf: (person: string) => string; readonly url: string; readonly now: Date },
): string {
  const calendar = ical({
    name: `On call: ${name}`,
    prodId: { company: 'Tocsin', product: 'on call' },
    ttl: 3_600,
  });
  for (const { from, to, person } of shifts) {
    if (person !== null) {
      const times = { start: from, end: to, stamp: now };
      calendar.createEvent({
        id: `${id}.${from.getTime()}@tocsin`,
        ...times,
        summary: `${nameOf(person)}: ${name}`,
        url,
      });
    }
  }
  return calendar.toString();
}
