import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { ResendRequest } from '../../../contract/integrations.ts';
import { CLOCK_NOW, fromNow } from '../../../database/lease.ts';
import { renewKeptTrue } from '../../../effects/new-effects.ts';
import type { DeliveryAttempt } from '../../core/delivery-attempt.ts';
import { IntegrationDisabledError, NotAWebhookError, NotFoundError } from '../../core/errors.ts';
import { type Integration, isReceiver } from '../../core/integration.ts';
import type { Receiver } from '../../core/receiver.ts';
import type { KeyActor } from '../../core/session.ts';
import { appendIntegrationEvent, EVENTS_SUBJECT, notifyReaders } from '../events/event-store.ts';
import { recordIntegrationChange } from '../integrations/integration-changes.ts';
import { createSecret, toIntegration } from '../integrations/integration-store.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { logAttempts } from './delivery-log.ts';
import { isWanted, makeDue, releaseHeldBack, SUBJECT_ID } from './webhook-queue.ts';
import { type LockedEndpoint, lockEndpoint, toReceiver } from './webhook-store.ts';

/** How long the previous secret signs beside a new one. */
const SECRET_OVERLAP_MS = 24 * 60 * 60_000;

/** A webhook that can be sent to. */
export interface WebhookTarget {
  readonly integration: Integration;
  readonly receiver: Receiver;
}

/**
 * What people do with a webhook. Every method
 *
 * @throws {NotFoundError} when there is no such integration
 * @throws {NotAWebhookError} when its type is another one
 */
export interface WebhookControl {
  /** Does nothing if it is enabled. */
  enable(id: string, now: Date, by: KeyActor): Promise<Integration>;
  /** @throws {IntegrationDisabledError} */
  resendDelivery(id: string, deliveryId: string): Promise<void>;
  /** @returns the number of events that will be sent. @throws {IntegrationDisabledError} */
  resendEvents(id: string, request: ResendRequest): Promise<number>;
  /** @returns the new secret too. A rotation before the previous one has expired replaces that. */
  rotateSecret(
    id: string,
    now: Date,
    by: KeyActor,
  ): Promise<{ readonly integration: Integration; readonly secret: string }>;
  findTarget(id: string): Promise<WebhookTarget>;
  logTest(id: string, attempt: DeliveryAttempt): Promise<void>;
}

