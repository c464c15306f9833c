/** What somebody does with a schedule. */
export type ScheduleChangeType =
  | 'created'
  | 'edited'
  | 'deleted'
  | 'override-made'
  | 'override-ended'
  | 'calendar-set'
  | 'calendar-removed'
  | 'feed-made'
  | 'feed-revoked'
  | 'swap-asked'
  | 'swap-taken'
  | 'swap-declined'
  | 'swap-withdrawn'
  | 'swap-undone';

/** An entry in the history of the schedules. */
export interface ScheduleChange {
  readonly at: Date;
  readonly type: ScheduleChangeType;
  readonly scheduleId: string;
  readonly name: string;
  /** The person or the name of the key that did it. */
  readonly by: string;
  /** More about it; null: nothing more to say. */
  readonly text: string | null;
}
