import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import { type StoredEvent, toEvent } from './event-store.ts';
import type { ServiceTables } from './tables.ts';

/** Most events that become deliveries of one endpoint in one statement. */
const QUEUE_BATCH = 500;

/** A delivery that failed so often, after some 20 minutes, no longer holds back the later ones of its incident. */
const HOLDING_ATTEMPTS = 8;

export interface WebhookEndpoint {
  readonly integrationId: string;
  readonly url: string;
  readonly secret: string;
}

export interface WebhookDelivery {
  readonly event: StoredEvent;
  readonly queuedAt: Date;
  /** That failed. */
  readonly attempts: number;
}

export interface FailedAttempt {
  readonly delivery: WebhookDelivery;
  readonly reason: string;
  /** null: given up. */
  readonly retryAt: Date | null;
}

export interface WebhookStore {
  /** Makes deliveries of the events that came since it last did, for each webhook those that it wants. */
  queueEvents(now: Date): Promise<void>;
  /** Endpoints that have something due, those served longest ago first; they are the caller's until `until`. */
  claim(now: Date, until: Date, limit: number): Promise<WebhookEndpoint[]>;
  /** At most one of each incident, unless one of them failed too often; oldest first. */
  listDue(integrationId: string, now: Date, limit: number): Promise<WebhookDelivery[]>;
  /** When there is next something to do; null: nothing waits. */
  findNextDue(): Promise<Date | null>;
  countWaiting(): Promise<number>;
  recordDelivered(integrationId: string, deliveries: readonly WebhookDelivery[], now: Date): Promise<void>;
  /** The reason of the last one stays with the integration until something is delivered. */
  recordFailed(integrationId: string, failures: readonly FailedAttempt[], now: Date): Promise<void>;
  /** For good; what waits is given up. */
  disable(integrationId: string, reason: string, now: Date): Promise<void>;
  /** Gives a claimed endpoint back, for others to claim it from then on. */
  release(integrationId: string, notBefore: Date): Promise<void>;
}

export function createWebhookStore(db: Kysely<ServiceTables>): WebhookStore {
  return {
    async queueEvents(now) {
      // A webhook gets what happened since it was made, even if nobody looked here until now.
      await sql`
        insert into webhook_endpoints (integration_id, not_before, position)
        select id, ${now}, coalesce(
          (select sequence from events where occurred_at < created_at order by sequence desc limit 1), 0
        )
        from integrations
        where type = 'webhook' and secret is not null
          and not exists (select from webhook_endpoints where integration_id = integrations.id)
        on conflict do nothing
      `.execute(db);
      while (await queueBatch(db, now)) {
        // the rest comes in the next batch
      }
    },

    async claim(now, until, limit) {
      const { rows } = await sql<WebhookEndpoint>`
        with due as materialized (
          select integration_id from webhook_endpoints
          where not_before <= ${now}
            and exists (select from integrations where id = integration_id and disabled_at is null)
            and exists (
              select from webhook_deliveries as delivery
              where delivery.integration_id = webhook_endpoints.integration_id and next_attempt_at <= ${now}
            )
          order by not_before
          limit ${limit}
          for update skip locked
        )
        update webhook_endpoints as endpoint
        set not_before = ${until}
        from due join integrations as integration on integration.id = due.integration_id
        where endpoint.integration_id = due.integration_id
        returning integration.id as "integrationId", integration.config->>'url' as url, integration.secret
      `.execute(db);
      return rows;
    },

    async listDue(integrationId, now, limit) {
      const { rows } = await sql<Selectable<ServiceTables['events']> & { queued_at: Date; attempts: number }>`
        select event.*, delivery.queued_at, delivery.attempts
        from webhook_deliveries as delivery
        join events as event using (sequence)
        where delivery.integration_id = ${integrationId} and delivery.next_attempt_at <= ${now}
        order by sequence
        limit ${limit}
      `.execute(db);
      return rows.map((row) => ({ event: toEvent(row), queuedAt: row.queued_at, attempts: row.attempts }));
    },

    async findNextDue() {
      const { rows } = await sql<{ at: Date | null }>`
        select min(greatest(endpoint.not_before, first.at)) as at
        from webhook_endpoints as endpoint
        join integrations as integration on integration.id = endpoint.integration_id
        cross join lateral (
          select min(next_attempt_at) as at from webhook_deliveries as delivery
          where delivery.integration_id = endpoint.integration_id
        ) as first
        where integration.disabled_at is null and first.at is not null
      `.execute(db);
      return rows[0]?.at ?? null;
    },

    async countWaiting() {
      const { rows } = await sql<{ waiting: string }>`select count(*) as waiting from webhook_deliveries`.execute(db);
      return Number(rows[0]?.waiting);
    },

    async recordDelivered(integrationId, deliveries, now) {
      await change(db, { integrationId, deliveries, now }, async (tx) => {
        await removeDeliveries(tx, integrationId, deliveries);
        await tx
          .updateTable('integrations')
          .set({ last_used_at: now, last_error: null })
          .where('id', '=', integrationId)
          .execute();
      });
    },

    async recordFailed(integrationId, failures, now) {
      const deliveries = failures.map(({ delivery }) => delivery);
      const givenUp = failures.filter(({ retryAt }) => retryAt === null).map(({ delivery }) => delivery);
      await change(db, { integrationId, deliveries, now }, async (tx) => {
        await removeDeliveries(tx, integrationId, givenUp);
        for (const { delivery, retryAt } of failures) {
          await tx
            .updateTable('webhook_deliveries')
            .set({ attempts: delivery.attempts + 1, next_attempt_at: retryAt })
            .where('integration_id', '=', integrationId)
            .where('sequence', '=', String(delivery.event.sequence))
            .execute();
        }
        await tx
          .updateTable('integrations')
          .set({ last_error: failures.at(-1)?.reason ?? null })
          .where('id', '=', integrationId)
          .execute();
      });
    },

    async disable(integrationId, reason, now) {
      await db.transaction().execute(async (tx) => {
        await tx
          .updateTable('integrations')
          .set({ disabled_at: now, last_error: reason })
          .where('id', '=', integrationId)
          .execute();
        await tx.deleteFrom('webhook_deliveries').where('integration_id', '=', integrationId).execute();
      });
    },

    async release(integrationId, notBefore) {
      await db
        .updateTable('webhook_endpoints')
        .set({ not_before: notBefore })
        .where('integration_id', '=', integrationId)
        .execute();
    },
  };
}

