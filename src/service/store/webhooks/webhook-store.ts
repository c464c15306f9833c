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
import { BEHIND, MAX_DELAY_MS, queueNextEvents, releaseHeldBack } from './webhook-queue.ts';

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

/** Pauses and retries use the clock of the database. */
export interface WebhookStore {
  /** Creates deliveries of new events, and makes their endpoints due. */
  queueEvents(): Promise<void>;
  /** Whether events are left, also those of an endpoint that was locked. */
  isBehind(): Promise<boolean>;
  /** null: nothing is to be sent to it now. It pauses, is disabled or deleted. */
  findReady(integrationId: string): Promise<WebhookEndpoint | null>;
  /**
   * At most one delivery per incident, unless one of them failed too often. Those with the fewest failed attempts come
   * first, so that an event which its receiver refuses does not hide one that it would accept; then the oldest.
   */
  listDue(integrationId: string, limit: number): Promise<WebhookDelivery[]>;
  /** Time until something is to be sent to an endpoint; null: nothing is queued, or it is disabled. */
  findNextDueMs(integrationId: string): Promise<number | null>;
  countWaiting(): Promise<number>;
  /** How long the oldest delivery has waited; 0: none waits. */
  longestWaitSeconds(): Promise<number>;
  record(integrationId: string, result: BatchResult, now: Date): Promise<void>;
}

export function createWebhookStore(db: Kysely<ServiceTables>): WebhookStore {
  return {
    queueEvents: () => queueNextEvents(db),
    isBehind: async () => (await sql`${BEHIND} limit 1`.execute(db)).rows.length > 0,

    async findReady(integrationId) {
      const { rows } = await sql<EndpointRow>`
        select id, type, config, secret, failures,
          case when previous_secret_until > ${CLOCK_NOW} then previous_secret end as previous_secret,
          ${millisecondsUntil(CLOCK_NOW, sql`failing_since`)} as failing_for_ms,
          ${millisecondsUntil(CLOCK_NOW, sql`delivered_at`)} as delivered_ago_ms
        from webhook_endpoints join integrations on id = integration_id
        where id = ${integrationId} and disabled_at is null and ${isDue('not_before', MAX_DELAY_MS)}
      `.execute(db);
      return rows[0] === undefined ? null : toEndpoint(rows[0]);
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

    async findNextDueMs(integrationId) {
      const { rows } = await sql<{ in_ms: number | null }>`
        select ${millisecondsUntil(sql`greatest(not_before, min(next_attempt_at))`, CLOCK_NOW)} as in_ms
        from webhook_deliveries
        join webhook_endpoints using (integration_id)
        join integrations on id = integration_id
        where integration_id = ${integrationId} and next_attempt_at is not null and disabled_at is null
        group by not_before
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
      .where('attempts', '=', delivery.attempts) // else somebody has asked for it again since this attempt began
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
