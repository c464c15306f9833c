import { addDays } from 'date-fns/addDays';
import { max } from 'date-fns/max';
import { sql, type Transaction } from 'kysely';
import { addSightings } from '../core/fold.ts';
import { createId } from '../core/ids.ts';
import type { ObservedSignal, ServiceCall, Sightings, SignalEnd, StoredSignal } from '../core/signal.ts';
import { toStorableJson } from '../store/json.ts';
import { isLive } from '../store/signal-state.ts';
import type { SignalRow } from '../store/signal-store.ts';
import type { ServiceTables } from '../store/tables.ts';

/** SQL of the intake. All functions need the lock of `lockWriters`. */

type Tx = Transaction<ServiceTables>;

/** Replaces an impossible time (before 1970, or more than a day ahead) by `now`. */
export function withPossibleTime(signal: ObservedSignal, now: Date): ObservedSignal {
  const isPossible = signal.observedAt.getTime() >= 0 && signal.observedAt <= addDays(now, 1);
  return isPossible ? signal : { ...signal, observedAt: now, lastSeenAt: now };
}

/** Folds signals into equal live ones and stores the others. @param signals folded */
export async function writeSignals(tx: Tx, signals: readonly ObservedSignal[], now: Date): Promise<void> {
  if (signals.length === 0) {
    return;
  }
  const live = await findLiveSignals(tx, signals, now);
  const seenAgain = signals.flatMap((signal) => {
    const known = live.get(signal.fingerprint);
    return known === undefined ? [] : [{ ...known, ...addSightings(known, signal) }];
  });
  await writeSightings(tx, seenAgain);
  await touchIncidents(tx, seenAgain);
  const fresh = signals.filter(({ fingerprint }) => !live.has(fingerprint)).map((signal) => toRow(signal, now));
  if (fresh.length > 0) {
    await sql`
      insert into signals select * from jsonb_populate_recordset(null::signals, ${toStorableJson(fresh)}::jsonb)
    `.execute(tx);
  }
}

/** What is needed to fold into a stored signal. */
type LiveSignal = Sightings & Pick<StoredSignal, 'id' | 'observedAt' | 'fingerprint' | 'incidentId'>;

/** By fingerprint. A signal in an incident is preferred, then the newest. */
async function findLiveSignals(
  tx: Tx,
  signals: readonly ObservedSignal[],
  now: Date,
): Promise<ReadonlyMap<string, LiveSignal>> {
  const fingerprints = signals.map(({ fingerprint }) => fingerprint);
  const { rows } = await sql<Omit<LiveSignal, 'occurrences'> & { occurrences: string }>`
    select distinct on (fingerprint) id, observed_at as "observedAt", fingerprint, incident_id as "incidentId",
      occurrences, last_seen_at as "lastSeenAt", ended_at as "endedAt"
    from unnest(${fingerprints}::text[]) as seen(fingerprint) join signals using (fingerprint)
    where ${isLive(now)}
    order by fingerprint, incident_id is not null desc, observed_at desc
  `.execute(tx);
  return new Map(rows.map((row) => [row.fingerprint, { ...row, occurrences: Number(row.occurrences) }]));
}

/** Stores the sightings of signals that were folded. */
export async function writeSightings(
  tx: Tx,
  signals: readonly (Sightings & Pick<StoredSignal, 'id' | 'observedAt'>)[],
): Promise<void> {
  if (signals.length === 0) {
    return;
  }
  const rows = signals.map(({ id, observedAt, occurrences, lastSeenAt, endedAt }) => ({
    id,
    observed_at: observedAt,
    occurrences,
    last_seen_at: lastSeenAt,
    ended_at: endedAt,
  }));
  await sql`
    update signals
    set occurrences = folded.occurrences, last_seen_at = folded.last_seen_at, ended_at = folded.ended_at
    from jsonb_to_recordset(${toStorableJson(rows)}::jsonb) as folded(
      id text, observed_at timestamptz, occurrences bigint, last_seen_at timestamptz, ended_at timestamptz)
    where signals.observed_at = folded.observed_at and signals.id = folded.id
  `.execute(tx);
}

async function touchIncidents(tx: Tx, signals: readonly LiveSignal[]): Promise<void> {
  const byIncident = Map.groupBy(signals, ({ incidentId }) => incidentId);
  const touched = [...byIncident].flatMap(([id, members]) =>
    id === null ? [] : [{ id, last_seen_at: max(members.map(({ lastSeenAt }) => lastSeenAt)) }],
  );
  if (touched.length === 0) {
    return;
  }
  await sql`
    update incidents
    set last_signal_at = greatest(last_signal_at, touched.last_seen_at), stale = true
    from jsonb_to_recordset(${toStorableJson(touched)}::jsonb) as touched(id text, last_seen_at timestamptz)
    where incidents.id = touched.id
  `.execute(tx);
}

/**
 * Marks live signals as ended, unless they were seen after the reported end. Their incidents stay open and are explained
 * again.
 */
export async function endSignals(tx: Tx, ends: readonly SignalEnd[], now: Date): Promise<void> {
  if (ends.length === 0) {
    return;
  }
  const reported = ends.map(({ fingerprint, endedAt }) => ({ fingerprint, ended_at: endedAt }));
  await sql`
    with reported as (
      select fingerprint, max(ended_at) as ended_at
      from jsonb_to_recordset(${toStorableJson(reported)}::jsonb) as reported(fingerprint text, ended_at timestamptz)
      group by fingerprint
    ),
    ended as (
      update signals
      set ended_at = reported.ended_at
      from reported
      where signals.fingerprint = reported.fingerprint
        and signals.ended_at is null
        and signals.last_seen_at <= reported.ended_at
        and ${isLive(now)}
      returning signals.incident_id
    )
    update incidents set stale = true where id in (select incident_id from ended)
  `.execute(tx);
}

/** Adds calls between services to the graph. */
export async function writeCalls(tx: Tx, calls: readonly ServiceCall[], now: Date): Promise<void> {
  if (calls.length === 0) {
    return;
  }
  await sql`
    insert into service_calls (from_service, to_service, calls, errors, last_seen_at)
    select "from", "to", sum(calls), sum(errors), ${now}::timestamptz
    from jsonb_to_recordset(${toStorableJson(calls)}::jsonb) as seen("from" text, "to" text, calls bigint, errors bigint)
    group by "from", "to"
    on conflict (from_service, to_service) do update
    set calls = service_calls.calls + excluded.calls,
      errors = service_calls.errors + excluded.errors,
      last_seen_at = excluded.last_seen_at
  `.execute(tx);
}

function toRow(signal: ObservedSignal, now: Date): SignalRow {
  return {
    id: createId('sig', signal.observedAt),
    observed_at: signal.observedAt,
    received_at: now,
    last_seen_at: signal.lastSeenAt,
    type: signal.type,
    service: signal.service,
    summary: signal.summary,
    severity: signal.severity,
    fingerprint: signal.fingerprint,
    occurrences: String(signal.occurrences),
    incident_id: null,
    trace_id: signal.traceId,
    span_id: signal.spanId,
    attributes: signal.attributes,
    source: signal.source,
    detail: signal.detail,
    ended_at: signal.endedAt,
  };
}
