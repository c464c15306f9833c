import { type Kysely, sql, type Transaction } from 'kysely';
import { MAIN_SYSTEM } from '../../../contract/system.ts';
import { prepared } from '../../../database/prepared.ts';
import type { Incident } from '../../core/incident.ts';
import type { Tick } from '../../log/log-entry.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';
import { readFacts } from './incident-facts.ts';
import { type IncidentRow, selectIncidents, toIncident } from './incident-row.ts';

/**
 * SQL of the correlator. It locks incidents before their signals. Who writes signals at the same time may be in its way:
 * then it tries again with the lock of `lockWriters`.
 */

type Tx = Transaction<ServiceTables>;

/** Services that an incident names. */
export const MAX_SERVICES = 50;

/** See `Incident.ordinal`. An incident that an earlier version opened has none of its own. */
const ORDINAL = sql<string>`coalesce(ordinal, number)`;

/** The first ordinal that no incident of the system has. */
export async function findNextOrdinal(db: Kysely<ServiceTables>, system: string): Promise<number> {
  const { rows } = await sql<{ next: string }>`
    select coalesce(max(${ORDINAL}), 0) + 1 as next from incidents where system = ${system}
  `.execute(db);
  return Number(rows[0]?.next ?? 1);
}

const NUMBERS = sql`pg_get_serial_sequence('incidents', 'number')`;
const NEXT_NUMBER = sql<string>`greatest(next_incident_number(), pg_sequence_last_value(${NUMBERS}))`;

/** The first number that no incident has had. It is this transaction's, with all that follow, until that ends. */
export async function takeNumbers(tx: Tx): Promise<number> {
  const { rows } = await sql<{ next: string }>`select ${NEXT_NUMBER} as next`.execute(tx);
  return Number(rows[0]?.next ?? 1);
}

/** Keeps the next number, before incidents are deleted: what people wrote about an incident must not name another one. */
export async function keepNextNumber(db: Kysely<ServiceTables>): Promise<void> {
  await sql`select setval(${NUMBERS}, ${NEXT_NUMBER})`.execute(db);
}

/** Ordinals and closing times of those incidents that are closed. */
export async function findClosed(
  db: Kysely<ServiceTables>,
  system: string,
  ordinals: readonly number[],
): Promise<Tick['closed']> {
  const { rows } = await sql<{ ordinal: string; closedAt: Date }>`
    select ${ORDINAL} as ordinal, closed_at as "closedAt" from incidents
    where system = ${system} and ${ORDINAL} = any(${ordinals}::bigint[]) and closed_at is not null
    order by ordinal
  `.execute(db);
  return rows.map(({ ordinal, closedAt }) => ({ number: Number(ordinal), at: closedAt.getTime() }));
}

/** By ordinal. Locks the rows until the end of the transaction. */
export async function lockIncidents(
  tx: Tx,
  system: string,
  ordinals: readonly number[],
): Promise<Map<number, Incident>> {
  const { rows } = await sql<IncidentRow>`
    ${prepared('lock-incidents')} ${selectIncidents} where system = ${system} and ${ORDINAL} = any(${ordinals}::bigint[])
    order by number for update of incidents
  `.execute(tx);
  return new Map(rows.map(toIncident).map((incident) => [incident.ordinal, incident]));
}

/** Numbers by ordinal. */
export async function findNumbers(
  tx: Tx,
  system: string,
  ordinals: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ordinals.length === 0) {
    return new Map();
  }
  const { rows } = await sql<{ ordinal: string; number: string }>`
    select ${ORDINAL} as ordinal, number from incidents
    where system = ${system} and ${ORDINAL} = any(${ordinals}::bigint[])
  `.execute(tx);
  return new Map(rows.map(({ ordinal, number }) => [Number(ordinal), Number(number)]));
}

