import { hoursBetween, isWithinHours } from './hours.ts';
import { isValidAt } from './on-call-at.ts';
import type { PersonId, Turns } from './schedule.ts';
import type { Shift } from './shifts.ts';

/** Nobody; somebody who left; somebody whom no loud way wakes; somebody who is on call elsewhere at the same time. */
export type GapReason = 'nobody' | 'left' | 'not-wakeable' | 'elsewhere';

/** A time at which it is not sure that anybody comes. */
export interface Gap extends Shift {
  readonly because: GapReason;
  /** Where the person is on call too; null: nowhere. */
  readonly elsewhere: string | null;
}

export interface Known {
  readonly gone: ReadonlySet<PersonId>;
  /** Those whom a loud way wakes that is proved and works; null: no policy asks this schedule. */
  readonly wakeable: ReadonlySet<PersonId> | null;
  /** Shifts of the other schedules in the same period. */
  readonly others: readonly { readonly name: string; readonly shifts: readonly Shift[] }[];
}

/** The gaps of a schedule, the first to begin first. */
export function findGaps(shifts: readonly Shift[], known: Known): Gap[] {
  const gaps = shifts.flatMap((shift): Gap[] => {
    const because = reasonOf(shift, known);
    return [...(because === null ? [] : [{ ...shift, because, elsewhere: null }]), ...elsewhereIn(shift, known)];
  });
  return gaps.toSorted((one, other) => one.from.getTime() - other.from.getTime());
}

function reasonOf({ person }: Shift, { gone, wakeable }: Known): GapReason | null {
  if (person === null) {
    return 'nobody';
  }
  if (gone.has(person)) {
    return 'left';
  }
  return wakeable === null || wakeable.has(person) ? null : 'not-wakeable';
}

function elsewhereIn({ from, to, person }: Shift, { others }: Known): Gap[] {
  return others.flatMap(({ name, shifts }) =>
    shifts
      .filter((other) => person !== null && other.person === person && other.from < to && other.to > from)
      .map((other) => ({
        from: other.from > from ? other.from : from,
        to: other.to < to ? other.to : to,
        person,
        because: 'elsewhere' as const,
        elsewhere: name,
      })),
  );
}

/** Whether nobody is on call because the schedule is for some hours only, so that nobody has to hear of it. */
export function isMeant({ from, to, because }: Gap, { layers, calendar }: Turns): boolean {
  const isByHours = (at: Date) => {
    const valid = layers.filter((layer) => isValidAt(layer, at));
    return valid.length > 0 && valid.every((layer) => layer.hours.length > 0 && !isWithinHours(layer, at));
  };
  const isEmpty = layers.length === 0 && calendar === undefined;
  const changes = layers.flatMap((layer) => [
    layer.validFrom,
    layer.validUntil ?? to,
    ...hoursBetween(layer, from, to).flatMap((span) => [span.from, span.to]),
  ]);
  const times = [from, ...changes.filter((at) => from < at && at < to)];
  return because === 'nobody' && (isEmpty || times.every(isByHours));
}

/** A gap that was told. */
export interface ToldGap extends Gap {
  readonly isWarned: boolean;
}

/** A gap is told when it is found, and once more this long before it begins. */
const WARNED_BEFORE_MS = 86_400_000;

/**
 * What is told now, and what is known as told afterwards. Times of a gap move while it lasts and while its end is not in
 * sight, so one that overlaps a told one of the same kind is the same.
 */
export function tellGaps(gaps: readonly Gap[], told: readonly ToldGap[], now: Date) {
  const after = gaps.map((gap) => {
    const before = told.find((one) => isSame(one, gap));
    const isSoon = gap.from.getTime() - now.getTime() <= WARNED_BEFORE_MS;
    return { ...gap, isSoon, isNew: before === undefined || (isSoon && !before.isWarned), isWarned: isSoon };
  });
  return { tell: after.filter(({ isNew }) => isNew), told: after };
}

function isSame(one: Gap, other: Gap): boolean {
  const isOfSameKind =
    one.because === other.because && one.person === other.person && one.elsewhere === other.elsewhere;
  return isOfSameKind && one.from <= other.to && other.from <= one.to;
}