/**
 * The position of a disabled endpoint goes on, so that it begins where it is when somebody enables it.
 *
 * @returns false: there is nothing to make deliveries of, or other processes are at it
 */
async function queueBatch(db: Kysely<ServiceTables>, now: Date): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      select integration_id as id from webhook_endpoints
      where position < (select last from event_sequence)
      for update skip locked
    `.execute(tx);
    if (rows.length === 0) {
      return false;
    }
    // A statement of its own, so that it sees all that was done under the lock before.
    const { numAffectedRows = 0n } = await sql`
      with batch as materialized (
        select endpoint.integration_id, event.*
        from webhook_endpoints as endpoint cross join lateral (
          select sequence, type, incident->>'id' as incident_id
          from events where sequence > endpoint.position order by sequence limit ${QUEUE_BATCH}
        ) as event
        where endpoint.integration_id = any(${rows.map(({ id }) => id)})
      ),
      wanted as (
        select batch.*, row_number() over (partition by integration_id, incident_id order by sequence) as place
        from batch join integrations as integration on integration.id = batch.integration_id
        where integration.disabled_at is null
          and coalesce(integration.config->'events' @> to_jsonb(batch.type), true)
      ),
      queued as (
        insert into webhook_deliveries (sequence, integration_id, incident_id, queued_at, next_attempt_at)
        select sequence, integration_id, incident_id, ${now},
          case when place = 1 and not ${isHeldBack(sql`wanted`)} then ${now}::timestamptz end
        from wanted
      )
      update webhook_endpoints as endpoint
      set position = read.upto
      from (select integration_id, max(sequence) as upto from batch group by integration_id) as read
      where endpoint.integration_id = read.integration_id
    `.execute(tx);
    return numAffectedRows > 0n;
  });
}

/** Whether another of the same incident comes first. @param delivery the name it has in the statement */
function isHeldBack(delivery: RawBuilder<unknown>) {
  return sql`exists (
    select from webhook_deliveries as earlier
    where earlier.integration_id = ${delivery}.integration_id and earlier.incident_id = ${delivery}.incident_id
      and earlier.sequence < ${delivery}.sequence and earlier.attempts < ${HOLDING_ATTEMPTS}
  )`;
}

/** Changes deliveries while none are made for their endpoint, then lets go what they alone held back. */
async function change(
  db: Kysely<ServiceTables>,
  of: { readonly integrationId: string; readonly deliveries: readonly WebhookDelivery[]; readonly now: Date },
  work: (tx: Transaction<ServiceTables>) => Promise<void>,
): Promise<void> {
  const incidents = of.deliveries.map(({ event }) => event.incident.id);
  await db.transaction().execute(async (tx) => {
    // The integration first, as who deletes it locks the two.
    await sql`
      select from integrations join webhook_endpoints on integration_id = id
      where id = ${of.integrationId} for update
    `.execute(tx);
    await work(tx);
    await sql`
      update webhook_deliveries as delivery
      set next_attempt_at = ${of.now}
      where integration_id = ${of.integrationId} and incident_id = any(${incidents}) and next_attempt_at is null
        and not ${isHeldBack(sql`delivery`)}
    `.execute(tx);
  });
}

async function removeDeliveries(
  db: Kysely<ServiceTables>,
  integrationId: string,
  deliveries: readonly WebhookDelivery[],
): Promise<void> {
  const sequences = deliveries.map(({ event }) => String(event.sequence));
  await sql`
    delete from webhook_deliveries
    where integration_id = ${integrationId} and sequence = any(${sequences}::bigint[])
  `.execute(db);
}
