import { max } from 'date-fns/max';
import { subDays } from 'date-fns/subDays';
import { subMilliseconds } from 'date-fns/subMilliseconds';
import { subSeconds } from 'date-fns/subSeconds';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { IncidentEventType } from '../../contract/events.ts';
import { addSightings } from '../core/fold.ts';
import { createId } from '../core/ids.ts';
import { countByType, MAX_SIGNALS_PER_INCIDENT } from '../core/incident.ts';
import type { ServiceCall, StoredSignal } from '../core/signal.ts';
import { correlate, DEFAULT_SETTINGS, type LiveIncident } from '../correlation/correlate.ts';
import { explainIncident } from '../correlation/explain.ts';
import { appendEvents } from '../store/event-store.ts';
import { toIncident } from '../store/incident-row.ts';
import { toStorableJson } from '../store/json.ts';
import { isWaiting } from '../store/signal-state.ts';
import { type SignalRow, toStoredSignal } from '../store/signal-store.ts';
import type { ServiceTables } from '../store/tables.ts';
import { writeSightings } from './write-signals.ts';

type Tx = Transaction<ServiceTables>;

/** How long a call between two services connects them. */
const CALL_MEMORY_DAYS = 7;

/** Signals correlated in one run, the longest waiting first. */
const MAX_WAITING_SIGNALS = 20_000;

/** An incident whose signals were seen again is explained again at most this often, and so many in one run. */
const EXPLAIN_AGAIN_SECONDS = 1;
const MAX_EXPLAINED_AGAIN = 50;

/** Whether `formIncidents` has anything to do. */
export async function hasWork(db: Kysely<ServiceTables>, now: Date): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from signals where ${isWaiting(now)})
      or exists (select from incidents where ${needsExplanation(now)}) as found
  `.execute(db);
  return rows[0]?.found ?? false;
}

/** Condition on an incident. */
function needsExplanation(now: Date): RawBuilder<boolean> {
  return sql<boolean>`stale and closed_at is null and updated_at <= ${subSeconds(now, EXPLAIN_AGAIN_SECONDS)}`;
}

/**
 * Correlates the waiting signals into incidents, and explains incidents again whose signals were seen again. Needs the
 * lock of `lockWriters`.
 *
 * @returns ids of the incidents that opened
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
  const growingIds = growing.map(({ id }) => id);
  await writeEvents(tx, openedIds, growingIds, now);
  return openedIds;
}

/** Must come last in the transaction: see `appendEvents`. */
async function writeEvents(tx: Tx, openedIds: readonly string[], updatedIds: readonly string[], now: Date) {
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
    select * from signals where ${isWaiting(now)} order by received_at, id limit ${MAX_WAITING_SIGNALS}
  `.execute(tx);
  return rows.map(toStoredSignal);
}

async function findStaleIncidents(tx: Tx, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from incidents where ${needsExplanation(now)} order by updated_at limit ${MAX_EXPLAINED_AGAIN}
  `.execute(tx);
  return rows.map(({ id }) => id);
}

async function findLiveIncidents(tx: Tx, now: Date): Promise<LiveIncident[]> {
  const cooldownStart = subMilliseconds(now, DEFAULT_SETTINGS.cooldownMs);
  const rows = await tx
    .selectFrom('incidents')
    .select(['id', 'opened_at', 'last_signal_at', 'closed_at', 'services', 'root_service'])
    .where((where) => where.or([where('closed_at', 'is', null), where('closed_at', '>', cooldownStart)]))
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

async function findMembers(tx: Tx, incidentId: string): Promise<StoredSignal[]> {
  const { rows } = await sql<SignalRow>`
    select * from signals where incident_id = ${incidentId} order by observed_at, id
  `.execute(tx);
  return rows.map(toStoredSignal);
}

/** A closed incident keeps its explanation; only its counts and times change. */
async function grow(
  tx: Tx,
  incident: LiveIncident,
  joining: readonly StoredSignal[],
  calls: readonly ServiceCall[],
  now: Date,
): Promise<void> {
  const members = await foldIntoMembers(tx, await findMembers(tx, incident.id), joining);
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

/**
 * Folds joining signals into equal members. There are some when a failure goes on after its incident was closed.
 *
 * @returns the members afterwards
 */
async function foldIntoMembers(
  tx: Tx,
  members: readonly StoredSignal[],
  joining: readonly StoredSignal[],
): Promise<StoredSignal[]> {
  const byFingerprint = new Map(members.map((member) => [member.fingerprint, member]));
  const equal = joining.filter(({ fingerprint }) => byFingerprint.has(fingerprint));
  const folded = new Map<string, StoredSignal>();
  for (const signal of equal) {
    const member = folded.get(signal.fingerprint) ?? byFingerprint.get(signal.fingerprint) ?? signal;
    folded.set(signal.fingerprint, { ...member, ...addSightings(member, signal) });
  }
  await writeSightings(tx, [...folded.values()]);
  await removeSignals(tx, equal);
  return members.map((member) => {
    const sum = folded.get(member.fingerprint);
    return sum?.id === member.id ? sum : member;
  });
}

async function removeSignals(tx: Tx, signals: readonly StoredSignal[]): Promise<void> {
  if (signals.length === 0) {
    return;
  }
  const { ids, moments } = keysOf(signals);
  await sql`
    delete from signals using unnest(${ids}::text[], ${moments}::timestamptz[]) as folded(id, observed_at)
    where signals.observed_at = folded.observed_at and signals.id = folded.id
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
  const { ids, moments } = keysOf(signals);
  await sql`
    update signals set incident_id = ${incidentId}
    from unnest(${ids}::text[], ${moments}::timestamptz[]) as member(id, observed_at)
    where signals.observed_at = member.observed_at and signals.id = member.id
  `.execute(tx);
}

/** The primary keys of signals, which also name their partitions. */
function keysOf(signals: readonly StoredSignal[]) {
  return { ids: signals.map(({ id }) => id), moments: signals.map(({ observedAt }) => observedAt) };
}

/** The most recently closed incident with one of these failures. */
async function findPreviousIncident(tx: Tx, signals: readonly StoredSignal[]): Promise<string | null> {
  const fingerprints = signals.map(({ fingerprint }) => fingerprint);
  const { rows } = await sql<{ id: string }>`
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
  const ends = signals.flatMap(({ endedAt }) => endedAt ?? []);
  return {
    services: [...new Set([rootService, ...signals.map(({ service }) => service)])],
    signal_counts: JSON.stringify(countByType(signals.map(({ type }) => type))),
    last_signal_at: max(signals.map(({ lastSeenAt }) => lastSeenAt)),
    signals_ended_at: signals.length === ends.length ? max(ends) : null,
  };
}
