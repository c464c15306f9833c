export type PersonId = string;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const TURN_UNITS = ['hour', 'day', 'week', 'month'] as const;
export type TurnUnit = (typeof TURN_UNITS)[number];

/** Hours of some days in which a layer counts. `to` not after `from`: until the next day. Times are `HH:mm`. */
export interface Hours {
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
}

/** People who take turns. The first turn begins at `anchor`, `at`; turns of months begin on that day of the month, or its last. */
export interface Rotation {
  /** In the order of their turns; null: nobody has that turn. */
  readonly people: readonly (PersonId | null)[];
  readonly every: { readonly count: number; readonly unit: TurnUnit };
  /** `HH:mm` on a clock in `timeZone`. */
  readonly at: string;
  /** A local date, `2027-03-01`. */
  readonly anchor: string;
  readonly timeZone: string;
  /** Empty: always. Hours do not move turns. */
  readonly hours: readonly Hours[];
}

/** A rotation while it is valid. An edit ends a layer and begins another, so what was stays as it was. */
export interface Layer extends Rotation {
  readonly id: string;
  readonly validFrom: Date;
  /** null: no end. */
  readonly validUntil: Date | null;
}

/** Somebody instead of those whose turn it is. */
export interface Override {
  readonly id: string;
  readonly from: Date;
  readonly to: Date;
  /** null: nobody. */
  readonly person: PersonId | null;
  /** Only this person is replaced; null: whoever has the turn, and nobody as well. */
  readonly replaces: PersonId | null;
}

/** A time at which somebody is on call by a calendar that is read. */
export interface CalendarSpan {
  readonly from: Date;
  readonly to: Date;
  readonly person: PersonId;
}

export interface Schedule {
  readonly id: string;
  readonly name: string;
  readonly timeZone: string;
  /** The highest first: it counts where it has somebody. */
  readonly layers: readonly Layer[];
  /** In the order in which they were made. Later ones apply to what earlier ones left. */
  readonly overrides: readonly Override[];
  /** It counts where no layer has somebody. Ascending, without overlaps. Absent: it reads none. */
  readonly calendar?: readonly CalendarSpan[];
}

/** What says who is on call. */
export type Turns = Pick<Schedule, 'layers' | 'overrides' | 'calendar'>;
