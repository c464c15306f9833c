import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { CLOCK_NOW } from '../../../database/lease.ts';
import { subDays } from '../../../runtime/dates.ts';
import type { DeliveryAttempt } from '../../core/delivery-attempt.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { type Page, type PageRequest, toPage } from '../shared/page.ts';

/** How many attempts are kept for each webhook, and for how long. They are removed with their event in any case. */
export const LOG_LIMITS = { rows: 1_000, days: 7 } as const;

export interface DeliveryLog {
  /** Newest first. null: there is no such integration. */
  list(integrationId: string, page: PageRequest): Promise<Page<DeliveryAttempt> | null>;
  /** Removes expired attempts and secrets. */
  prune(now: Date): Promise<void>;
}

export function createDeliveryLog(db: Kysely<ServiceTables>): DeliveryLog {
  return {
    async list(integrationId, { limit, offset, after = null }) {
      const owner = await db.selectFrom('integrations').select('id').where('id', '=', integrationId).executeTakeFirst();
      if (owner === undefined) {
        return null;
      }
      const ofIntegration = db.selectFrom('webhook_attempts').where('integration_id', '=', integrationId);
      const [rows, { total }] = await Promise.all([
        ofIntegration
          .selectAll()
          .where(after === null ? sql<boolean>`true` : sql<boolean>`(attempted_at, id) < (${after.at}, ${after.id})`)
          .orderBy('attempted_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit + 1)
          .offset(offset)
          .execute(),
        ofIntegration.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow(),
      ]);
      return toPage(rows.map(toAttempt), limit, Number(total), ({ attemptedAt }) => attemptedAt);
    },

    async prune(now) {
      await db.deleteFrom('webhook_attempts').where('attempted_at', '<', subDays(now, LOG_LIMITS.days)).execute();
      await db
        .updateTable('integrations')
        .set({ previous_secret: null, previous_secret_until: null })
        .where('previous_secret_until', '<=', CLOCK_NOW)
        .execute();
    },
  };
}

/** Logs attempts of a webhook and removes those beyond the limit. */
export async function logAttempts(
  tx: Transaction<ServiceTables>,
  integrationId: string,
  attempts: readonly DeliveryAttempt[],
): Promise<void> {
  if (attempts.length === 0) {
    return;
  }
  await tx
    .insertInto('webhook_attempts')
    .values(
      attempts.map((attempt) => ({
        id: attempt.id,
        integration_id: integrationId,
        sequence: attempt.sequence === null ? null : String(attempt.sequence),
        event_id: attempt.eventId,
        event_type: attempt.eventType,
        attempt: attempt.attempt,
        attempted_at: attempt.attemptedAt,
        duration_ms: attempt.durationMs,
        http_status: attempt.httpStatus,
        error: attempt.error,
        response: attempt.response,
        next_attempt_at: attempt.nextAttemptAt,
      })),
    )
    .execute();
  await sql`
    delete from webhook_attempts
    where integration_id = ${integrationId} and (attempted_at, id) < (
      select attempted_at, id from webhook_attempts where integration_id = ${integrationId}
      order by attempted_at desc, id desc offset ${LOG_LIMITS.rows - 1} limit 1
    )
  `.execute(tx);
}

function toAttempt(row: Selectable<ServiceTables['webhook_attempts']>): DeliveryAttempt {
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    sequence: row.sequence === null ? null : BigInt(row.sequence),
    attempt: row.attempt,
    attemptedAt: row.attempted_at,
    durationMs: row.duration_ms,
    httpStatus: row.http_status,
    error: row.error,
    response: row.response,
    nextAttemptAt: row.next_attempt_at,
  };
}
