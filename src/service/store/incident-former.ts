import { subDays } from 'date-fns/subDays';
import { subMinutes } from 'date-fns/subMinutes';
import { type Selectable, sql, type Transaction } from 'kysely';
import { createId } from '../core/ids.ts';
import { MAX_SIGNALS_PER_INCIDENT } from '../core/incident.ts';
import type { ServiceCall, StoredSignal } from '../core/signal.ts';
import { correlate, explainIncident } from '../correlation/correlate.ts';
import { toStorableJson } from './json.ts';
import { CALL_MEMORY_DAYS, COOLDOWN_MINUTES, MAX_WAITING_SIGNALS, WAITING_MINUTES } from './limits.ts';
import { type SignalRow, toStoredSignal } from './signal-store.ts';
import type { IncidentsTable, ServiceTables } from './tables.ts';

type Tx = Transaction<ServiceTables>;

/**
 * Puts the signals that wait into incidents, as the correlation says. The caller holds the writers' lock.
 *
 * @returns what happened, for the log
 */
export async function formIncidents(tx: Tx, now: Date): Promise<{ opened: string[]; joined: string[] }> {
  const waiting = await findWaitingSignals(tx, now);
  if (waiting.length === 0) {
    return { opened: [], joined: [] };
  }
  const [incidents, calls] = [await findLiveIncidents(tx, now), await findCalls(tx, now)];
  const { joined, opened } = correlate({ now, waiting, incidents, calls });
  const byId = new Map(waiting.map((signal) => [signal.id, signal]));
  const pick = (ids: readonly string[]) => ids.map((id) => byId.get(id)).filter((signal) => signal !== undefined);

  const joinedIds: string[] = [];
  for (const { incidentId, signalIds } of joined) {
    const before = await findSignalsOfIncident(tx, incidentId);
    const added = pick(signalIds).slice(0, Math.max(0, MAX_SIGNALS_PER_INCIDENT - before.length));
    if (added.length > 0) {
      await updateIncident(tx, incidentId, [...before, ...added], calls, now);
      await assign(tx, incidentId, added);
      joinedIds.push(incidentId);
    }
  }
  const openedIds: string[] = [];
  for (const { signalIds, previousIncidentId } of opened) {
    const signals = pick(signalIds).slice(0, MAX_SIGNALS_PER_INCIDENT);
    if (signals.length > 0) {
      const id = await insertIncident(tx, signals, calls, previousIncidentId, now);
      await assign(tx, id, signals);
      openedIds.push(id);
    }
  }
  return { opened: openedIds, joined: joinedIds };
}

async function findWaitingSignals(tx: Tx, now: Date): Promise<StoredSignal[]> {
  const { rows } = await sql<SignalRow>`
    select * from signals
    where incident_id is null and received_at > ${subMinutes(now, WAITING_MINUTES)}
    order by received_at, id limit ${MAX_WAITING_SIGNALS}
  `.execute(tx);
  return rows.map(toStoredSignal);
}

async function findLiveIncidents(tx: Tx, now: Date) {
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

async function assign(tx: Tx, incidentId: string, signals: readonly StoredSignal[]): Promise<void> {
  const ids = signals.map(({ id }) => id);
  const moments = signals.map(({ observedAt }) => observedAt);
  await sql`
    update signals set incident_id = ${incidentId}
    from unnest(${ids}::text[], ${moments}::timestamptz[]) as member(id, observed_at)
    where signals.observed_at = member.observed_at and signals.id = member.id
  `.execute(tx);
}

async function insertIncident(
  tx: Tx,
  signals: readonly StoredSignal[],
  calls: readonly ServiceCall[],
  previousIncidentId: string | null,
  now: Date,
): Promise<string> {
  const id = createId('inc', now);
  await tx
    .insertInto('incidents')
    .values({
      id,
      ...explain(signals, calls),
      ...countSignals(signals),
      opened_at: now,
      updated_at: now,
      previous_incident_id: previousIncidentId ?? (await findPreviousIncident(tx, signals)),
    })
    .execute();
  return id;
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

/** What a closed incident was found to be stays as it was when people closed it; only what arrived is counted. */
async function updateIncident(
  tx: Tx,
  id: string,
  signals: readonly StoredSignal[],
  calls: readonly ServiceCall[],
  now: Date,
): Promise<void> {
  await tx
    .updateTable('incidents')
    .set({ ...countSignals(signals), updated_at: now })
    .where('id', '=', id)
    .execute();
  await tx
    .updateTable('incidents')
    .set(explain(signals, calls))
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .execute();
}

function explain(signals: readonly StoredSignal[], calls: readonly ServiceCall[]) {
  const { title, severity, rootService, correlation } = explainIncident(signals, calls);
  return { title, severity, root_service: rootService, correlation: toStorableJson(correlation) };
}

function countSignals(signals: readonly StoredSignal[]) {
  const count = (type: StoredSignal['type']) => signals.filter((signal) => signal.type === type).length;
  return {
    services: [...new Set(signals.map(({ service }) => service))],
    trace_signals: count('trace'),
    metric_signals: count('metric'),
    log_signals: count('log'),
    last_signal_at: new Date(Math.max(...signals.map(({ lastSeenAt }) => lastSeenAt.getTime()))),
  };
}
