import { type Kysely, sql } from 'kysely';
import { type Page, WAKING_LIMITS } from '../../../contract/waking.ts';
import { CLOCK_NOW } from '../../../database/lease.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { HISTORY_DAYS } from './wake-history.ts';

/** Reads what pages did. */
export interface PageLog {
  /** Of one incident, or all and drills; newest first. */
  list(incidentId: string | null): Promise<Page[]>;
  /** Removes effects and tests that are over, and old history. Pages and their attempts are kept as long as their incidents. */
  prune(): Promise<void>;
}

const KEPT_DAYS = 30;

export function createPageLog(db: Kysely<ServiceTables>): PageLog {
  return {
    async list(incidentId) {
      const newest = db
        .selectFrom('pages')
        .selectAll()
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(WAKING_LIMITS.pages);
      const pages = await (incidentId === null ? newest : newest.where('incident_id', '=', incidentId)).execute();
      const ids = pages.map(({ id }) => id);
      const attempts =
        ids.length === 0
          ? []
          : await db
              .selectFrom('page_attempts')
              .selectAll()
              .where('page_id', 'in', ids)
              .orderBy('due_at')
              .orderBy('id')
              .execute();
      const byPage = Map.groupBy(attempts, ({ page_id: pageId }) => pageId);
      return pages.map((page) => ({
        id: page.id,
        incident_id: page.incident_id,
        policy: page.policy.name,
        state: page.state,
        cycle: page.cycle,
        step: page.step,
        started_at: page.started_at.toISOString(),
        ended_at: page.ended_at?.toISOString() ?? null,
        ended_by: page.ended_by,
        ended_by_id: page.ended_by_id,
        attempts: (byPage.get(page.id) ?? []).map((attempt) => ({
          id: attempt.id,
          cycle: attempt.cycle,
          step: attempt.step,
          person_id: attempt.person_id,
          way: attempt.kind,
          state: attempt.state,
          detail: attempt.detail,
          due_at: attempt.due_at.toISOString(),
          began_at: attempt.began_at?.toISOString() ?? null,
          settled_at: attempt.settled_at?.toISOString() ?? null,
          answered_at: attempt.answered_at?.toISOString() ?? null,
        })),
      }));
    },

    async prune() {
      const old = sql`settled_at < ${CLOCK_NOW} - ${KEPT_DAYS}::int * interval '1 day'`;
      await sql`delete from effects where ${old} and kind ~ '^(page|take-back|hear):'`.execute(db);
      await sql`delete from page_attempts where ${old} and page_id is null`.execute(db);
      await sql`delete from wake_history where at < ${CLOCK_NOW} - ${HISTORY_DAYS}::int * interval '1 day'`.execute(db);
    },
  };
}
