import { type Kysely, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import { prepared } from '../../database/prepared.ts';
import type { IncidentId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';

/** Whether the service responds, and since when it does not. */
export interface Freshness {
  /**
   * Records a successful poll. One process that reaches the service keeps the cards of all fresh.
   *
   * @param asOf when the poll began
   * @param unread the incidents that the service no longer lists as open, and that could not be read. A poll that began
   *   earlier than one that is recorded already does not know better than that one
   */
  answered(asOf: Date, unread: readonly IncidentId[]): Promise<void>;
  /** Records a failed poll. The data becomes stale after `afterMs` of failures. */
  failed(afterMs: number): Promise<void>;
  /** When the last successful poll began; null: there was none. */
  answeredAt(): Promise<Date | null>;
  /** When the service last responded; null: the data is fresh. */
  staleSince(): Promise<Date | null>;
}

/** @param redrawOpen makes due what shows whether the data is stale */
export function createFreshness(db: Kysely<Tables>, redrawOpen: (tx: Kysely<Tables>) => Promise<void>): Freshness {
  return {
    async answered(asOf, unread) {
      await db.transaction().execute(async (tx) => {
        // One poll at a time. The incidents before the installation, as `changeRules` locks them: the reverse would deadlock.
        await sql`select pg_advisory_xact_lock(hashtext('answered'))`.execute(tx);
        await sql`
          update incidents set is_unread = not is_unread
          where (is_unread and incident_id <> all(${unread}::text[])
            or not is_unread and incident_id = any(${unread}::text[])) and not exists (
            select from installation where answered_at > ${asOf} and answered_at <= clock_now())`.execute(tx);
        const { rows } = await sql<{ was_stale: boolean }>`
          update installation set answered_at = greatest(${asOf}, case when answered_at <= clock_now() then answered_at end),
            failing_since = null, stale_since = null
          from (select stale_since from installation for update) as before
          returning before.stale_since is not null as was_stale`.execute(tx);
        if (rows[0]?.was_stale === true) {
          await redrawOpen(tx);
        }
      });
    },

    async failed(afterMs) {
      await db.transaction().execute(async (tx) => {
        await sql`
          update installation set failing_since = clock_now()
          where failing_since is null or failing_since > clock_now()`.execute(tx);
        const { rows } = await sql`
          update installation set stale_since = answered_at
          where stale_since is null and answered_at is not null and failing_since <= ${fromNow(-afterMs)}
          returning stale_since`.execute(tx);
        if (rows.length > 0) {
          await redrawOpen(tx);
        }
      });
    },

    async answeredAt() {
      const row = await db.selectFrom('installation').select('answered_at').executeTakeFirst();
      return row?.answered_at ?? null;
    },

    async staleSince() {
      const row = await db
        .selectFrom('installation')
        .modifyFront(prepared('stale-since'))
        .select('stale_since')
        .executeTakeFirst();
      return row?.stale_since ?? null;
    },
  };
}
