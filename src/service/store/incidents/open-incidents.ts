import { type Kysely, sql } from 'kysely';
import type { KnownIncident } from '../../core/known-incident.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { type IncidentRow, selectIncidents, toIncident } from './incident-row.ts';
import { known } from './regrouping.ts';

/** Further ones, which were seen longer ago, are not resumed. */
const MAX_RESUMED = 5_000;
/** Alerts of one incident. */
const MAX_ALERTS = 1_000;

/** For correlation that starts with an empty state: incidents that may still go on, with their open alerts. */
export async function readOpenIncidents(db: Kysely<ServiceTables>): Promise<KnownIncident[]> {
  const { rows } = await sql<IncidentRow>`
    ${selectIncidents} where closed_at is null and activity <> 'recovered'
    order by last_signal_at desc, id desc limit ${MAX_RESUMED}
  `.execute(db);
  const ids = rows.map(({ id }) => id);
  // Each incident by the index: with thousands of them, a join would read all signals.
  const { rows: alerts } = await sql<{ readonly id: string; readonly fingerprints: string[] }>`
    select id, fingerprints
    from unnest(${ids}::text[]) as open(id) cross join lateral (
      select (array_agg(distinct fingerprint))[:${sql.lit(MAX_ALERTS)}] as fingerprints
      from signals
      where incident_id = open.id and ended_at is null and detail ->> 'type' = 'alert'
        and (detail ->> 'reportsEnd')::boolean
    ) as alerts
    where fingerprints is not null
  `.execute(db);
  const openAlerts = new Map(alerts.map(({ id, fingerprints }) => [id, fingerprints]));
  return rows.map((row) => ({ ...known(toIncident(row)), openAlerts: openAlerts.get(row.id) ?? [] }));
}
