import { type Kysely, sql } from 'kysely';
import { LANES } from './lanes.ts';
import type { Tables } from './tables.ts';

/**
 * How fresh what we know of a service is, for all processes together: one that reaches it keeps the cards of all fresh.
 * When that changes, the cards of open incidents are due, after all others.
 */
export interface Freshness {
  /** The service has answered a whole poll. */
  answered(serviceId: string, now: Date): Promise<void>;
  /** It has not; what we know counts as stale when no process had an answer for `afterMs`. */
  silent(serviceId: string, now: Date, afterMs: number): Promise<void>;
  /** When the service last answered; null while what we know is fresh. */
  staleSince(serviceId: string): Promise<Date | null>;
}

export function createFreshness(db: Kysely<Tables>): Freshness {
  async function makeOpenCardsDue(trx: Kysely<Tables>): Promise<void> {
    await sql`
      update incidents set revision = revision + 1 where status = 'open' and not is_gone`.execute(trx);
    await sql`
      update cards set desired_revision = i.revision,
        due_since = case when shown_revision < desired_revision then due_since else now() end,
        lane = case when shown_revision < desired_revision then lane else ${LANES.count} end
      from incidents i
      where i.incident_id = cards.incident_id and i.status = 'open' and not i.is_gone`.execute(trx);
  }

  return {
    async answered(serviceId, now) {
      await db.transaction().execute(async (trx) => {
        const { rows } = await sql<{ was_stale: boolean }>`
          update feed_starts set answered_at = ${now}, stale_since = null
          from (select stale_since from feed_starts where base_url = ${serviceId} for update) before
          where base_url = ${serviceId}
          returning before.stale_since is not null as was_stale`.execute(trx);
        if (rows[0]?.was_stale === true) {
          await makeOpenCardsDue(trx);
        }
      });
    },

    async silent(serviceId, now, afterMs) {
      await db.transaction().execute(async (trx) => {
        const { rows } = await sql`
          update feed_starts set stale_since = answered_at
          where base_url = ${serviceId} and stale_since is null
            and answered_at <= ${new Date(now.getTime() - afterMs)}
          returning base_url`.execute(trx);
        if (rows.length > 0) {
          await makeOpenCardsDue(trx);
        }
      });
    },

    async staleSince(serviceId) {
      const row = await db
        .selectFrom('feed_starts')
        .select('stale_since')
        .where('base_url', '=', serviceId)
        .executeTakeFirst();
      return row?.stale_since ?? null;
    },
  };
}
