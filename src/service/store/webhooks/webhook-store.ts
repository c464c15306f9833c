import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import { CLOCK_NOW, fromNow, isDue } from '../../../database/lease.ts';
import type { DeliveryAttempt } from '../../core/delivery-attempt.ts';
import type { EndpointHealth } from '../../core/endpoint-health.ts';
import type { ServiceEvent } from '../../core/integration-event.ts';
import type { Receiver } from '../../core/receiver.ts';
import { appendIntegrationEvent, toEvent } from '../events/event-store.ts';
import type { IntegrationsTable } from '../schema/event-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { logAttempts } from './delivery-log.ts';
import { queueNextEvents, releaseHeldBack } from './webhook-queue.ts';

/** Upper bound for the length of a lease, a pause or a retry delay. */
export const MAX_DELAY_MS = 24 * 60 * 60_000;

export interface WebhookEndpoint {
  readonly integrationId: string;
  readonly receiver: Receiver;
  readonly health: EndpointHealth;
  /** Time since its last success; null: there was none. */
  readonly deliveredAgoMs: number | null;
}

export interface WebhookDelivery {
  readonly event: ServiceEvent;
  /** Time since it was queued. */
  readonly ageMs: number;
  /** Number of failed attempts. */
  readonly attempts: number;
}

export interface FailedDelivery {
  readonly delivery: WebhookDelivery;
  /** null: no more attempts. */
  readonly retryInMs: number | null;
}

/** What is to be recorded after a batch of attempts. */
export interface BatchResult {
  readonly attempts: readonly DeliveryAttempt[];
  readonly delivered: readonly WebhookDelivery[];
  readonly failed: readonly FailedDelivery[];
  readonly health: EndpointHealth;
  /** Shown with the integration; null: the last attempt succeeded. */
  readonly lastError: string | null;
  readonly disabled: Disabling | null;
  /** How long the endpoint is left alone. */
  readonly pauseMs: number;
}

export interface Disabling {
  /** `gone`: the receiver wants no more events, so waiting ones are dropped. */
  readonly because: 'failing' | 'gone';
  readonly reason: string;
}

/** Which endpoints are meant: those that fail, or the others. */
export type Lane = 'healthy' | 'failing';

/** Leases, pauses and retries use the clock of the database. */
export interface WebhookStore {
  /** Creates deliveries of new events. @returns whether there may be more */
  queueEvents(): Promise<boolean>;
  /** Leases endpoints with due deliveries, the least recently served first. */
  claim(lane: Lane, leaseMs: number, limit: number): Promise<WebhookEndpoint[]>;
  /**
   * At most one delivery per incident, unless one of them failed too often. Those with the fewest failed attempts come
   * first, so that an event which its receiver refuses does not hide one that it would accept; then the oldest.
   */
  listDue(integrationId: string, limit: number): Promise<WebhookDelivery[]>;
  /** Time until the next delivery in one of the lanes is due; null: none is queued. */
  findNextDueMs(lanes: readonly Lane[]): Promise<number | null>;
  countWaiting(): Promise<number>;
  /** How long the oldest delivery has waited; 0: none waits. */
  longestWaitSeconds(): Promise<number>;
  /** Also ends the lease. */
  record(integrationId: string, result: BatchResult, now: Date): Promise<void>;
  /** Ends the lease. */
  release(integrationId: string): Promise<void>;
}

