import { type Kysely, sql } from 'kysely';
import type { PastFix } from '../views/resolve-modal.ts';
import type { Tables } from './tables.ts';

/** What people wrote when they closed incidents: the memory of how things were fixed. */
export interface PastFixes {
  /** The last notes on other incidents of the root service, newest first, each text once. */
  last(rootService: string, options: { readonly except: string; readonly limit: number }): Promise<PastFix[]>;
  /** The note that an incident was closed with; null: none is known. */
  find(incidentId: string): Promise<string | null>;
}

/** What the service shows wins over what it confirmed to us. */
const NOTE = sql<string | null>`coalesce(snapshot->>'resolution_note', resolution_note)`;
const CLOSED_AT = sql<Date>`coalesce((snapshot->>'closed_at')::timestamptz, closed_at, as_of)`;

export function createPastFixes(db: Kysely<Tables>): PastFixes {
  return {
    async last(rootService, { except, limit }) {
      const { rows } = await sql<{ incident_id: string; note: string; by: string | null; closed_at: Date }>`
        select * from (
          select distinct on (${NOTE}) incident_id, ${NOTE} as note,
            coalesce(snapshot->>'resolved_by', resolved_by) as by, ${CLOSED_AT} as closed_at
          from incidents
          where status = 'closed' and snapshot->>'root_service' = ${rootService} and incident_id <> ${except}
            and coalesce(${NOTE}, '') <> ''
          order by ${NOTE}, ${CLOSED_AT} desc) each_once
        order by closed_at desc, incident_id
        limit ${limit}`.execute(db);
      return rows.map((row) => ({ incidentId: row.incident_id, note: row.note, by: row.by, closedAt: row.closed_at }));
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
