import { type RawBuilder, sql, type Transaction } from 'kysely';
import { subMilliseconds, subMinutes } from '../../../runtime/dates.ts';
import { GAP_MS } from '../../engine/constants.ts';
import { COOLDOWN_MS } from '../../engine/grouping/constants.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** What all writers of signals share: their lock, and the conditions under which a signal can still change. */

/** How long after its arrival a signal may still get an incident. */
const WAITING_MINUTES = 5;

/** An arbitrary number that identifies the lock among all users of the database. */
const WRITERS_LOCK = 7_405_516_002;

/** Selects one row once no other transaction has the lock, and holds it until this transaction ends. */
export const WRITERS_LOCKED = sql`select pg_advisory_xact_lock(${sql.lit(WRITERS_LOCK)}::bigint)`;

/** Keeps other processes from writing signals and forming incidents until the transaction ends. */
export async function lockWriters(tx: Transaction<ServiceTables>): Promise<void> {
  await WRITERS_LOCKED.execute(tx);
}

/** Condition on a signal: it has no incident but may still get one. */
export function isWaiting(now: Date): RawBuilder<boolean> {
  return sql<boolean>`(incident_id is null and received_at > ${subMinutes(now, WAITING_MINUTES)})`;
}

/**
 * 20 s shorter than the gap and cooldown after which correlation puts a signal into another incident. Correlation sees
 * a signal some seconds after it was stored, and must not open an incident for one that was folded into another.
 */
const FOLD_GAP_MS = GAP_MS - 20_000;
const FOLD_GAP = sql`${FOLD_GAP_MS} * interval '1 millisecond'`;
const FOLD_COOLDOWN_MS = COOLDOWN_MS - 20_000;

/** An alert folds as long as its incident is open, so that it never opens another beside it. */
const IS_ALERT = sql`signals.detail @> '{"type": "alert"}'`;
/** Condition on a signal: it is an alert that goes on, as its sender would tell its end. */
export const IS_FIRING = sql<boolean>`(signals.ended_at is null and signals.detail @> '{"reportsEnd": true}')`;

/**
 * Condition on a signal: an equal one folds into it. It is waiting, it is an alert of an open incident, or its incident
 * has lately had signals or was lately closed while it failed.
 */
export function isLive(now: Date): RawBuilder<boolean> {
  return sql<boolean>`(
    ${isWaiting(now)} or exists (
      select from incidents
      where incidents.id = incident_id
        and (
          (
            closed_at > ${subMilliseconds(now, FOLD_COOLDOWN_MS)} and last_signal_at > closed_at - ${FOLD_GAP}
            and activity = 'failing'
            and (not ${IS_ALERT} or ${IS_FIRING} or last_signal_at > ${subMilliseconds(now, FOLD_GAP_MS)})
          )
          or (closed_at is null and (${IS_ALERT} or last_signal_at > ${subMilliseconds(now, FOLD_GAP_MS)}))
        )
    )
  )`;
}