export function createWebhookStore(db: Kysely<ServiceTables>): WebhookStore {
  return {
    queueEvents: () => queueNextEvents(db),

    async claim(lane, leaseMs, limit) {
      const { rows } = await sql<EndpointRow>`
        with due as materialized (
          select integration_id from webhook_endpoints
          where ${isDue('not_before', MAX_DELAY_MS)} and ${isInLane([lane])}
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
        returning integration.id, integration.type, integration.config, integration.secret,
          case when previous_secret_until > ${CLOCK_NOW} then previous_secret end as previous_secret, failures,
          ${millisecondsUntil(CLOCK_NOW, sql`failing_since`)} as failing_for_ms,
          ${millisecondsUntil(CLOCK_NOW, sql`delivered_at`)} as delivered_ago_ms
      `.execute(db);
      return rows.map(toEndpoint);
    },

    async listDue(integrationId, limit) {
      const { rows } = await sql<Selectable<ServiceTables['events']> & { age_ms: number; attempts: number }>`
        select event.*, next.attempts, ${millisecondsUntil(CLOCK_NOW, sql`next.queued_at`)} as age_ms
        from (
          select sequence, attempts, queued_at from webhook_deliveries as delivery
          where integration_id = ${integrationId} and ${isDeliveryDue}
          order by attempts, sequence
          limit ${limit}
        ) as next join events as event using (sequence)
        order by attempts, sequence
      `.execute(db);
      return rows.map((row) => ({ event: toEvent(row), ageMs: row.age_ms, attempts: row.attempts }));
    },

    async findNextDueMs(lanes) {
      const { rows } = await sql<{ in_ms: number | null }>`
        select ${millisecondsUntil(sql`min(greatest(endpoint.not_before, first.at))`, CLOCK_NOW)} as in_ms
        from webhook_endpoints as endpoint
        join integrations as integration on integration.id = endpoint.integration_id
        cross join lateral (
          select min(next_attempt_at) as at from webhook_deliveries as delivery
          where delivery.integration_id = endpoint.integration_id
        ) as first
        where integration.disabled_at is null and first.at is not null and ${isInLane(lanes)}
      `.execute(db);
      return rows[0]?.in_ms ?? null;
    },

    async countWaiting() {
      const { rows } = await sql<{ waiting: string }>`
        select count(*) as waiting from webhook_deliveries where gave_up_at is null
      `.execute(db);
      return Number(rows[0]?.waiting);
    },

    async longestWaitSeconds() {
      const { rows } = await sql<{ seconds: number }>`
        select coalesce(extract(epoch from clock_now() - min(queued_at)), 0)::float8 as seconds
        from webhook_deliveries where next_attempt_at is not null
      `.execute(db);
      return Math.max(0, rows[0]?.seconds ?? 0);
    },

    async record(integrationId, result, now) {
      await db.transaction().execute(async (tx) => {
        const endpoint = await lockEndpoint(tx, integrationId);
        if (endpoint !== undefined) {
          await recordBatch(tx, endpoint, result, now);
        }
      });
    },

    async release(integrationId) {
      await db
        .updateTable('webhook_endpoints')
        .set({ not_before: CLOCK_NOW })
        .where('integration_id', '=', integrationId)
        .execute();
    },
  };
}

interface EndpointRow extends ReceiverRow {
  readonly id: string;
  readonly failures: number;
  readonly failing_for_ms: number | null;
  readonly delivered_ago_ms: number | null;
}

function toEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    integrationId: row.id,
    receiver: toReceiver(row),
    health: { failingForMs: row.failing_for_ms, failures: row.failures },
    deliveredAgoMs: row.delivered_ago_ms,
  };
}

export type ReceiverRow = Pick<Selectable<IntegrationsTable>, 'type' | 'config' | 'secret' | 'previous_secret'>;

/** @param row `previous_secret` is null unless it is valid */
export function toReceiver({ type, config, secret, previous_secret: previous }: ReceiverRow): Receiver {
  const url = String(config.url);
  return type === 'pagerduty'
    ? { type, url, routingKey: String(config.routing_key) }
    : { type: 'webhook', url, secrets: [secret, previous].filter((each) => each !== null) };
}

/** Without a time of its next attempt, a delivery is held back by an earlier one of its subject, or was given up. */
const isDeliveryDue = sql<boolean>`
  (delivery.next_attempt_at is not null and ${isDue('delivery.next_attempt_at', MAX_DELAY_MS)})
`;

