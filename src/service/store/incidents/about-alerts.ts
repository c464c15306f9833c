import { sql, type Transaction } from 'kysely';
import type { InhibitRule } from '../../../contract/incoming-config.ts';
import { MAIN_SYSTEM } from '../../../contract/system.ts';
import type { AboutAlerts } from '../../core/inhibition.ts';
import type { ObservedSignal } from '../../core/signal.ts';
import type { AlertHistory } from '../../core/telemetry-item.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { type IncidentRow, selectIncidents, toIncident } from './incident-row.ts';
import { known } from './regrouping.ts';

type Tx = Transaction<ServiceTables>;

/**
 * Finds the incidents that alerts belonged to before, and the rules of their integrations. Alerts without an incident are
 * left out.
 *
 * @param alerts.incidents id of the incident of each alert that folded into a stored one, null if it has none; by fingerprint
 * @param alerts.fresh the others
 * @param alerts.senders who sent them
 */
export async function findAboutAlerts(
  tx: Tx,
  alerts: {
    readonly incidents: ReadonlyMap<string, string | null>;
    readonly fresh: readonly Pick<ObservedSignal, 'fingerprint' | 'system'>[];
    readonly senders: readonly string[];
  },
): Promise<AboutAlerts> {
  const { incidents, fresh, senders } = alerts;
  if (incidents.size + fresh.length === 0) {
    return { histories: new Map(), rules: new Map() };
  }
  const homes = await findHomes(tx, [...new Set([...incidents.values()].flatMap((id) => id ?? []))]);
  const returning = [...incidents].flatMap(([fingerprint, id]) => {
    const history = homes.get(id ?? '');
    return history === undefined ? [] : [[fingerprint, history] as const];
  });
  const { previous, rules } = await findPreviousAndRules(tx, fresh, senders);
  const returned = Object.entries(previous).map(
    ([fingerprint, number]) => [fingerprint, { previous: number }] as const,
  );
  return { histories: new Map([...returning, ...returned]), rules: new Map(Object.entries(rules)) };
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

interface PreviousAndRules {
  /** Ordinals of closed incidents of the same system, by fingerprint. */
  readonly previous: Readonly<Record<string, number>>;
  /** By integration. */
  readonly rules: Readonly<Record<string, readonly InhibitRule[]>>;
}

/** In one statement, since each costs the sender a round trip. */
async function findPreviousAndRules(
  tx: Tx,
  fresh: readonly Pick<ObservedSignal, 'fingerprint' | 'system'>[],
  integrations: readonly string[],
): Promise<PreviousAndRules> {
  const fingerprints = fresh.map(({ fingerprint }) => fingerprint);
  const systems = fresh.map(({ system = MAIN_SYSTEM }) => system);
  // Each fingerprint by its index: without statistics, as in a new partition, a join would read all signals.
  const { rows } = await sql<{ [Name in keyof PreviousAndRules]: PreviousAndRules[Name] | null }>`
    select (
      select jsonb_object_agg(fingerprint, number)
      from unnest(${fingerprints}::text[], ${systems}::text[]) as seen(fingerprint, system) cross join lateral (
        select max(coalesce(ordinal, number)) as number from signals join incidents on incidents.id = incident_id
        where signals.fingerprint = seen.fingerprint and closed_at is not null and incidents.system = seen.system
      ) as found
      where number is not null
    ) as previous, (
      select jsonb_object_agg(id, config -> 'inhibit') from integrations
      where id = any(${integrations}::text[]) and config ? 'inhibit'
    ) as rules
  `.execute(tx);
  return { previous: rows[0]?.previous ?? {}, rules: rows[0]?.rules ?? {} };
}
