import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { CLOCK_NOW, isDue } from '../../../database/lease.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** Turns events into deliveries. */
export const QUEUE_KIND = 'webhook-queue';

/** Sends what is due to an endpoint, its subject. It is over when the endpoint is deleted. */
export const WEBHOOK_KIND = 'webhook';

/** Upper bound for the length of a pause or a retry delay. */
export const MAX_DELAY_MS = 24 * 60 * 60_000;

/** What an event is about, whose events are sent in their order; null: of a kind that this version cannot read. */
export const SUBJECT_ID = sql`coalesce(incident->>'id', integration->>'id', schedule->>'id')`;

/** Maximum number of events that one call turns into deliveries of an endpoint. */
const QUEUE_BATCH = 500;

/** After so many failed attempts, some 20 minutes, a delivery no longer holds back later ones of its subject. */
const HOLDING_ATTEMPTS = 8;

/**
 * Whether a receiver wants an event. Without `config.events` it wants those of incidents. A pager is not told of an
 * incident while it is muted, and when the mute ends, only if nobody has acknowledged it.
 *
 * @param integration its name in the statement. @param event the same
 */
export function isWanted(integration: RawBuilder<unknown>, event: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(
    coalesce(${integration}.config->'events' @> to_jsonb(${event}.type), ${event}.type like 'incident.%')
    and (${integration}.type <> 'pagerduty' or case ${event}.type
      when 'incident.opened' then not ${isMuted(event)}
      when 'incident.reopened' then not ${isMuted(event)}
      when 'incident.unmuted' then not ${isMuted(event)} and ${event}.incident->>'acknowledgement' is null
      else true end))`;
}

function isMuted(event: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`coalesce((${event}.incident->'mute'->>'until')::timestamptz > ${event}.occurred_at, false)`;
}

/** Makes endpoints due, those that pause when that ends. @param ids a statement */
export function makeDue(ids: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into effects (kind, subject, detail, lane, data, is_kept_true, due_at)
    select ${WEBHOOK_KIND}, integration_id, '', integration_id, '{}', true,
      case when ${isDue('not_before', MAX_DELAY_MS)} then clock_now() else not_before end
    from webhook_endpoints where integration_id in (${ids})
    on conflict (subject, kind, detail) do update set due_at = excluded.due_at`;
}

/** Turns the next events into deliveries, for each webhook those that it wants. A disabled webhook keeps its position. */
export async function queueNextEvents(db: Kysely<ServiceTables>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string }>`${BEHIND} for update skip locked`.execute(tx);
    if (rows.length === 0) {
      return;
    }
    // A separate statement, so that it sees everything that was committed before the lock was taken.
    await sql`
      with batch as materialized (
        select endpoint.integration_id, event.*
        from webhook_endpoints as endpoint cross join lateral (
          select sequence, type, incident, occurred_at, ${SUBJECT_ID} as subject_id
          from events where sequence > endpoint.position order by sequence limit ${QUEUE_BATCH}
        ) as event
        where endpoint.integration_id = any(${rows.map(({ id }) => id)})
      ),
      wanted as (
        select batch.*, row_number() over (partition by integration_id, subject_id order by sequence) as place
        from batch join integrations as integration on integration.id = batch.integration_id
        where subject_id is not null -- of a kind that this version can read
          and ${isWanted(sql`integration`, sql`batch`)}
      ),
      queued as (
        insert into webhook_deliveries (sequence, integration_id, subject_id, queued_at, next_attempt_at)
        select sequence, integration_id, subject_id, ${CLOCK_NOW},
          case when place = 1 and not ${isHeldBack(sql`wanted`)} then ${CLOCK_NOW} end
        from wanted
        on conflict do nothing -- it waits already: it was sent again by itself after its endpoint was set back
        returning integration_id, next_attempt_at
      ),
      due as (${makeDue(sql`select distinct integration_id from queued where next_attempt_at is not null`)})
      update webhook_endpoints as endpoint
      set position = read.upto
      from (select integration_id, max(sequence) as upto from batch group by integration_id) as read
      where endpoint.integration_id = read.integration_id
    `.execute(tx);
  });
}

/** The webhooks that have not got all events, as a statement. */
export const BEHIND = sql`
  select integration_id as id from webhook_endpoints
  where position < (select last from event_sequence)
    and exists (select from integrations where id = integration_id and disabled_at is null)`;

/** Makes waiting deliveries due unless an earlier one of their subject holds them back. @param subjects null: all */
export async function releaseHeldBack(
  tx: Transaction<ServiceTables>,
  integrationId: string,
  subjects: readonly string[] | null,
): Promise<void> {
  await sql`
    update webhook_deliveries as delivery
    set next_attempt_at = ${CLOCK_NOW}
    where integration_id = ${integrationId} and next_attempt_at is null and gave_up_at is null
      and ${subjects === null ? sql`true` : sql`subject_id = any(${subjects})`}
      and not ${isHeldBack(sql`delivery`)}
  `.execute(tx);
}

/** Whether an earlier delivery of the same subject comes first. @param delivery its name in the statement */
function isHeldBack(delivery: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from webhook_deliveries as earlier
    where earlier.integration_id = ${delivery}.integration_id and earlier.subject_id = ${delivery}.subject_id
      and earlier.sequence < ${delivery}.sequence and earlier.attempts < ${HOLDING_ATTEMPTS}
      and earlier.gave_up_at is null
  )`;
}