export function createWebhookControl(db: Kysely<ServiceTables>): WebhookControl {
  return {
    enable: (id, now, by) =>
      db.transaction().execute(async (tx) => {
        const endpoint = await lockWebhook(tx, id);
        if (endpoint.disabled_at !== null) {
          await enable(tx, endpoint, now);
        }
        const integration = toIntegration(
          await tx.selectFrom('integrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
        );
        if (endpoint.disabled_at !== null) {
          await recordIntegrationChange(tx, 'enabled', integration, by, now);
        }
        return integration;
      }),

    resendDelivery: (id, deliveryId) =>
      db.transaction().execute(async (tx) => {
        await lockEnabled(tx, id);
        const { numAffectedRows = 0n } = await sql`
          insert into webhook_deliveries (sequence, integration_id, subject_id, queued_at, next_attempt_at)
          select sequence, integration_id, ${SUBJECT_ID}, ${CLOCK_NOW}, ${CLOCK_NOW}
          from webhook_attempts as attempt join events using (sequence)
          where attempt.id = ${deliveryId} and integration_id = ${id}
          on conflict (sequence, integration_id) do update
          set queued_at = ${CLOCK_NOW}, next_attempt_at = ${CLOCK_NOW}, attempts = 0, gave_up_at = null
        `.execute(tx);
        if (numAffectedRows === 0n) {
          throw new NotFoundError('delivery', deliveryId);
        }
        await sendSoon(tx, id);
      }),

    resendEvents: (id, { since, events }) =>
      db.transaction().execute(async (tx) => {
        await lockEnabled(tx, id);
        const queued = await (events === 'all' ? setBack(tx, id, since) : resetFailed(tx, id, since));
        await sendSoon(tx, id);
        return queued;
      }),

    rotateSecret: (id, now, by) =>
      db.transaction().execute(async (tx) => {
        const { type } = await lockWebhook(tx, id);
        if (type !== 'webhook') {
          throw new NotAWebhookError(type);
        }
        const secret = createSecret();
        const row = await tx
          .updateTable('integrations')
          .set((column) => ({
            secret,
            previous_secret: column.ref('secret'),
            previous_secret_until: fromNow(SECRET_OVERLAP_MS),
          }))
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        const integration = toIntegration(row);
        await recordIntegrationChange(tx, 'secret-rotated', integration, by, now);
        return { integration, secret };
      }),

    async findTarget(id) {
      const { rows } = await sql<Selectable<ServiceTables['integrations']> & { is_overlapping: boolean }>`
        select *, coalesce(previous_secret_until > ${CLOCK_NOW}, false) as is_overlapping
        from integrations where id = ${id}
      `.execute(db);
      const [row] = rows;
      const integration = row === undefined ? null : toIntegration(row);
      if (row === undefined || integration === null || !isReceiver(integration.type)) {
        throw refuse(id, row?.type);
      }
      const previous = row.is_overlapping ? row.previous_secret : null;
      return { integration, receiver: toReceiver({ ...row, previous_secret: previous }) };
    },

    logTest: (id, attempt) =>
      db.transaction().execute(async (tx) => {
        await lockWebhook(tx, id);
        await logAttempts(tx, id, [attempt]);
        if (attempt.error === null) {
          await tx
            .updateTable('integrations')
            .set({
              last_used_at: attempt.attemptedAt,
              // It works again, until a delivery says otherwise. Why it was disabled stays.
              last_error: sql<string | null>`case when disabled_at is null then null else last_error end`,
            })
            .where('id', '=', id)
            .execute();
        }
      }),
  };
}

async function enable(tx: Transaction<ServiceTables>, { id, type, name, stopped_because }: LockedEndpoint, now: Date) {
  const isGone = stopped_because === 'gone';
  await tx.updateTable('integrations').set({ disabled_at: null, last_error: null }).where('id', '=', id).execute();
  await tx
    .updateTable('webhook_endpoints')
    .set({
      not_before: CLOCK_NOW,
      failing_since: null,
      failures: 0,
      stopped_because: null,
      // A receiver that wanted no more events gets those from now on.
      ...(isGone ? { position: sql<string>`(select last from event_sequence)` } : {}),
    })
    .where('integration_id', '=', id)
    .execute();
  await tx
    .updateTable('webhook_deliveries')
    .set({ attempts: 0, queued_at: CLOCK_NOW, next_attempt_at: null })
    .where('integration_id', '=', id)
    .where('gave_up_at', 'is', null)
    .execute();
  await releaseHeldBack(tx, id, null);
  await makeDue(sql`select ${id}`).execute(tx);
  await appendIntegrationEvent(tx, 'integration.enabled', { id, type, name, reason: null, failingSince: null }, now);
}

async function sendSoon(tx: Transaction<ServiceTables>, id: string): Promise<void> {
  await makeDue(sql`select ${id}`).execute(tx);
  await renewKeptTrue(EVENTS_SUBJECT, sql`true`).execute(tx); // its position may be another one
  await notifyReaders(tx);
}

/** Makes deliveries due that were given up or wait for another attempt. @returns their number */
async function resetFailed(tx: Transaction<ServiceTables>, id: string, since: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_deliveries as delivery
    set attempts = 0, queued_at = ${CLOCK_NOW}, next_attempt_at = null, gave_up_at = null
    from events as event
    where event.sequence = delivery.sequence and delivery.integration_id = ${id}
      and event.occurred_at >= ${since} and (gave_up_at is not null or attempts > 0)
  `.execute(tx);
  await releaseHeldBack(tx, id, null);
  return Number(numAffectedRows);
}

/** Lets the endpoint continue from an earlier event, so that none that waits comes before it. @returns the number of events from there that it wants */
async function setBack(tx: Transaction<ServiceTables>, id: string, since: Date): Promise<number> {
  await sql`
    update webhook_endpoints
    set position = least(position, (select min(sequence) - 1 from events where occurred_at >= ${since}))
    where integration_id = ${id}
  `.execute(tx);
  await sql`
    delete from webhook_deliveries using webhook_endpoints as endpoint
    where endpoint.integration_id = ${id} and webhook_deliveries.integration_id = ${id} and sequence > position
  `.execute(tx);
  const { rows } = await sql<{ wanted: string }>`
    select count(*) as wanted
    from events cross join integrations
    where integrations.id = ${id} and occurred_at >= ${since} and ${isWanted(sql`integrations`, sql`events`)}
  `.execute(tx);
  return Number(rows[0]?.wanted);
}

async function lockEnabled(tx: Transaction<ServiceTables>, id: string): Promise<void> {
  if ((await lockWebhook(tx, id)).disabled_at !== null) {
    throw new IntegrationDisabledError(id);
  }
}

async function lockWebhook(tx: Transaction<ServiceTables>, id: string): Promise<LockedEndpoint> {
  const endpoint = await lockEndpoint(tx, id);
  if (endpoint !== undefined) {
    return endpoint;
  }
  const other = await tx.selectFrom('integrations').select('type').where('id', '=', id).executeTakeFirst();
  throw refuse(id, other?.type);
}

function refuse(id: string, type: string | undefined): NotFoundError | NotAWebhookError {
  return type === undefined ? new NotFoundError('integration', id) : new NotAWebhookError(type);
}
