import { type Kysely, sql } from 'kysely';
import type { IncidentEventType } from '../../contract/events.ts';
import type { IncidentStatus } from '../../contract/resources.ts';
import { NotFoundError } from '../core/errors.ts';
import { findTimeOfId } from '../core/ids.ts';
import type { Incident } from '../core/incident.ts';
import { appendEvents } from './event-store.ts';
import { type IncidentRow, toIncident } from './incident-row.ts';
import type { Page, PageRequest } from './page.ts';
import type { ServiceTables } from './tables.ts';

export interface IncidentStore {
  /** Newest first. */
  list(filter: { status: IncidentStatus | null }, page: PageRequest): Promise<Page<Incident>>;
  /**
   * @param reference the id, or the number
   * @throws {NotFoundError}
   */
  get(reference: string): Promise<Incident>;
  /**
   * Reads, changes and writes the acknowledgement and the closing of one incident while holding its row, so that no
   * change is lost; the event of it is written with it.
   *
   * @throws {NotFoundError} and whatever `change` throws
   */
  update(reference: string, change: (incident: Incident) => Incident): Promise<Incident>;
}

export function createIncidentStore(db: Kysely<ServiceTables>): IncidentStore {
  return {
    async list({ status }, { limit, offset }) {
      const matching =
        status === null ? sql`true` : status === 'open' ? sql`closed_at is null` : sql`closed_at is not null`;
      const [found, counted] = await Promise.all([
        sql<IncidentRow>`
          select * from incidents where ${matching}
          order by opened_at desc, id desc limit ${limit} offset ${offset}
        `.execute(db),
        sql<{ total: string }>`select count(*) as total from incidents where ${matching}`.execute(db),
      ]);
      return { items: found.rows.map(toIncident), total: Number(counted.rows[0]?.total) };
    },

    async get(reference) {
      const { rows } = await sql<IncidentRow>`select * from incidents where ${isMeantBy(reference)}`.execute(db);
      return toIncident(theOne(rows, reference));
    },

    update(reference, change) {
      return db.transaction().execute(async (tx) => {
        const { rows } = await sql<IncidentRow>`
          select * from incidents where ${isMeantBy(reference)} for update
        `.execute(tx);
        const incident = toIncident(theOne(rows, reference));
        const changed = change(incident);
        if (changed !== incident) {
          await tx
            .updateTable('incidents')
            .set({
              acknowledged_at: changed.acknowledgement?.at ?? null,
              acknowledged_by: changed.acknowledgement?.by ?? null,
              closed_at: changed.closing?.at ?? null,
              resolution_note: changed.closing?.note ?? null,
              resolved_by: changed.closing?.by ?? null,
              updated_at: changed.updatedAt,
            })
            .where('id', '=', incident.id)
            .execute();
          await appendEvents(tx, [{ type: eventOf(incident, changed), incident: changed }], changed.updatedAt);
        }
        return changed;
      });
    },
  };
}

function eventOf(before: Incident, after: Incident): IncidentEventType {
  if (before.closing === null && after.closing !== null) {
    return 'incident.closed';
  }
  const isNewlyAcknowledged = before.acknowledgement === null && after.acknowledgement !== null;
  return isNewlyAcknowledged ? 'incident.acknowledged' : 'incident.updated';
}

function isMeantBy(reference: string) {
  if (/^\d{1,18}$/.test(reference)) {
    return sql<boolean>`number = ${reference}::bigint`;
  }
  if (findTimeOfId('inc', reference) === null) {
    throw new NotFoundError('incident', reference);
  }
  return sql<boolean>`id = ${reference}`;
}

function theOne(rows: readonly IncidentRow[], reference: string): IncidentRow {
  const [row] = rows;
  if (row === undefined) {
    throw new NotFoundError('incident', reference);
  }
  return row;
}
