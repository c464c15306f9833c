import type { SlackGroup } from '../../../contract/on-call.ts';
import type { Schedule } from '../../core/turns/schedule.ts';

/** A calendar that a schedule reads, and how that goes. */
export interface CalendarState {
  /** A secret. */
  readonly url: string;
  /** null: never. */
  readonly readAt: Date | null;
  /** null: the last reading did not fail. */
  readonly fault: string | null;
  /** E-mail addresses of nobody whom the service knows. */
  readonly unknown: readonly string[];
  /** How many events have repetitions that are not understood. */
  readonly unread: number;
}

export interface StoredSchedule extends Schedule {
  /** null: it reads none. */
  readonly calendarState: CalendarState | null;
  /** Counts the changes. */
  readonly revision: number;
  readonly createdAt: Date;
  /** When it was deleted; null: it was not. */
  readonly goneAt: Date | null;
  /** null: none. */
  readonly slackGroup: SlackGroup | null;
}
