import { addDays } from 'date-fns/addDays';
import { max } from 'date-fns/max';
import { subMinutes } from 'date-fns/subMinutes';
import { sql, type Transaction } from 'kysely';
import { createId } from '../core/ids.ts';
import type { ObservedSignal, ServiceCall } from '../core/signal.ts';
import { toStorableJson } from './json.ts';
import { WAITING_MINUTES } from './limits.ts';
import type { SignalRow } from './signal-store.ts';
import type { ServiceTables } from './tables.ts';

/** Equal observations of one write, as one. */
export interface FoldedSignal extends ObservedSignal {
  readonly lastSeenAt: Date;
}

/**
 * Folds equal observations; the earliest speaks for them. A time that cannot be (before 1970, more than a day ahead) is
 * taken to be `now`.
 */
export function foldSignals(observed: readonly ObservedSignal[], now: Date): FoldedSignal[] {
  const horizon = addDays(now, 1);
  const folded = new Map<string, FoldedSignal>();
  for (const raw of observed) {
    const observedAt = raw.observedAt.getTime() >= 0 && raw.observedAt <= horizon ? raw.observedAt : now;
    const signal = { ...raw, observedAt, lastSeenAt: observedAt };
    const equal = folded.get(raw.fingerprint);
    folded.set(raw.fingerprint, equal === undefined ? signal : foldTwo(equal, signal));
  }
  return [...folded.values()];
}

function foldTwo(one: FoldedSignal, other: FoldedSignal): FoldedSignal {
  const earliest = other.observedAt < one.observedAt ? other : one;
  return {
    ...earliest,
    lastSeenAt: max([one.lastSeenAt, other.lastSeenAt]),
    occurrences: one.occurrences + other.occurrences,
  };
}

/** Adds to the equal signals that are live (waiting, or in an open incident), and stores the rest. */
export async function appendSignals(
  tx: Transaction<ServiceTables>,
  signals: readonly FoldedSignal[],
  now: Date,
): Promise<void> {
  if (signals.length === 0) {
    return;
  }
  const known = await addToLiveSignals(tx, signals, now);
  const fresh = signals.filter(({ fingerprint }) => !known.has(fingerprint)).map((signal) => toRow(signal, now));
  await sql`
    insert into signals select * from jsonb_populate_recordset(null::signals, ${toStorableJson(fresh)}::jsonb)
  `.execute(tx);
}

/** The fingerprints that were live. */
async function addToLiveSignals(
  tx: Transaction<ServiceTables>,
  signals: readonly FoldedSignal[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const seen = signals.map(({ fingerprint, occurrences, lastSeenAt }, index) => ({
    index,
    fingerprint,
    occurrences,
    last_seen_at: lastSeenAt,
  }));
  const { rows } = await sql<{ index: number }>`
    with seen as (
      select * from jsonb_to_recordset(${toStorableJson(seen)}::jsonb)
        as seen(index integer, fingerprint text, occurrences bigint, last_seen_at timestamptz)
    ),
    live as (
      select distinct on (seen.fingerprint)
        seen.index, signals.id, signals.observed_at, seen.occurrences, seen.last_seen_at
      from seen
      join signals on signals.fingerprint = seen.fingerprint
      left join incidents on incidents.id = signals.incident_id
      where (signals.incident_id is null and signals.received_at > ${subMinutes(now, WAITING_MINUTES)})
        or (signals.incident_id is not null and incidents.closed_at is null)
      order by seen.fingerprint, incidents.id is not null desc, signals.observed_at desc
    ),
    added as (
      update signals
      set occurrences = signals.occurrences + live.occurrences,
        last_seen_at = greatest(signals.last_seen_at, live.last_seen_at),
        ended_at = case when live.last_seen_at > signals.ended_at then null else signals.ended_at end
      from live
      where signals.observed_at = live.observed_at and signals.id = live.id
      returning live.index, signals.incident_id, signals.last_seen_at
    ),
    touched as (
      update incidents
      set last_signal_at = greatest(incidents.last_signal_at, latest.at), stale = true
      from (select incident_id, max(last_seen_at) as at from added group by incident_id) as latest
      where incidents.id = latest.incident_id
    )
    select index from added
  `.execute(tx);
  const known = rows.map(({ index }) => signals[index]?.fingerprint ?? '');
  return new Set(known);
}

function toRow(signal: FoldedSignal, now: Date): SignalRow {
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
    ended_at: null,
  };
}

/** Adds up who called whom. */
export async function addCalls(
  tx: Transaction<ServiceTables>,
  calls: readonly ServiceCall[],
  now: Date,
): Promise<void> {
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
