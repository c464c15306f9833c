import { z } from 'zod';
import { moment, REQUEST_LIMITS, user, userId } from './requests.ts';
import { Id, Timestamp } from './values.ts';

export const ON_CALL_LIMITS = {
  name: 100,
  layers: 10,
  turns: 50,
  count: 365,
  hours: 10,
  schedules: 100,
  futureOverrides: 500,
  shiftDays: 400,
  calendarUrl: 2_000,
  feeds: 20,
} as const;

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day: 09:00');

/** In these hours only loud steps ring loudly. In the zone of the person, or UTC; from the evening into the morning. */
export const QuietHours = z.object({ from: clock, until: clock });

/** A person whom the service knows. Found by what says who they are, never by name. */
export const Person = z.object({
  id: Id,
  name: z.string(),
  /** Absent for keys that may only read. */
  email: z.string().nullish(),
  slack_user_id: z.string().nullish(),
  time_zone: z.string().nullish(),
  quiet_hours: QuietHours.nullish(),
  created_at: Timestamp,
  /** When they left; null: they are here. */
  gone_at: Timestamp.nullish(),
});
export type Person = z.infer<typeof Person>;

export const PersonList = z.object({ people: z.array(Person) });
export type PersonList = z.infer<typeof PersonList>;

const timeZone = z.string().min(1).max(REQUEST_LIMITS.timeZone);

/** What the caller knows of a person, and has verified. Absent fields stay. */
export const SavePersonRequest = z.object({
  name: z.string().trim().min(1).max(REQUEST_LIMITS.user),
  email: z.email().max(REQUEST_LIMITS.user).optional(),
  slack_user_id: z.string().min(1).max(REQUEST_LIMITS.slackField).optional(),
  time_zone: timeZone.nullable().optional(),
  /** null: none. */
  quiet_hours: QuietHours.nullable().optional(),
  /** They left. */
  is_gone: z.boolean().optional(),
});
export type SavePersonRequest = z.infer<typeof SavePersonRequest>;

/** Of who is on call; `name` is what they are called now. */
export const PersonOnCall = z.object({ id: Id, name: z.string() });
export type PersonOnCall = z.infer<typeof PersonOnCall>;

const Weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);

/** Hours of some days; `to` not after `from`: until the next day. */
const Hours = z.object({ days: z.array(Weekday).min(1).max(7), from: clock, to: clock });

const turns = {
  every: z.object({
    count: z.int().min(1).max(ON_CALL_LIMITS.count),
    unit: z.enum(['hour', 'day', 'week', 'month']),
  }),
  /** When turns begin, in `time_zone`. Where the clocks skip it, at the end of the gap. */
  at: clock,
  /** The day on which the first in the list begins. Turns of months begin on that day of the month, or its last. */
  anchor: z.iso.date(),
};

/** The highest layer that has somebody counts. */
export const ScheduleLayer = z.object({
  id: Id,
  /** Ids of people in the order of their turns; null: nobody has that turn. */
  people: z.array(z.string().nullable()),
  ...turns,
  time_zone: z.string(),
  hours: z.array(Hours),
  valid_from: Timestamp,
  valid_until: Timestamp.nullish(),
});

const LayerRequest = z.object({
  /** The layer that is changed; absent: a new one. */
  id: z.string().max(REQUEST_LIMITS.userId).optional(),
  /** Ids of people, or who they are: `slack:U012AB3CD`, `email:ana@example.com`. */
  people: z.array(z.string().min(1).max(REQUEST_LIMITS.userId).nullable()).min(1).max(ON_CALL_LIMITS.turns),
  ...turns,
  /** Absent: that of the schedule. */
  time_zone: timeZone.optional(),
  hours: z.array(Hours).max(ON_CALL_LIMITS.hours).default([]),
  valid_from: moment.optional(),
  valid_until: moment.nullish(),
});

const acting = { user: user.optional(), user_id: userId };

