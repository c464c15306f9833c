import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { UNCOUNTED_FORMATS } from '../../core/signal-source.ts';
import type { ServiceTables } from '../schema/tables.ts';
import type { Move } from './incident-writer.ts';

/** Failing signals of incidents by service and minute. The sum of a minute is more than its lost requests, because a request can be several signals. */

type Tx = Transaction<ServiceTables>;

/** Services of an incident that are counted, those with most first. */
export const MAX_COUNTED_SERVICES = 20;

export interface MinuteOfService {
  readonly service: string;
  /** Start of the minute, in milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
}

/** The services with most, as `service_totals` stores them. */
export function totalsOf(occurrences: ReadonlyMap<string, number> | undefined): string | null {
  const most = occurrences && [...occurrences].toSorted(([, one], [, other]) => other - one);
  return most === undefined ? null : JSON.stringify(Object.fromEntries(most.slice(0, MAX_COUNTED_SERVICES)));
}

/**
 * Part of a statement that adds what was seen since the last one to the minute of `now`. It reads `seen`: `id`, `totals`
 * and `before`, which is null for an incident that was opened before services were counted.
 */
export function insertServiceFailures(now: Date): RawBuilder<unknown> {
  return sql`
    insert into incident_service_failures as known (incident_id, service, minute, signals)
    select id, service, date_trunc('minute', ${now}::timestamptz), more
    from seen, lateral (
      select key as service, value::numeric::bigint - coalesce((before ->> key)::numeric::bigint, 0) as more
      from jsonb_each_text(totals)
    ) as counted
    where more > 0 and before is not null
    order by id, service
    on conflict (incident_id, service, minute) do update set signals = known.signals + excluded.signals
  `;
}

/** Moves what was counted of incidents to others, in this order. */
export async function moveServiceFailures(tx: Tx, moves: readonly Move[]): Promise<void> {
  for (const { from, to } of moves) {
    await moveOne(tx, from, to);
  }
}

async function moveOne(tx: Tx, from: string, to: string): Promise<void> {
  await sql`
    with gone as (
      delete from incident_service_failures where incident_id = ${from} returning service, minute, signals
    ), summed as (
      select coalesce(jsonb_object_agg(key, total), '{}') as totals
      from (
        select key, sum(value::numeric) as total
        from incidents, jsonb_each_text(service_totals) where id in (${from}, ${to}) group by key
      ) as each_service
    ), written as (
      update incidents set service_totals = case id when ${to} then summed.totals else '{}' end
      from summed where id in (${from}, ${to})
    )
    insert into incident_service_failures as known (incident_id, service, minute, signals)
    select ${to}, service, minute, signals from gone
    on conflict (incident_id, service, minute) do update set signals = known.signals + excluded.signals
  `.execute(tx);
}

/**
 * Gives an incident its part of what was counted of the one that it was split from, once its signals are its own: of each
 * service as many as its signals were seen, from all minutes in the same proportion.
 */
export async function divideServiceFailures(tx: Tx, from: string, to: string): Promise<void> {
  await sql`
    with counted as (
      select service, sum(signals) as total from incident_service_failures where incident_id = ${from} group by service
    ), own as (
      select service, sum(occurrences) - coalesce((
        select (service_totals ->> service)::numeric from incidents where id = ${to}), 0) as moved
      from signals where incident_id = ${to} and (source ->> 'format' = any(${UNCOUNTED_FORMATS}::text[])) is not true
      group by service
    ), shares as (
      select service, total, least(1, greatest(0, moved / total)) as share
      from counted join own using (service) where total > 0
    ), part as (
      select service, minute, round(signals * share) as signals
      from incident_service_failures join shares using (service)
      where incident_id = ${from}
    ), taken as (
      update incident_service_failures as known set signals = known.signals - part.signals
      from part where known.incident_id = ${from} and known.service = part.service and known.minute = part.minute
    ), totals as (
      select incidents.id, jsonb_object_agg(service, case incidents.id
        when ${from} then total - round(total * share)
        else coalesce((service_totals ->> service)::numeric, 0) + round(total * share) end) as changed
      from incidents, shares where incidents.id in (${from}, ${to}) group by incidents.id
    ), written as (
      update incidents set service_totals = coalesce(service_totals, '{}') || changed
      from totals where incidents.id = totals.id
    )
    insert into incident_service_failures as known (incident_id, service, minute, signals)
    select ${to}, service, minute, signals from part where signals > 0
    on conflict (incident_id, service, minute) do update set signals = known.signals + excluded.signals
  `.execute(tx);
}

/** What was counted in the minutes of [from, to). */
export async function readServiceFailures(
  db: Kysely<ServiceTables>,
  incidentId: string,
  from: Date,
  to: Date,
): Promise<MinuteOfService[]> {
  const rows = await db
    .selectFrom('incident_service_failures')
    .select(['service', 'minute', 'signals'])
    .where('incident_id', '=', incidentId)
    .where('minute', '>=', from)
    .where('minute', '<', to)
    .where('signals', '>', '0')
    .execute();
  return rows.map(({ service, minute, signals }) => ({ service, at: minute.getTime(), count: Number(signals) }));
}
