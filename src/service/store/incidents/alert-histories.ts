import { sql, type Transaction } from 'kysely';
import type { AlertHistory } from '../../core/telemetry-item.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { type IncidentRow, selectIncidents, toIncident } from './incident-row.ts';
import { known } from './regrouping.ts';

type Tx = Transaction<ServiceTables>;

/**
 * Finds the incidents that alerts belonged to before. Alerts without an incident are left out.
 *
 * @param incidents id of the incident of each alert that folded into a stored one, null if it has none; by fingerprint
 * @param fresh fingerprints of the others
 */
export async function findAlertHistories(
  tx: Tx,
  incidents: ReadonlyMap<string, string | null>,
  fresh: readonly string[],
): Promise<ReadonlyMap<string, AlertHistory>> {
  const homes = await findHomes(tx, [...new Set([...incidents.values()].flatMap((id) => id ?? []))]);
  const returning = [...incidents].flatMap(([fingerprint, id]) => {
    const history = homes.get(id ?? '');
    return history === undefined ? [] : [[fingerprint, history] as const];
  });
  return new Map([...returning, ...(await findPrevious(tx, fresh))]);
}

async function findHomes(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, AlertHistory>> {
  if (ids.length === 0) {
    return new Map();
  }
  const { rows } = await sql<IncidentRow>`
    ${selectIncidents} where id = any(${ids}::text[]) and closed_at is null
  `.execute(tx);
  return new Map(rows.map((row) => [row.id, { home: known(toIncident(row)) }]));
}

async function findPrevious(tx: Tx, fingerprints: readonly string[]): Promise<(readonly [string, AlertHistory])[]> {
  if (fingerprints.length === 0) {
    return [];
  }
  // Each fingerprint by its index: without statistics, as in a new partition, a join would read all signals.
  const { rows } = await sql<{ fingerprint: string; number: string }>`
    select fingerprint, number
    from unnest(${fingerprints}::text[]) as seen(fingerprint) cross join lateral (
      select max(number) as number from signals join incidents on incidents.id = incident_id
      where signals.fingerprint = seen.fingerprint and closed_at is not null
    ) as previous
    where number is not null
  `.execute(tx);
  return rows.map(({ fingerprint, number }) => [fingerprint, { previous: Number(number) }]);
}
