import { max } from 'date-fns/max';
import { subDays } from 'date-fns/subDays';
import { subMinutes } from 'date-fns/subMinutes';
import { subSeconds } from 'date-fns/subSeconds';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { IncidentEventType } from '../../contract/events.ts';
import { createId } from '../core/ids.ts';
import { MAX_SIGNALS_PER_INCIDENT } from '../core/incident.ts';
import type { ServiceCall, StoredSignal } from '../core/signal.ts';
import { correlate, explainIncident, type LiveIncident } from '../correlation/correlate.ts';
import { appendEvents } from './event-store.ts';
import { toIncident } from './incident-row.ts';
import { toStorableJson } from './json.ts';
import {
  CALL_MEMORY_DAYS,
  COOLDOWN_MINUTES,
  EXPLAIN_AGAIN_SECONDS,
  MAX_EXPLAINED_AGAIN,
  MAX_WAITING_SIGNALS,
  WAITING_MINUTES,
} from './limits.ts';
import { type SignalRow, toStoredSignal } from './signal-store.ts';
import type { IncidentsTable, ServiceTables } from './tables.ts';

type Tx = Transaction<ServiceTables>;

/** Whether `formIncidents` would find something to look at. */
export async function isAnythingWaiting(db: Kysely<ServiceTables>, now: Date): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from signals where ${isWaiting(now)}) or exists (select from incidents where ${isDue(now)})
      as waits
  `.execute(db);
  return rows[0]?.waits ?? false;
}

function isWaiting(now: Date) {
  return sql`incident_id is null and received_at > ${subMinutes(now, WAITING_MINUTES)}`;
}

function isDue(now: Date) {
  return sql`stale and closed_at is null and updated_at <= ${subSeconds(now, EXPLAIN_AGAIN_SECONDS)}`;
}

/**
 * Puts the signals that wait into incidents, as the correlation says, and explains anew the incidents whose signals
 * were seen again. The caller holds the writers' lock.
 *
 * @returns the ids of the incidents that opened
 */
export async function formIncidents(tx: Tx, now: Date): Promise<string[]> {
  const waiting = await findWaitingSignals(tx, now);
  const stale = await findStaleIncidents(tx, now);
  if (waiting.length === 0 && stale.length === 0) {
    return [];
  }
  const incidents = await findLiveIncidents(tx, now);
  const calls = await findCalls(tx, now);
  const { joined, opened } = correlate({ now, waiting, incidents, calls });
  const byId = new Map(waiting.map((signal) => [signal.id, signal]));
  const pick = (ids: readonly string[]) => ids.map((id) => byId.get(id)).filter((signal) => signal !== undefined);

  const joining = new Map(joined.map(({ incidentId, signalIds }) => [incidentId, pick(signalIds)]));
  const growing = incidents.filter(({ id }) => joining.has(id) || stale.includes(id));
  for (const incident of growing) {
    await grow(tx, incident, joining.get(incident.id) ?? [], calls, now);
  }
  const openedIds: string[] = [];
  for (const { signalIds, previousIncidentId } of opened) {
    openedIds.push(await openIncident(tx, pick(signalIds), previousIncidentId, calls, now));
  }
  await tellOf(
    tx,
    openedIds,
    growing.map(({ id }) => id),
    now,
  );
  return openedIds;
}

/** Comes last in the transaction: see `appendEvents`. */
async function tellOf(tx: Tx, openedIds: readonly string[], updatedIds: readonly string[], now: Date): Promise<void> {
  const ids = [...openedIds, ...updatedIds];
  if (ids.length === 0) {
    return;
  }
  const rows = await tx.selectFrom('incidents').selectAll().where('id', 'in', ids).orderBy('number').execute();
  const changes = rows.map((row) => {
    const type: IncidentEventType = openedIds.includes(row.id) ? 'incident.opened' : 'incident.updated';
    return { type, incident: toIncident(row) };
  });
  await appendEvents(tx, changes, now);
}

async function findWaitingSignals(tx: Tx, now: Date): Promise<StoredSignal[]> {
  const { rows } = await sql<SignalRow>`
    select * from signals
    where ${isWaiting(now)}
    order by received_at, id limit ${MAX_WAITING_SIGNALS}
  `.execute(tx);
  return rows.map(toStoredSignal);
}

async function findStaleIncidents(tx: Tx, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from incidents where ${isDue(now)} order by updated_at limit ${MAX_EXPLAINED_AGAIN}
  `.execute(tx);
  return rows.map(({ id }) => id);
}

async function findLiveIncidents(tx: Tx, now: Date): Promise<LiveIncident[]> {
  const rows = await tx
    .selectFrom('incidents')
    .select(['id', 'opened_at', 'last_signal_at', 'closed_at', 'services', 'root_service'])
    .where((where) =>
      where.or([where('closed_at', 'is', null), where('closed_at', '>', subMinutes(now, COOLDOWN_MINUTES))]),
    )
    .orderBy('opened_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    openedAt: row.opened_at,
    lastSignalAt: row.last_signal_at,
    closedAt: row.closed_at,
    services: row.services,
    rootService: row.root_service,
  }));
}

async function findCalls(tx: Tx, now: Date): Promise<ServiceCall[]> {
  const rows = await tx
    .selectFrom('service_calls')
    .select(['from_service', 'to_service', 'calls', 'errors'])
    .where('last_seen_at', '>', subDays(now, CALL_MEMORY_DAYS))
    .execute();
  return rows.map((row) => ({
    from: row.from_service,
    to: row.to_service,
    calls: Number(row.calls),
    errors: Number(row.errors),
  }));
}