/** Inserts incidents, with what a person declared, or updates what correlation knows of them, and a closing by correlation itself. */
export async function saveIncidents(tx: Tx, incidents: readonly Incident[]): Promise<void> {
  if (incidents.length === 0) {
    return;
  }
  await sql`
    ${prepared('save-incidents')}
    insert into incidents (id, number, system, ordinal, title, severity, root_service, services, signal_counts, correlation, opened_at,
      last_signal_at, signals_ended_at, updated_at, closed_at, resolution_note, previous_incident_id, similar_numbers,
      activity, active_since, impact, root_changes, merged_into, labels, links, trace_id, changes, integrations, sole_integration,
      recurrences, found, by_hand, declared_by, teachable)
    select id, number, system, ordinal, title, severity, root_service, services, signal_counts, correlation, opened_at,
      last_signal_at, signals_ended_at, updated_at, closed_at, resolution_note, previous_incident_id, similar_numbers,
      activity, active_since, impact, root_changes, merged_into, labels, links, trace_id, changes, integrations, sole_integration,
      recurrences, found, by_hand, declared_by, teachable
    from jsonb_populate_recordset(null::incidents, ${toStorableJson(incidents.map(toRow))}::jsonb)
    order by number
    on conflict (id) do update
    set title = excluded.title, severity = excluded.severity, root_service = excluded.root_service,
      services = excluded.services, signal_counts = excluded.signal_counts, correlation = excluded.correlation,
      last_signal_at = excluded.last_signal_at, signals_ended_at = excluded.signals_ended_at,
      updated_at = excluded.updated_at, closed_at = excluded.closed_at, resolution_note = excluded.resolution_note,
      previous_incident_id = excluded.previous_incident_id, similar_numbers = excluded.similar_numbers,
      activity = excluded.activity,
      active_since = excluded.active_since, impact = excluded.impact, root_changes = excluded.root_changes,
      merged_into = excluded.merged_into, labels = excluded.labels, links = excluded.links, trace_id = excluded.trace_id,
      changes = excluded.changes, integrations = excluded.integrations, sole_integration = excluded.sole_integration,
      recurrences = excluded.recurrences, found = excluded.found, teachable = excluded.teachable
  `.execute(tx);
}

function toRow(incident: Incident) {
  return {
    id: incident.id,
    number: incident.number,
    system: incident.system,
    ordinal: incident.ordinal,
    title: incident.title,
    severity: incident.severity,
    root_service: incident.rootService,
    services: incident.services,
    signal_counts: incident.signalCounts,
    correlation: incident.correlation,
    opened_at: incident.openedAt,
    last_signal_at: incident.lastSeenAt,
    signals_ended_at: incident.signalsEndedAt,
    updated_at: incident.updatedAt,
    closed_at: incident.closing?.at ?? null,
    resolution_note: incident.closing?.note ?? null,
    previous_incident_id: incident.previousIncidentId,
    similar_numbers: incident.similarNumbers,
    activity: incident.activity,
    active_since: incident.activeSince,
    impact: incident.impact,
    root_changes: incident.rootChanges,
    merged_into: incident.mergedInto,
    labels: incident.labels,
    links: incident.links,
    trace_id: incident.traceId,
    changes: incident.changes,
    integrations: incident.integrations,
    sole_integration: incident.soleIntegration,
    recurrences: incident.recurrences,
    found: incident.found,
    teachable: incident.teachable,
    by_hand: incident.byHand,
    declared_by: incident.declaredBy,
  };
}

/**
 * Signals with this fingerprint belong to the incident if they were seen or received since `seenSince` (telemetry may be
 * late), and if they began after `begunAfter` and until `begunBy`; null: whenever.
 */
export interface Membership {
  readonly fingerprint: string;
  readonly incidentId: string;
  readonly seenSince: Date;
  readonly begunAfter: Date | null;
  readonly begunBy: Date | null;
}

/** Assigns signals of the system that have no incident. @param memberships periods of one fingerprint do not overlap */
export async function assignSignals(tx: Tx, system: string, memberships: readonly Membership[]): Promise<void> {
  if (memberships.length === 0) {
    return;
  }
  const rows = memberships.map(({ fingerprint, incidentId, seenSince, begunAfter, begunBy }) => ({
    fingerprint,
    home: incidentId,
    since: seenSince,
    after: begunAfter,
    until: begunBy,
  }));
  await sql`
    update signals set incident_id = member.home
    from jsonb_to_recordset(${toStorableJson(rows)}::jsonb) as member(
      fingerprint text, home text, since timestamptz, after timestamptz, until timestamptz)
    where signals.fingerprint = member.fingerprint and greatest(last_seen_at, received_at) >= member.since
      and (member.after is null or observed_at > member.after) and (member.until is null or observed_at <= member.until)
      and signals.incident_id is null and coalesce(signals.system, ${MAIN_SYSTEM}) = ${system}
  `.execute(tx);
}

