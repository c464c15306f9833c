import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { IncidentId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import type { PastFix } from './incident.ts';

/** Resolution notes of closed incidents. */
export interface PastFixes {
  /** The latest notes of other incidents with the same root service, newest first, without repetitions. */
  last(rootService: string, options: { readonly except: string; readonly limit: number }): Promise<PastFix[]>;
  /** The resolution note of an incident; null: none. */
  find(incidentId: IncidentId): Promise<string | null>;
}

const NOTE = sql<string | null>`incident->>'resolution_note'`;

export function createPastFixes(db: Kysely<Tables>): PastFixes {
  return {
    async last(rootService, { except, limit }) {
      const { rows } = await lastFixes(sql`${rootService}`, except, limit).execute(db);
      return rows;
    },

    async find(incidentId) {
      const row = await db
        .selectFrom('incidents')
        .select(NOTE.as('note'))
        .where('incident_id', '=', incidentId)
        .executeTakeFirst();
      return row?.note ?? null;
    },
  };
}

/** @param rootService an expression */
export function lastFixes(rootService: RawBuilder<unknown>, except: string, limit: number): RawBuilder<PastFix> {
  return sql<PastFix>`
    select * from (
      select distinct on (${NOTE}) incident_id as "incidentId", ${NOTE} as note,
        incident->>'resolved_by' as by, closed_at as "closedAt"
      from incidents
      where closed_at is not null and root_service = ${rootService} and incident_id <> ${except}
        and coalesce(${NOTE}, '') <> '' and incident->>'merged_into' is null
      order by ${NOTE}, closed_at desc) as each_once
    order by "closedAt" desc, "incidentId"
    limit ${limit}`;
}
