import { type Kysely, sql } from 'kysely';
import type { ServiceTables } from '../schema/tables.ts';

/** What an integration's sender sent: what was refused, and of any JSON also what was received. */
export interface RefusedPayload {
  readonly at: Date;
  /** Why it was refused; null: it was not. */
  readonly fault: string | null;
  /** The beginning, with secrets masked; null: the body was not read, or it is not text. */
  readonly text: string | null;
  /** What it was, such as a failure or an end, so that some of each are kept. Absent: it was refused. */
  readonly kind?: string | null;
  /** What people should know of what became of it; absent: nothing. */
  readonly outcome?: string | null;
}

export interface RefusedPayloadStore {
  /** Keeps the last `KEPT_PAYLOADS` of each kind of the integration. */
  add(integrationId: string, payload: RefusedPayload): Promise<void>;
  /** Newest first. */
  list(integrationId: string): Promise<readonly RefusedPayload[]>;
}

const KEPT_PAYLOADS = 5;

export function createRefusedPayloadStore(db: Kysely<ServiceTables>): RefusedPayloadStore {
  return {
    async add(integrationId, { at, fault, text, kind = null, outcome = null }) {
      // The integration may have been deleted since.
      await sql`
        insert into refused_payloads (integration_id, refused_at, fault, payload, kind, outcome)
        select id, ${at}, ${fault}, ${text}, ${kind}, ${outcome} from integrations where id = ${integrationId}
      `.execute(db);
      await sql`
        delete from refused_payloads
        where integration_id = ${integrationId} and kind is not distinct from ${kind} and id not in (
          select id from refused_payloads where integration_id = ${integrationId} and kind is not distinct from ${kind}
          order by id desc limit ${KEPT_PAYLOADS}
        )
      `.execute(db);
    },

    async list(integrationId) {
      const rows = await db
        .selectFrom('refused_payloads')
        .selectAll()
        .where('integration_id', '=', integrationId)
        .orderBy('id', 'desc')
        .execute();
      return rows.map((row) => ({
        at: row.refused_at,
        fault: row.fault,
        text: row.payload,
        kind: row.kind,
        outcome: row.outcome,
      }));
    },
  };
}
