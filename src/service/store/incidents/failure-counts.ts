import { sql, type Transaction } from 'kysely';
import { prepared } from '../../../database/prepared.ts';
import type { ServiceTables } from '../schema/tables.ts';
import type { Move } from './incident-writer.ts';
import { divideServiceFailures, insertServiceFailures, moveServiceFailures, totalsOf } from './service-failures.ts';

/** Failures of incidents by minute: what the chart of an incident shows. A regroup adds no failures to the minute of the regroup. */

type Tx = Transaction<ServiceTables>;

/** Total number of failures of an incident since it opened. */
export interface SeenFailures {
  readonly id: string;
  readonly total: number;
  /** The total in the earlier unit, if the unit changed between signals and requests; null: it did not change. */
  readonly inEarlierUnit: number | null;
  /** Evidence came from another incident, or went to one, so the difference to the earlier total is not new. */
  readonly isRegrouped: boolean;
  /** How often its signals were seen since it opened, by service, see `totalsOf`. Absent: they are not counted. */
  readonly occurrences?: ReadonlyMap<string, number>;
}

/**
 * Adds the failures since the last call to the minute of `now`. If the unit of the total has changed, the total is lower
 * than before, or the incident was regrouped, all minutes are scaled so that they add up to it.
 */
export async function countFailures(tx: Tx, seen: readonly SeenFailures[], now: Date): Promise<void> {
  if (seen.length === 0) {
    return;
  }
  const ids = seen.map(({ id }) => id);
  const { rows: others } = await sql<{ id: string }>`
    ${prepared('count-failures')}
    with seen as (
      select id, seen.total, reached, failures, service_totals as before, totals::jsonb as totals,
        reached > failures and not (regrouped and exists (select from incident_failures where incident_id = id)) as has_more
      from unnest(${ids}::text[], ${seen.map(({ total }) => total)}::bigint[],
          ${seen.map(({ total, inEarlierUnit }) => inEarlierUnit ?? total)}::bigint[],
          ${seen.map(({ isRegrouped }) => isRegrouped)}::boolean[],
          ${seen.map(({ occurrences }) => totalsOf(occurrences))}::text[]) as seen(id, total, reached, regrouped, totals)
        join incidents using (id)
    ), written as (
      update incidents set failures = case when has_more then reached else incidents.failures end,
        service_totals = coalesce(totals, before)
      from seen where incidents.id = seen.id and (has_more or coalesce(totals, before) is distinct from before)
    ), divided as (
      ${insertServiceFailures(now)}
    ), counted as (
      insert into incident_failures as known (incident_id, minute, failures)
      select id, date_trunc('minute', ${now}::timestamptz), reached - failures from seen where has_more order by id
      on conflict (incident_id, minute) do update set failures = known.failures + excluded.failures
    )
    select id from seen where total <> case when has_more then reached else failures end
  `.execute(tx);
  if (others.length === 0) {
    return;
  }
  await sql`
    with other as (
      select id, total from unnest(${ids}::text[], ${seen.map(({ total }) => total)}::bigint[]) as seen(id, total)
        join incidents using (id)
      where total <> failures
    ), written as (
      update incidents set failures = total from other where incidents.id = other.id
    ), scaled as (
      select incident_id, minute,
        round(total * sum(failures) over up_to / sum(failures) over (partition by incident_id)) as failures
      from other join incident_failures on incident_id = other.id
      where failures > 0
      window up_to as (partition by incident_id order by minute)
    )
    update incident_failures as known set failures = share.failures
    from (
      select incident_id, minute,
        failures - lag(failures, 1, 0) over (partition by incident_id order by minute) as failures
      from scaled
    ) as share
    where known.incident_id = share.incident_id and known.minute = share.minute
  `.execute(tx);
}

/** Moves all failures of merged incidents, also those by service. */
export async function moveFailures(tx: Tx, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) {
    return;
  }
  await sql`
    with moved as (
      select * from unnest(${moves.map(({ from }) => from)}::text[], ${moves.map(({ to }) => to)}::text[])
        as moved(source, target)
    ), gone as (
      delete from incident_failures using moved where incident_id = source returning target, minute, failures
    ), summed as (
      update incidents set failures = case when own.is_source then 0 else incidents.failures + own.more end
      from (
        select source as id, true as is_source, 0 as more from moved
        union all
        select target, false, sum(failures) from moved join incidents on id = source group by target
      ) as own
      where incidents.id = own.id
    )
    insert into incident_failures as known (incident_id, minute, failures)
    select target, minute, sum(failures) from gone group by target, minute order by target, minute
    on conflict (incident_id, minute) do update set failures = known.failures + excluded.failures
  `.execute(tx);
  await moveServiceFailures(tx, moves);
}

/**
 * Gives an incident its part of the failures of the one that it was split from, once its signals are its own. A minute in
 * which signals of both were seen is divided in the proportion of how often those occurred. An incident that has failures
 * of its own gets its part of those by service only.
 */
export async function divideFailures(tx: Tx, from: string, to: string): Promise<void> {
  await sql`
    with seen as (
      select incident_id, sum(occurrences) as occurrences, date_trunc('minute', observed_at) as first,
        date_trunc('minute', last_seen_at) + interval '1 minute' as last -- failures are counted once they are correlated
      from signals where incident_id in (${from}, ${to}) group by 1, 3, 4
    ), rates as (
      select incident_id, first, last, occurrences * 60 / extract(epoch from last - first) as rate from seen
    ), part as (
      select minute, round(failures * sum(rate) filter (where rates.incident_id = ${to}) / sum(rate)) as failures
      from incident_failures as known join rates on minute between first and last
      where known.incident_id = ${from} and not exists (select from incident_failures where incident_id = ${to})
      group by minute, failures
      having bool_or(rates.incident_id = ${to})
    ), taken as (
      update incident_failures as known set failures = known.failures - part.failures
      from part where known.incident_id = ${from} and known.minute = part.minute
    ), summed as (
      update incidents set failures = failures
        + case id when ${to} then 1 else -1 end * (select coalesce(sum(failures), 0) from part)
      where id in (${from}, ${to})
    )
    insert into incident_failures as known (incident_id, minute, failures)
    select ${to}, minute, failures from part where failures > 0
    on conflict (incident_id, minute) do update set failures = known.failures + excluded.failures
  `.execute(tx);
  await divideServiceFailures(tx, from, to);
}
