import { sql, type Transaction } from 'kysely';
import { MAIN_SYSTEM } from '../../../contract/system.ts';
import { addDays, max } from '../../../runtime/dates.ts';
import { addSightings, foldKeyOf } from '../../core/fold.ts';
import { createId } from '../../core/ids.ts';
import { labelsOf } from '../../core/incident-labels.ts';
import type { ObservedSignal, Sightings, SignalEnd, StoredSignal } from '../../core/signal.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';
import { isLive } from '../shared/signal-state.ts';
import type { SignalRow } from './signal-store.ts';

/** All functions need the lock of `lockWriters`. */

type Tx = Transaction<ServiceTables>;

/** Replaces an impossible time (before 1970, or more than a day ahead) by `now`. */
export function withPossibleTime(signal: ObservedSignal, now: Date): ObservedSignal {
  const isPossible = signal.observedAt.getTime() >= 0 && signal.observedAt <= addDays(now, 1);
  return isPossible ? signal : { ...signal, observedAt: now, lastSeenAt: now };
}

/**
 * Folds signals into equal live ones and stores the others.
 *
 * @param signals already folded among themselves
 * @returns the live signals, by `foldKeyOf`
 */
export async function writeSignals(
  tx: Tx,
  signals: readonly ObservedSignal[],
  now: Date,
): Promise<ReadonlyMap<string, Pick<StoredSignal, 'incidentId' | 'service' | 'detail'>>> {
  if (signals.length === 0) {
    return new Map();
  }
  const live = await findLiveSignals(tx, signals, now);
  const seenAgain = signals.flatMap((signal) => {
    const known = live.get(foldKeyOf(signal));
    return known === undefined ? [] : [{ ...known, ...addSightings(known, signal) }];
  });
  await writeSightings(tx, seenAgain);
  const fresh = signals.filter((signal) => !live.has(foldKeyOf(signal))).map((signal) => toRow(signal, now));
  if (fresh.length > 0) {
    await sql`
      insert into signals select * from jsonb_populate_recordset(null::signals, ${toStorableJson(fresh)}::jsonb)
    `.execute(tx);
  }
  return live;
}

/** The fields of a stored signal that folding needs. */
type LiveSignal = Sightings &
  Pick<StoredSignal, 'id' | 'observedAt' | 'fingerprint' | 'incidentId' | 'service' | 'detail'> & {
    readonly system: string;
  };

/** Finds live signals by `foldKeyOf`. Prefers signals with an incident, then the newest. */
async function findLiveSignals(
  tx: Tx,
  signals: readonly ObservedSignal[],
  now: Date,
): Promise<ReadonlyMap<string, LiveSignal>> {
  const fingerprints = signals.map(({ fingerprint }) => fingerprint);
  const systems = signals.map(({ system = MAIN_SYSTEM }) => system);
  const { rows } = await sql<Omit<LiveSignal, 'occurrences'> & { occurrences: string }>`
    select distinct on (fingerprint, seen.system) id, observed_at as "observedAt", fingerprint, incident_id as "incidentId", seen.system,
      service, detail, occurrences, last_seen_at as "lastSeenAt", ended_at as "endedAt"
    from unnest(${fingerprints}::text[], ${systems}::text[]) as seen(fingerprint, system) join signals using (fingerprint)
    where coalesce(signals.system, ${MAIN_SYSTEM}) = seen.system and ${isLive(now)}
    order by fingerprint, seen.system, incident_id is not null desc, observed_at desc
  `.execute(tx);
  return new Map(rows.map((row) => [foldKeyOf(row), { ...row, occurrences: Number(row.occurrences) }]));
}

async function writeSightings(
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

/** What became of reported ends. */
export interface Ended {
  /** Fingerprints of ends of which no signal was ever seen. */
  readonly unseen: ReadonlySet<string>;
  /** Systems of the signals that were open, by fingerprint: an integration may have moved to another one since. */
  readonly systems: ReadonlyMap<string, readonly string[]>;
}

/**
 * Marks live signals as ended, in whatever system they are, unless they were seen after the reported end. Their incidents stay
 * open.
 */
export async function endSignals(tx: Tx, ends: readonly SignalEnd[], now: Date): Promise<Ended> {
  if (ends.length === 0) {
    return { unseen: new Set(), systems: new Map() };
  }
  // Correlation may be giving a signal its incident. Once the row is locked, the next statement sees that incident too.
  // Each fingerprint by its index: without statistics, as in a new partition, a join would read all signals.
  const fingerprints = [...new Set(ends.map(({ fingerprint }) => fingerprint))];
  const { rows: open } = await sql<Pick<SignalRow, 'id' | 'observed_at' | 'fingerprint' | 'system'>>`
    select open.* from unnest(${fingerprints}::text[]) as reported(fingerprint)
      cross join lateral (
        select id, observed_at, fingerprint, system from signals
        where signals.fingerprint = reported.fingerprint and ended_at is null
        for update
      ) as open`.execute(tx);
  const ending = new Set(open.map(({ fingerprint }) => fingerprint));
  const unseen = await findUnseen(
    tx,
    fingerprints.filter((each) => !ending.has(each)),
  );
  if (open.length === 0) {
    return { unseen, systems: new Map() };
  }
  const reported = Object.groupBy(ends, ({ fingerprint }) => fingerprint);
  const rows = open.map(({ id, observed_at, fingerprint }) => ({
    id,
    observed_at,
    ended_at: max((reported[fingerprint] ?? []).map(({ endedAt }) => endedAt)),
  }));
  await sql`
    update signals
    set ended_at = reported.ended_at
    from jsonb_to_recordset(${toStorableJson(rows)}::jsonb) as reported(
      id text, observed_at timestamptz, ended_at timestamptz)
    where signals.observed_at = reported.observed_at and signals.id = reported.id
      and signals.last_seen_at <= reported.ended_at
      and ${isLive(now)}
  `.execute(tx);
  const systems = Map.groupBy(open, ({ fingerprint }) => fingerprint);
  return {
    unseen,
    systems: new Map([...systems].map(([key, rows]) => [key, rows.map(({ system }) => system ?? MAIN_SYSTEM)])),
  };
}

async function findUnseen(tx: Tx, fingerprints: readonly string[]): Promise<ReadonlySet<string>> {
  if (fingerprints.length === 0) {
    return new Set();
  }
  const { rows } = await sql<{ fingerprint: string }>`
    select fingerprint from unnest(${fingerprints}::text[]) as reported(fingerprint)
    where not exists (select from signals where signals.fingerprint = reported.fingerprint)`.execute(tx);
  return new Set(rows.map(({ fingerprint }) => fingerprint));
}

function toRow(signal: ObservedSignal, now: Date): SignalRow {
  const labels = labelsOf(signal);
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
    sender: signal.sender ?? null,
    labels: labels.length === 0 ? null : labels,
    links: [...(signal.links ?? [])],
    split_to: null,
    system: signal.system === undefined || signal.system === MAIN_SYSTEM ? null : signal.system,
  };
}