function isInLane(lanes: readonly Lane[]): RawBuilder<boolean> {
  return sql<boolean>`
    (case when failing_since is null then 'healthy' else 'failing' end) = any(${lanes}::text[])
  `;
}

function millisecondsUntil(to: RawBuilder<unknown>, from: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${to} - ${from}) * 1000)::double precision`;
}

export type LockedEndpoint = Pick<Selectable<IntegrationsTable>, 'id' | 'type' | 'name' | 'disabled_at'> & {
  readonly failing_since: Date | null;
  readonly stopped_because: Disabling['because'] | null;
};

/** Locks the integration first, like its deletion does. While it is locked, no events are queued for it. */
export async function lockEndpoint(
  tx: Transaction<ServiceTables>,
  integrationId: string,
): Promise<LockedEndpoint | undefined> {
  const { rows } = await sql<LockedEndpoint>`
    select id, type, name, disabled_at, failing_since, stopped_because
    from integrations join webhook_endpoints on integration_id = id
    where id = ${integrationId} for update
  `.execute(tx);
  return rows[0];
}

async function recordBatch(
  tx: Transaction<ServiceTables>,
  endpoint: LockedEndpoint,
  { attempts, delivered, failed, health, lastError, disabled, pauseMs }: BatchResult,
  now: Date,
): Promise<void> {
  await logAttempts(tx, endpoint.id, attempts);
  await changeDeliveries(tx, endpoint.id, delivered, failed);
  if (disabled?.because === 'gone') {
    await tx.deleteFrom('webhook_deliveries').where('integration_id', '=', endpoint.id).execute();
  }
  const failingSince = sql<Date>`coalesce(failing_since, ${CLOCK_NOW})`;
  await tx
    .updateTable('webhook_endpoints')
    .set({
      not_before: fromNow(pauseMs),
      failing_since: health.failingForMs === null ? null : failingSince,
      failures: health.failures,
      ...(delivered.length > 0 ? { delivered_at: CLOCK_NOW } : {}),
      ...(disabled === null ? {} : { stopped_because: disabled.because }),
    })
    .where('integration_id', '=', endpoint.id)
    .execute();
  await tx
    .updateTable('integrations')
    .set({
      last_error: disabled?.reason ?? lastError,
      ...(delivered.length > 0 ? { last_used_at: now } : {}),
      ...(disabled === null ? {} : { disabled_at: now }),
    })
    .where('id', '=', endpoint.id)
    .execute();
  if (disabled !== null) {
    const { id, type, name } = endpoint;
    const since = (endpoint.failing_since ?? now).toISOString();
    const integration = { id, type, name, reason: disabled.reason, failingSince: since };
    await appendIntegrationEvent(tx, 'integration.disabled', integration, now);
  }
}

async function changeDeliveries(
  tx: Transaction<ServiceTables>,
  integrationId: string,
  delivered: readonly WebhookDelivery[],
  failed: readonly FailedDelivery[],
): Promise<void> {
  const sequences = delivered.map(({ event }) => String(event.sequence));
  await sql`
    delete from webhook_deliveries
    where integration_id = ${integrationId} and sequence = any(${sequences}::bigint[])
  `.execute(tx);
  for (const { delivery, retryInMs } of failed) {
    await tx
      .updateTable('webhook_deliveries')
      .set({
        attempts: delivery.attempts + 1,
        next_attempt_at: retryInMs === null ? null : fromNow(retryInMs),
        gave_up_at: retryInMs === null ? CLOCK_NOW : null,
      })
      .where('integration_id', '=', integrationId)
      .where('sequence', '=', String(delivery.event.sequence))
      .execute();
  }
  const subjects = [...delivered, ...failed.map(({ delivery }) => delivery)].map(({ event }) => subjectOf(event));
  await releaseHeldBack(tx, integrationId, subjects);
}

function subjectOf(event: ServiceEvent): string {
  if ('schedule' in event) {
    return event.schedule.id;
  }
  return 'incident' in event ? event.incident.id : event.integration.id;
}
