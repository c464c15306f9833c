import type { SCHEDULE_GAPS } from '../../contract/events.ts';
import type { ScheduleGap } from '../../contract/on-call.ts';

/** Gaps of a schedule were found, or begin soon. */
export interface ScheduleEvent {
  readonly sequence: bigint;
  readonly id: string;
  readonly type: typeof SCHEDULE_GAPS;
  readonly occurredAt: Date;
  readonly schedule: ScheduleGaps;
}

/** As the API presents them, also in the table. */
export interface ScheduleGaps {
  readonly id: string;
  readonly name: string;
  readonly gaps: ScheduleGap[];
}
