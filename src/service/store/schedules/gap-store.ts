import { type Kysely, sql } from 'kysely';
import type { ScheduleGaps } from '../../core/schedule-event.ts';
import type { ToldGap } from '../../core/turns/gaps.ts';
import { appendScheduleEvent } from '../events/event-store.ts';
import type { ServiceTables } from '../schema/tables.ts';

export interface GapStore {
  /** What was told of a schedule. */
  listTold(scheduleId: string): Promise<ToldGap[]>;
  /** Keeps what is told, and notifies those who listen. @param event null: nothing is new */
  tell(scheduleId: string, told: readonly ToldGap[], event: ScheduleGaps | null, now: Date): Promise<void>;
  /** Incidents for which each attempt to wake somebody began, in a period. Drills are none. */
  listWoken(from: Date, to: Date): Promise<{ person: string; incident: string; at: Date }[]>;
}

export function createGapStore(db: Kysely<ServiceTables>): GapStore {
  return {
    async listTold(scheduleId) {
      const { rows } = await sql<ToldGap>`
        select starts_at as "from", ends_at as "to", person_id as person, because, elsewhere, is_warned as "isWarned"
        from schedule_gaps where schedule_id = ${scheduleId}
      `.execute(db);
      return rows;
    },

    tell: (scheduleId, told, event, now) =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('schedule_gaps').where('schedule_id', '=', scheduleId).execute();
        const rows = told.map(({ from, to, person, because, elsewhere, isWarned }) => ({
          schedule_id: scheduleId,
          starts_at: from,
          ends_at: to,
          person_id: person,
          because,
          elsewhere,
          is_warned: isWarned,
        }));
        if (rows.length > 0) {
          await tx.insertInto('schedule_gaps').values(rows).execute();
        }
        if (event !== null) {
          await appendScheduleEvent(tx, event, now);
        }
      }),

    async listWoken(from, to) {
      const { rows } = await sql<{ person: string; incident: string; at: Date }>`
        select person_id as person, incident_id as incident, began_at as at
        from page_attempts join pages on pages.id = page_id
        where began_at >= ${from} and began_at < ${to} and person_id is not null and incident_id is not null
      `.execute(db);
      return rows;
    },
  };
}
