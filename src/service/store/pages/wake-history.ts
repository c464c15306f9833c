import { type Kysely, sql, type Transaction } from 'kysely';
import { prepared } from '../../../database/prepared.ts';
import type { Incident } from '../../core/incident.ts';
import type { WakeFacts } from '../../on-call/waking/policy.ts';
import type { IncidentHistory } from '../../on-call/waking/simulate.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';

/** How long what waking saw is kept. */
export const HISTORY_DAYS = 90;

/** Stores what waking sees of incidents, where it differs from what it saw last. */
export async function keepFacts(
  tx: Transaction<ServiceTables>,
  seen: readonly { readonly incident: Pick<Incident, 'id'>; readonly facts: WakeFacts }[],
  at: Date,
): Promise<void> {
  await sql`
    ${prepared('keep-wake-facts')}
    insert into wake_history (incident_id, at, facts)
    select seen.id, ${at}, seen.facts
    from jsonb_to_recordset(${toStorableJson(seen.map(({ incident: { id }, facts }) => ({ id, facts })))}::jsonb)
      as seen(id text, facts jsonb)
    where seen.facts is distinct from (
      select facts from wake_history where incident_id = seen.id order by sequence desc limit 1)
  `.execute(tx);
}

export interface StoredHistory extends IncidentHistory {
  /** Requests that were lost; null: none is known to be. */
  readonly lost: number | null;
}

/**
 * What waking saw of the incidents that opened since a time, the last to open first.
 *
 * @param most incidents
 */
export async function readHistories(db: Kysely<ServiceTables>, since: Date, most: number): Promise<StoredHistory[]> {
  const { rows } = await sql<{
    id: string;
    number: string;
    openedAt: Date;
    lost: string | null;
    states: { readonly at: string; readonly facts: WakeFacts }[];
  }>`
    select id, number, opened_at as "openedAt", correlation->'harm'->>'failed' as lost,
      (
        select coalesce(jsonb_agg(jsonb_build_object('at', at, 'facts', facts) order by sequence), '[]')
        from wake_history where incident_id = incidents.id
      ) as states
    from incidents where opened_at >= ${since} order by opened_at desc, id desc limit ${most}
  `.execute(db);
  return rows.map(({ id, number, openedAt, lost, states }) => ({
    id,
    number: Number(number),
    openedAt,
    lost: lost === null ? null : Number(lost),
    states: states.map(({ at, facts }) => ({ at: new Date(at), facts })),
  }));
}