async function findSignalsOfIncident(tx: Tx, incidentId: string): Promise<StoredSignal[]> {
  const { rows } = await sql<SignalRow>`
    select * from signals where incident_id = ${incidentId} order by observed_at, id
  `.execute(tx);
  return rows.map(toStoredSignal);
}

/** What a closed incident was found to be stays as it was when people closed it; only what arrived is counted. */
async function grow(
  tx: Tx,
  incident: LiveIncident,
  joining: readonly StoredSignal[],
  calls: readonly ServiceCall[],
  now: Date,
): Promise<void> {
  await foldIntoMembers(tx, incident.id, joining);
  const members = await findSignalsOfIncident(tx, incident.id);
  const known = new Set(members.map(({ fingerprint }) => fingerprint));
  const room = Math.max(0, MAX_SIGNALS_PER_INCIDENT - members.length);
  const added = joining.filter(({ fingerprint }) => !known.has(fingerprint)).slice(0, room);
  const signals = [...members, ...added];
  const explanation = incident.closedAt === null ? explain(signals, calls) : { root_service: incident.rootService };
  await tx
    .updateTable('incidents')
    .set({ ...explanation, ...summarize(signals, explanation.root_service), stale: false, updated_at: now })
    .where('id', '=', incident.id)
    .execute();
  await assign(tx, incident.id, added);
}

/** A failure that goes on after its incident was closed: what equals a signal of the incident is added to it. */
async function foldIntoMembers(tx: Tx, incidentId: string, joining: readonly StoredSignal[]): Promise<void> {
  const ids = joining.map(({ id }) => id);
  const moments = joining.map(({ observedAt }) => observedAt);
  await sql`
    with equal as (
      select member.id as member_id, member.observed_at as member_at, joining.id, joining.observed_at,
        joining.occurrences, joining.last_seen_at, joining.ended_at
      from unnest(${ids}::text[], ${moments}::timestamptz[]) as named(id, observed_at)
      join signals as joining on joining.observed_at = named.observed_at and joining.id = named.id
      join signals as member on member.fingerprint = joining.fingerprint and member.incident_id = ${incidentId}
    ),
    folded as (
      update signals
      set occurrences = signals.occurrences + equal.occurrences,
        last_seen_at = greatest(signals.last_seen_at, equal.last_seen_at),
        ended_at = equal.ended_at
      from equal
      where signals.observed_at = equal.member_at and signals.id = equal.member_id
    )
    delete from signals using equal where signals.observed_at = equal.observed_at and signals.id = equal.id
  `.execute(tx);
}

async function openIncident(
  tx: Tx,
  candidates: readonly StoredSignal[],
  previousIncidentId: string | null,
  calls: readonly ServiceCall[],
  now: Date,
): Promise<string> {
  const signals = candidates.slice(0, MAX_SIGNALS_PER_INCIDENT);
  const explanation = explain(signals, calls);
  const { id } = await tx
    .insertInto('incidents')
    .values({
      id: createId('inc', now),
      ...explanation,
      ...summarize(signals, explanation.root_service),
      opened_at: now,
      updated_at: now,
      previous_incident_id: previousIncidentId ?? (await findPreviousIncident(tx, signals)),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await assign(tx, id, signals);
  return id;
}

async function assign(tx: Tx, incidentId: string, signals: readonly StoredSignal[]): Promise<void> {
  const ids = signals.map(({ id }) => id);
  const moments = signals.map(({ observedAt }) => observedAt);
  await sql`
    update signals set incident_id = ${incidentId}
    from unnest(${ids}::text[], ${moments}::timestamptz[]) as member(id, observed_at)
    where signals.observed_at = member.observed_at and signals.id = member.id
  `.execute(tx);
}

/** The incident of the same failure that was closed last. */
async function findPreviousIncident(tx: Tx, signals: readonly StoredSignal[]): Promise<string | null> {
  const fingerprints = signals.map(({ fingerprint }) => fingerprint);
  const { rows } = await sql<Pick<Selectable<IncidentsTable>, 'id'>>`
    select incidents.id from signals join incidents on incidents.id = signals.incident_id
    where signals.fingerprint = any(${fingerprints}::text[]) and incidents.closed_at is not null
    order by incidents.closed_at desc limit 1
  `.execute(tx);
  return rows[0]?.id ?? null;
}

function explain(signals: readonly StoredSignal[], calls: readonly ServiceCall[]) {
  const { title, severity, rootService, correlation } = explainIncident(signals, calls);
  return { title, severity, root_service: rootService, correlation: toStorableJson(correlation) };
}

function summarize(signals: readonly StoredSignal[], rootService: string) {
  const count = (type: StoredSignal['type']) => signals.filter((signal) => signal.type === type).length;
  const ends = signals.flatMap(({ endedAt }) => endedAt ?? []);
  return {
    services: [...new Set([rootService, ...signals.map(({ service }) => service)])],
    trace_signals: count('trace'),
    metric_signals: count('metric'),
    log_signals: count('log'),
    last_signal_at: max(signals.map(({ lastSeenAt }) => lastSeenAt)),
    signals_ended_at: signals.length === ends.length ? max(ends) : null,
  };
}
