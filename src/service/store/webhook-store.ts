import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import { CLOCK_NOW, fromNow, isDue } from '../../database/lease.ts';
import type { IncidentEvent } from '../core/incident-event.ts';
import { toEvent } from './event-store.ts';
import type { ServiceTables } from './tables.ts';

/** Maximum number of events that one statement turns into deliveries of an endpoint. */
const QUEUE_BATCH = 500;

/** After so many failed attempts, some 20 minutes, a delivery no longer holds back later ones of its incident. */
const HOLDING_ATTEMPTS = 8;

/** The longest time ahead of a lease, a pause or a retry. */
export const MAX_DELAY_MS = 24 * 60 * 60_000;

export interface WebhookEndpoint {
  readonly integrationId: string;
  readonly url: string;
  readonly secret: string;
}

export interface WebhookDelivery {
  readonly event: IncidentEvent;
  /** Time since it was queued. */
  readonly ageMs: number;
  /** Number of failed attempts. */
  readonly attempts: number;
}

export interface FailedAttempt {
  readonly delivery: WebhookDelivery;
  readonly reason: string;
  /** null: no more attempts. */
  readonly retryInMs: number | null;
}

/** Leases, pauses and retries use the clock of the database. */
export interface WebhookStore {
  /** Creates deliveries of new events, for each webhook those that it subscribes to. */
  queueEvents(): Promise<void>;
  /** Leases endpoints with due deliveries, the least recently served first. */
  claim(leaseMs: number, limit: number): Promise<WebhookEndpoint[]>;
  /** At most one delivery per incident, unless one of them failed too often; oldest first. */
  listDue(integrationId: string, limit: number): Promise<WebhookDelivery[]>;
  /** Time until the next delivery is due; null: no delivery is queued. */
  findNextDueMs(): Promise<number | null>;
  countWaiting(): Promise<number>;
  recordDelivered(integrationId: string, deliveries: readonly WebhookDelivery[], now: Date): Promise<void>;
  /** The reason of the last failure stays with the integration until a delivery succeeds. */
  recordFailed(integrationId: string, failures: readonly FailedAttempt[]): Promise<void>;
  /** Disables the integration permanently and drops its deliveries. */
  disable(integrationId: string, reason: string, now: Date): Promise<void>;
  /** Ends the lease. The endpoint can be claimed again after `pauseMs`. */
  release(integrationId: string, pauseMs: number): Promise<void>;
}