export const ScheduleRequest = z.object({
  name: z.string().trim().min(1).max(ON_CALL_LIMITS.name),
  time_zone: timeZone,
  /** The highest first. */
  layers: z.array(LayerRequest).max(ON_CALL_LIMITS.layers),
  /** Changes count from now. Otherwise those on call stay until their hand-over. */
  is_at_once: z.boolean().default(false),
  ...acting,
});
export type ScheduleRequest = z.input<typeof ScheduleRequest>;

export const ScheduleOverride = z.object({
  id: Id,
  from: Timestamp,
  to: Timestamp,
  /** null: nobody. */
  person: PersonOnCall.nullable(),
  /** Only this person is replaced; null: whoever has the turn. */
  replaces: PersonOnCall.nullish(),
});
export type ScheduleOverride = z.infer<typeof ScheduleOverride>;

export const Shift = z.object({
  from: Timestamp,
  to: Timestamp,
  /** null: nobody. */
  person: PersonOnCall.nullable(),
});
export type Shift = z.infer<typeof Shift>;

/**
 * The user group of Slack that a schedule goes with. `read`: the people of its lowest layer are the members of the group.
 * `write`: the group has whoever is on call now, by all schedules that name it.
 */
export const SlackGroup = z.object({
  id: z.string().regex(/^S[A-Z0-9]{1,30}$/, 'must be the id of a user group: S012AB3CD'),
  direction: z.enum(['read', 'write']),
});
export type SlackGroup = z.infer<typeof SlackGroup>;

/** A calendar that is read, and how that goes. Its address is a secret, so it is shortened. */
export const ScheduleCalendar = z.object({
  url: z.string(),
  /** When it was last read; null: never. The last good copy counts however old it is. */
  read_at: Timestamp.nullable(),
  /** Why the last reading failed; null: it did not. */
  fault: z.string().nullable(),
  /** How many e-mail addresses are of nobody whom the service knows. Their times are gaps. */
  unknown_people: z.int(),
  /** Events whose repetitions are not understood. */
  unread_events: z.int(),
});
export type ScheduleCalendar = z.infer<typeof ScheduleCalendar>;

export const Schedule = z.object({
  id: Id,
  name: z.string(),
  time_zone: z.string(),
  /** Those that have not ended, the highest first. */
  layers: z.array(ScheduleLayer),
  /** Those that have not ended. */
  overrides: z.array(ScheduleOverride),
  /** null: nobody. */
  on_call: PersonOnCall.nullable(),
  /** What follows; null: nothing changes for two months. Its end is not known. */
  next: Shift.omit({ to: true }).nullish(),
  /** null: none. */
  slack_group: SlackGroup.nullish(),
  /** Absent or null: it reads none. */
  calendar: ScheduleCalendar.nullish(),
  created_at: Timestamp,
  deleted_at: Timestamp.nullish(),
});
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleList = z.object({ schedules: z.array(Schedule) });
export type ScheduleList = z.infer<typeof ScheduleList>;

export const ShiftsQuery = z
  .strictObject({ from: moment, to: moment })
  .refine(({ from, to }) => from < to, { path: ['from'], message: 'must be before `to`' })
  .refine(({ from, to }) => to.getTime() - from.getTime() <= ON_CALL_LIMITS.shiftDays * 86_400_000, {
    path: ['to'],
    message: `must be at most ${ON_CALL_LIMITS.shiftDays} days after \`from\``,
  });

/** Without holes. The first and the last shift are cut at `from` and `to`. */
export const ShiftList = z.object({
  shifts: z.array(Shift),
  people: z.array(
    z.object({
      person: PersonOnCall,
      hours: z.number(),
      /** From 22:00 to 06:00 in the zone of the schedule. */
      night_hours: z.number(),
      weekend_hours: z.number(),
      /** Incidents that this person was woken for while on call here. Absent in a preview. */
      pages: z.int().optional(),
    }),
  ),
});
export type ShiftList = z.infer<typeof ShiftList>;