/** Evidence was split from one incident and is part of another now. Both are ids. */
export interface Split {
  readonly from: string;
  readonly to: string;
}

/** Moves the signals of evidence that was split from an incident. */
export async function moveSplit(tx: Tx, memberships: readonly Membership[], { from, to }: Split): Promise<void> {
  const rows = memberships
    .filter(({ incidentId }) => incidentId === to)
    .map(({ fingerprint, seenSince }) => ({ fingerprint, since: seenSince }));
  await sql`
    update signals set incident_id = ${to}
    from jsonb_to_recordset(${toStorableJson(rows)}::jsonb) as member(fingerprint text, since timestamptz)
    where signals.fingerprint = member.fingerprint and greatest(last_seen_at, received_at) >= member.since
      and signals.incident_id = ${from}
  `.execute(tx);
}

/** Reads incidents as they are stored, with their failures and mutes. */
export async function readStored(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, Incident>> {
  if (ids.length === 0) {
    return new Map();
  }
  const { rows } = await sql<IncidentRow>`
    ${prepared('read-stored')} ${selectIncidents} where id = any(${ids}::text[])
  `.execute(tx);
  return new Map(rows.map((row) => [row.id, toIncident(row)]));
}

/** Names of senders by `senderOf` of their keys. */
export async function findSenderNames(tx: Tx, senders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (senders.length === 0) {
    return new Map();
  }
  const { rows } = await sql<{ id: string; name: string }>`
    select id, coalesce(name, type) as name from integrations where id = any(${senders}::text[])
    union all select id, name from api_keys where id = any(${senders}::text[])
  `.execute(tx);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Ids of an incident that was merged, and of the one that it is part of now. No `to` is a `from` of another move. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Moves all signals of merged incidents, and remembers their origin for a later split. */
export async function moveSignals(tx: Tx, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) {
    return;
  }
  const from = moves.map((move) => move.from);
  await sql`
    update signals set incident_id = moved.target, split_to = coalesce(split_to, moved.origin)
    from unnest(${from}::text[], ${moves.map(({ to }) => to)}::text[]) as moved(origin, target)
    where incident_id = moved.origin and incident_id = any(${from}::text[])
  `.execute(tx);
}

/** Moves the signals back that an incident had before it was merged, and those of incidents merged into it. */
export async function moveSignalsBack(tx: Tx, from: string, to: string): Promise<void> {
  await sql`
    with recursive own(id) as (
      select ${to}::text union select incidents.id from incidents join own on merged_into = own.id
    )
    update signals set incident_id = ${to}, split_to = nullif(split_to, ${to})
    where incident_id = ${from} and split_to in (select id from own)
  `.execute(tx);
}

/** The incident that has the signals of a merged one: the end of the chain of merges. @returns its id */
export async function findHolder(tx: Tx, mergedInto: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with recursive chain(id, merged_into) as (
      select id, merged_into from incidents where id = ${mergedInto}
      union select incidents.id, incidents.merged_into from incidents join chain on incidents.id = chain.merged_into
    )
    select id from chain where merged_into is null
  `.execute(tx);
  return rows[0]?.id ?? mergedInto;
}

/**
 * Counts the signals of incidents again after signals were moved. Earlier failures are not added to any minute. The
 * severity stays: how bad a failure is, its signals alone do not tell.
 *
 * @param roots root service by incident id
 */
export async function recount(tx: Tx, roots: ReadonlyMap<string, string>): Promise<void> {
  const facts = await readFacts(
    tx,
    new Map([...roots].map(([id, service]) => [id, { service, since: null, caller: null }] as const)),
  );
  for (const [id, { signalCounts, signalsByService, occurrences, labels }] of facts) {
    await tx
      .updateTable('incidents')
      .set({
        signal_counts: JSON.stringify(signalCounts),
        services: [...new Set([roots.get(id) ?? '', ...signalsByService.keys()])].slice(0, MAX_SERVICES),
        failures: String(occurrences),
        labels: [...labels],
      })
      .where('id', '=', id)
      .execute();
  }
}
