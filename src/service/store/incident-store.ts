import { type Kysely, sql } from 'kysely';
import type { IncidentEventType } from '../../contract/events.ts';
import type { IncidentStatus, Severity } from '../../contract/resources.ts';
import { NotFoundError } from '../core/errors.ts';
import { findTimeOfId } from '../core/ids.ts';
import type { ClosedIncident, Incident } from '../core/incident.ts';
import { appendEvents } from './event-store.ts';
import { type IncidentRow, toIncident } from './incident-row.ts';
import { type Page, type PageRequest, toPage } from './page.ts';
import type { ServiceTables } from './tables.ts';

const MAX_SIMILAR = 5;

/** Absent and null values do not filter. */
export interface IncidentFilter {
  readonly status?: IncidentStatus | null | undefined;
  /** Any of the services involved. */
  readonly service?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly acknowledged?: boolean | undefined;
  /** Half-open: [openedFrom, openedTo). */
  readonly openedFrom?: Date | undefined;
  readonly openedTo?: Date | undefined;
  /** Part of the title or of a service's name; case is ignored. */
  readonly text?: string | undefined;
}

export interface IncidentStore {
  /** Newest first. */
  list(filter: IncidentFilter, page: PageRequest): Promise<Page<Incident>>;
  /**
   * @param reference the id, or the number
   * @throws {NotFoundError}
   */
  get(reference: string): Promise<Incident>;
  /** Closed incidents of the same failure, most recently closed first, at most five. */
  listSimilar(incident: Pick<Incident, 'similarNumbers'>): Promise<ClosedIncident[]>;
  countOpen(): Promise<number>;
  /** Open incidents without a signal since then, oldest first. */
  listQuiet(since: Date, limit: number): Promise<string[]>;
  /**
   * Changes the acknowledgement and closing of an incident under a row lock, so that no update is lost. Writes the event
   * in the same transaction.
   *
   * @throws {NotFoundError} or what `change` throws
   */
  update(reference: string, change: (incident: Incident) => Incident): Promise<Incident>;
}

export function createIncidentStore(db: Kysely<ServiceTables>): IncidentStore {
  return {
    async list(filter, { limit, offset, after = null }) {
      const matching = sql.join([sql`true`, ...conditionsOf(filter)], sql` and `);
      const beyond = after === null ? sql`true` : sql`(opened_at, id) < (${after.at}, ${after.id})`;
      const count = isCounted(filter)
        ? sql<{ total: string }>`
            select coalesce(sum(incidents), 0) as total from incident_counts where ${countsOf(filter)}
          `
        : sql<{ total: string }>`select count(*) as total from incidents where ${matching}`;
      const [found, counted] = await Promise.all([
        sql<IncidentRow>`
          select * from incidents where ${matching} and ${beyond}
          order by opened_at desc, id desc limit ${limit + 1} offset ${offset}
        `.execute(db),
        count.execute(db),
      ]);
      const incidents = found.rows.map(toIncident);
      return toPage(incidents, limit, Number(counted.rows[0]?.total), ({ openedAt }) => openedAt);
    },

    async get(reference) {
      const { rows } = await sql<IncidentRow>`select * from incidents where ${matches(reference)}`.execute(db);
      return toIncident(requireOne(rows, reference));
    },

    async listSimilar({ similarNumbers }) {
      const { rows } = await sql<IncidentRow>`
        select * from incidents
        where number = any(${similarNumbers}::bigint[]) and closed_at is not null and merged_into is null
        order by closed_at desc limit ${MAX_SIMILAR}
      `.execute(db);
      return rows.map(toIncident).flatMap(({ closing, ...rest }) => (closing === null ? [] : [{ ...rest, closing }]));
    },

    async listQuiet(since, limit) {
      const { rows } = await sql<{ id: string }>`
        select id from incidents where closed_at is null and last_signal_at < ${since}
        order by opened_at limit ${limit}
      `.execute(db);
      return rows.map(({ id }) => id);
    },

    async countOpen() {
      const { rows } = await sql<{ open: string }>`
        select count(*) as open from incidents where closed_at is null
      `.execute(db);
      return Number(rows[0]?.open);
    },

    update(reference, change) {
      return db.transaction().execute(async (tx) => {
        const { rows } = await sql<IncidentRow>`
          select * from incidents where ${matches(reference)} for update
        `.execute(tx);
        const incident = toIncident(requireOne(rows, reference));
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

function conditionsOf(filter: IncidentFilter) {
  const { status, service, severity, acknowledged, openedFrom, openedTo, text } = filter;
  const pattern = `%${text?.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return [
    ...(status === 'open' ? [sql`closed_at is null`] : []),
    ...(status === 'closed' ? [sql`closed_at is not null`] : []),
    ...(service === undefined ? [] : [sql`services @> array[${service}]`]),
    ...(severity === undefined ? [] : [sql`severity = ${severity}`]),
    ...(acknowledged === true ? [sql`acknowledged_at is not null`] : []),
    ...(acknowledged === false ? [sql`acknowledged_at is null`] : []),
    ...(openedFrom === undefined ? [] : [sql`opened_at >= ${openedFrom}`]),
    ...(openedTo === undefined ? [] : [sql`opened_at < ${openedTo}`]),
    ...(text === undefined ? [] : [sql`search_text like lower(${pattern})`]),
  ];
}

/** Whether `incident_counts` has the total. */
function isCounted({ openedFrom, openedTo, text }: IncidentFilter): boolean {
  return openedFrom === undefined && openedTo === undefined && text === undefined;
}

function countsOf({ status, service = '', severity, acknowledged }: IncidentFilter) {
  const conditions = [
    sql`service = ${service}`,
    ...(status ? [sql`closed = ${status === 'closed'}`] : []),
    ...(severity === undefined ? [] : [sql`severity = ${severity}`]),
    ...(acknowledged === undefined ? [] : [sql`acknowledged = ${acknowledged}`]),
  ];
  return sql.join(conditions, sql` and `);
}

function matches(reference: string) {
  if (/^\d{1,18}$/.test(reference)) {
    return sql<boolean>`number = ${reference}::bigint`;
  }
  if (findTimeOfId('inc', reference) === null) {
    throw new NotFoundError('incident', reference);
  }
  return sql<boolean>`id = ${reference}`;
}

function requireOne(rows: readonly IncidentRow[], reference: string): IncidentRow {
  const [row] = rows;
  if (row === undefined) {
    throw new NotFoundError('incident', reference);
  }
  return row;
}