export function createWebhookStore(db: Kysely<ServiceTables>): WebhookStore {
  return {
    async queueEvents() {
      // A new endpoint starts with the events since its webhook was created.
      await sql`
        insert into webhook_endpoints (integration_id, not_before, position)
        select id, ${CLOCK_NOW}, coalesce(
          (select sequence from events where occurred_at < created_at order by sequence desc limit 1), 0
        )
        from integrations
        where type = 'webhook' and secret is not null
          and not exists (select from webhook_endpoints where integration_id = integrations.id)
        on conflict do nothing
      `.execute(db);
      while (await queueBatch(db)) {
        // until no events are left
      }
    },

    async claim(leaseMs, limit) {
      const { rows } = await sql<WebhookEndpoint>`
        with due as materialized (
          select integration_id from webhook_endpoints
          where ${isDue('not_before', MAX_DELAY_MS)}
            and exists (select from integrations where id = integration_id and disabled_at is null)
            and exists (
              select from webhook_deliveries as delivery
              where delivery.integration_id = webhook_endpoints.integration_id and ${isDeliveryDue}
            )
          order by not_before
          limit ${limit}
          for update skip locked
        )
        update webhook_endpoints as endpoint
        set not_before = ${fromNow(leaseMs)}
        from due join integrations as integration on integration.id = due.integration_id
        where endpoint.integration_id = due.integration_id
        returning integration.id as "integrationId", integration.config->>'url' as url, integration.secret
      `.execute(db);
      return rows;
    },

    async listDue(integrationId, limit) {
      const { rows } = await sql<Selectable<ServiceTables['events']> & { age_ms: number; attempts: number }>`
        select event.*, delivery.attempts, ${millisecondsUntil(CLOCK_NOW, sql`delivery.queued_at`)} as age_ms
        from webhook_deliveries as delivery
        join events as event using (sequence)
        where delivery.integration_id = ${integrationId} and ${isDeliveryDue}
        order by sequence
        limit ${limit}
      `.execute(db);
      return rows.map((row) => ({ event: toEvent(row), ageMs: row.age_ms, attempts: row.attempts }));
    },

    async findNextDueMs() {
      const { rows } = await sql<{ in_ms: number | null }>`
        select ${millisecondsUntil(sql`min(greatest(endpoint.not_before, first.at))`, CLOCK_NOW)} as in_ms
        from webhook_endpoints as endpoint
        join integrations as integration on integration.id = endpoint.integration_id
        cross join lateral (
          select min(next_attempt_at) as at from webhook_deliveries as delivery
          where delivery.integration_id = endpoint.integration_id
        ) as first
        where integration.disabled_at is null and first.at is not null
      `.execute(db);
      return rows[0]?.in_ms ?? null;
    },

    async countWaiting() {
      const { rows } = await sql<{ waiting: string }>`select count(*) as waiting from webhook_deliveries`.execute(db);
      return Number(rows[0]?.waiting);
    },

    async recordDelivered(integrationId, deliveries, now) {
      await changeDeliveries(db, integrationId, deliveries, async (tx) => {
        await removeDeliveries(tx, integrationId, deliveries);
        await tx
          .updateTable('integrations')
          .set({ last_used_at: now, last_error: null })
          .where('id', '=', integrationId)
          .execute();
      });
    },

    async recordFailed(integrationId, failures) {
      const deliveries = failures.map(({ delivery }) => delivery);
      await changeDeliveries(db, integrationId, deliveries, async (tx) => {
        const dropped = failures.filter(({ retryInMs }) => retryInMs === null).map(({ delivery }) => delivery);
        await removeDeliveries(tx, integrationId, dropped);
        for (const { delivery, retryInMs } of failures) {
          await tx
            .updateTable('webhook_deliveries')
            .set({ attempts: delivery.attempts + 1, next_attempt_at: fromNow(retryInMs ?? 0) })
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

    async release(integrationId, pauseMs) {
      await db
        .updateTable('webhook_endpoints')
        .set({ not_before: fromNow(pauseMs) })
        .where('integration_id', '=', integrationId)
        .execute();
    },
  };
}

/** Without a time of its next attempt, a delivery is held back by an earlier one of its incident. */
const isDeliveryDue = sql<boolean>`
  (delivery.next_attempt_at is not null and ${isDue('delivery.next_attempt_at', MAX_DELAY_MS)})
`;

function millisecondsUntil(to: RawBuilder<unknown>, from: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${to} - ${from}) * 1000)::double precision`;
}

/**
 * Queues the next events of the endpoints. A disabled endpoint skips them, so that it continues with current events when
 * it is enabled.
 *
 * @returns false: no events are left, or other processes are queueing them
 */
async function queueBatch(db: Kysely<ServiceTables>): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      select integration_id as id from webhook_endpoints
      where position < (select last from event_sequence)
      for update skip locked
    `.execute(tx);
    if (rows.length === 0) {
      return false;
    }
    // A separate statement, so that it sees everything that was committed before the lock was taken.
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
        select sequence, integration_id, incident_id, ${CLOCK_NOW},
          case when place = 1 and not ${isHeldBack(sql`wanted`)} then ${CLOCK_NOW} end
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

/** Whether an earlier delivery of the same incident comes first. @param delivery its name in the statement */
function isHeldBack(delivery: RawBuilder<unknown>) {
  return sql`exists (
    select from webhook_deliveries as earlier
    where earlier.integration_id = ${delivery}.integration_id and earlier.incident_id = ${delivery}.incident_id
      and earlier.sequence < ${delivery}.sequence and earlier.attempts < ${HOLDING_ATTEMPTS}
  )`;
}

/** Changes deliveries while none are queued for their endpoint, then releases those that they held back. */
async function changeDeliveries(
  db: Kysely<ServiceTables>,
  integrationId: string,
  deliveries: readonly WebhookDelivery[],
  change: (tx: Transaction<ServiceTables>) => Promise<void>,
): Promise<void> {
  const incidents = deliveries.map(({ event }) => event.incident.id);
  await db.transaction().execute(async (tx) => {
    // Locks the integration first, like its deletion does.
    await sql`
      select from integrations join webhook_endpoints on integration_id = id
      where id = ${integrationId} for update
    `.execute(tx);
    await change(tx);
    await sql`
      update webhook_deliveries as delivery
      set next_attempt_at = ${CLOCK_NOW}
      where integration_id = ${integrationId} and incident_id = any(${incidents}) and next_attempt_at is null
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
