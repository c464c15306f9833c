import type { CalendarSpan, PersonId } from '../../core/turns/schedule.ts';

/** Somebody's time in a calendar. */
interface Taken {
  readonly from: Date;
  readonly to: Date;
  readonly person: PersonId;
}

/** Who is on call by a calendar, ascending and without overlaps: of several at once, the one who began last. */
export function partition(taken: readonly Taken[]): CalendarSpan[] {
  const waiting = taken.toSorted((one, other) => one.from.getTime() - other.from.getTime());
  const times = new Set(taken.flatMap(({ from, to }) => [from.getTime(), to.getTime()]));
  const ascending = [...times].toSorted((one, other) => one - other);
  const spans: CalendarSpan[] = [];
  let begun: Taken[] = [];
  let next = 0;
  for (const [index, at] of ascending.entries()) {
    while ((waiting[next]?.from.getTime() ?? Number.POSITIVE_INFINITY) <= at) {
      begun.push(...waiting.slice(next, next + 1));
      next += 1;
    }
    begun = begun.filter(({ to }) => to.getTime() > at);
    const person = begun.at(-1)?.person;
    const end = ascending[index + 1];
    const last = spans.at(-1);
    if (person === undefined || end === undefined) {
      continue;
    }
    if (last?.person === person && last.to.getTime() === at) {
      spans[spans.length - 1] = { ...last, to: new Date(end) };
    } else {
      spans.push({ from: new Date(at), to: new Date(end), person });
    }
  }
  return spans;
}
