import { subMinutes } from 'date-fns/subMinutes';
import { sql, type Transaction } from 'kysely';
import type { SignalEnd } from '../core/signal.ts';
import { toStorableJson } from './json.ts';
import { WAITING_MINUTES } from './limits.ts';
import type { ServiceTables } from './tables.ts';

/**
 * Notes that live signals (waiting, or in an open incident) have ended, unless they were seen later than that. Their
 * incidents stay open, and are explained anew.
 */
export async function endSignals(tx: Transaction<ServiceTables>, ends: readonly SignalEnd[], now: Date): Promise<void> {
  if (ends.length === 0) {
    return;
  }
  const over = ends.map(({ fingerprint, endedAt }) => ({ fingerprint, ended_at: endedAt }));
  await sql`
    with over as (
      select fingerprint, max(ended_at) as ended_at
      from jsonb_to_recordset(${toStorableJson(over)}::jsonb) as over(fingerprint text, ended_at timestamptz)
      group by fingerprint
    ),
    ended as (
      update signals
      set ended_at = over.ended_at
      from over
      where signals.fingerprint = over.fingerprint
        and signals.ended_at is null
        and signals.last_seen_at <= over.ended_at
        and (
          (signals.incident_id is null and signals.received_at > ${subMinutes(now, WAITING_MINUTES)})
          or exists (select from incidents where incidents.id = signals.incident_id and closed_at is null)
        )
      returning signals.incident_id
    )
    update incidents set stale = true where id in (select incident_id from ended)
  `.execute(tx);
}
