import { type Kysely, sql } from 'kysely';
import type { KnownIncident } from '../../core/known-incident.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { type IncidentRow, selectIncidents, toIncident } from './incident-row.ts';
import { known } from './regrouping.ts';

/** Further ones, which were seen longer ago, are not resumed. */
const MAX_RESUMED = 5_000;
/** Alerts of one incident. */
const MAX_ALERTS = 1_000;

/** For correlation of a system that starts with an empty state: incidents that may still go on, with their open alerts. */
export async function readOpenIncidents(db: Kysely<ServiceTables>, system: string): Promise<KnownIncident[]> {
  const { rows } = await sql<IncidentRow>`
    ${selectIncidents} where system = ${system} and closed_at is null and activity <> 'recovered'
    order by last_signal_at desc, id desc limit ${MAX_RESUMED}
  `.execute(db);
  const ids = rows.map(({ id }) => id);
  // Each incident by the index: with thousands of them, a join would read all signals.
  const { rows: found } = await sql<Signals>`
    select id, coalesce("openAlerts", '{}') as "openAlerts", "hasTelemetry"
    from unnest(${ids}::text[]) as open(id) cross join lateral (
      select (array_agg(distinct fingerprint) filter (where reports_end and ended_at is null))[:${sql.lit(MAX_ALERTS)}]
          as "openAlerts",
        bool_or(not reports_end) as "hasTelemetry"
      from (
        select fingerprint, ended_at,
          detail ->> 'type' = 'alert' and (detail ->> 'reportsEnd')::boolean as reports_end
        from signals where incident_id = open.id
      ) as own
    ) as signals
    where "hasTelemetry" is not null
  `.execute(db);
  const signals = new Map(found.map(({ id, ...own }) => [id, own]));
  return rows.map((row) => ({ ...known(toIncident(row)), ...signals.get(row.id) }));
}

interface Signals extends Required<Pick<KnownIncident, 'openAlerts' | 'hasTelemetry'>> {
  readonly id: string;
}