/** A time in the next 30 days at which it is not sure that anybody comes. */
export const ScheduleGap = z.object({
  ...Shift.shape,
  /**
   * `nobody`; `left`: somebody who left; `not-wakeable`: a policy asks this schedule, and no loud way of the person is
   * proved and works; `elsewhere`: the person is on call in another schedule at the same time.
   */
  because: z.enum(['nobody', 'left', 'not-wakeable', 'elsewhere']).or(z.string()),
  /** The other schedule; null: there is none. */
  elsewhere: z.string().nullable(),
});
export type ScheduleGap = z.infer<typeof ScheduleGap>;

/** The first to begin first. */
export const GapList = z.object({ gaps: z.array(ScheduleGap) });
export type GapList = z.infer<typeof GapList>;

/** null: no calendar is read any more. The shortened address is the one that is known. */
export const CalendarRequest = z.object({
  url: z
    .url({ protocol: /^(https?|webcal)$/ })
    .max(ON_CALL_LIMITS.calendarUrl)
    .nullable(),
  ...acting,
});
export type CalendarRequest = z.input<typeof CalendarRequest>;

/** An address at which calendar programs read a schedule, without a key. */
export const ScheduleFeed = z.object({ id: Id, created_by: z.string(), created_at: Timestamp });
export type ScheduleFeed = z.infer<typeof ScheduleFeed>;

export const ScheduleFeedList = z.object({ feeds: z.array(ScheduleFeed) });

/** A new one. */
export const AddedFeed = z.object({
  ...ScheduleFeed.shape,
  /** A secret: who has it may read the shifts. Sent once. */
  url: z.string().optional(),
});

const person = z.string().min(1).max(REQUEST_LIMITS.userId);

export const OverrideRequest = z.object({
  /** Absent, or past: now. */
  from: moment.optional(),
  to: moment,
  /** As in a layer; null: nobody. */
  person: person.nullable(),
  replaces: person.optional(),
  reason: z.string().trim().min(1).max(REQUEST_LIMITS.reason).optional(),
  ...acting,
});
export type OverrideRequest = z.input<typeof OverrideRequest>;

/** Sent by hand to choose the group, and by the bot with the members of one that is read. */
export const SlackGroupRequest = z.object({
  /** null: the schedule goes with no group any more. */
  group: SlackGroup.nullable(),
  /** The members of a group that is read, as in a layer. Absent: the people stay as they are. */
  people: z.array(person).min(1).max(ON_CALL_LIMITS.turns).optional(),
  ...acting,
});
export type SlackGroupRequest = z.input<typeof SlackGroupRequest>;

export const OnCallActorQuery = z.strictObject(acting);

/** Somebody else takes some of a person's time. */
export const Swap = z.object({
  id: Id,
  schedule_id: Id,
  from: Timestamp,
  to: Timestamp,
  asker: PersonOnCall,
  /** Whom it is offered to, or who took it; null: anybody. */
  taker: PersonOnCall.nullish(),
  state: z.enum(['asked', 'taken', 'declined', 'withdrawn', 'expired']),
  /** Until when whoever took it can undo that; null: they cannot. */
  undo_until: Timestamp.nullish(),
});
export type Swap = z.infer<typeof Swap>;

export const SwapList = z.object({ swaps: z.array(Swap) });
export type SwapList = z.infer<typeof SwapList>;

export const SwapRequest = z.object({
  /** Absent, or past: now. */
  from: moment.optional(),
  to: moment,
  /** Whose time it is. */
  asker: person,
  /** Absent: anybody may take it. */
  taker: person.optional(),
  ...acting,
});
export type SwapRequest = z.input<typeof SwapRequest>;

export const AnswerSwapRequest = z.object({
  /** `undone`: whoever took it gives it back, within ten minutes; it is asked again. */
  answer: z.enum(['taken', 'declined', 'withdrawn', 'undone']),
  /** Who takes it. Only needed where it was offered to anybody. */
  person: person.optional(),
  ...acting,
});
export type AnswerSwapRequest = z.input<typeof AnswerSwapRequest>;
