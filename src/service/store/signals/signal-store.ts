import { type Kysely, type Selectable, sql } from 'kysely';
import type { SignalType } from '../../../contract/resources.ts';
import { NotFoundError } from '../../core/errors.ts';
import { findTimeOfId } from '../../core/ids.ts';
import type { StoredSignal } from '../../core/signal.ts';
import { UNCOUNTED_FORMATS } from '../../core/signal-source.ts';
import type { SignalsTable } from '../schema/incident-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { readWithinLimit } from '../shared/bounded-read.ts';
import { countBounded, type Page, type PageRequest, toPage } from '../shared/page.ts';
import { isLive } from '../shared/signal-state.ts';
import { contains } from '../shared/text-search.ts';

/** The range is half-open: [from, to). */
export interface SignalFilter {
  readonly service?: string | undefined;
  readonly type?: SignalType | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly incidentId?: string | undefined;
  /** Part of the summary or of the service's name; case is ignored. */
  readonly text?: string | undefined;
}

/** Reads signals. Only the intake writes them. */
export interface SignalStore {
  /** Newest first. The total may be a lower bound. */
  list(filter: SignalFilter, page: PageRequest): Promise<Page<StoredSignal>>;
  /** Newest first, without the total count, which costs what matches. */
  browse(filter: SignalFilter, page: Omit<PageRequest, 'offset'>): Promise<Omit<Page<StoredSignal>, 'total'>>;
  /** Newest first, without the total count. */
  newestOf(incidentId: string, most: number): Promise<StoredSignal[]>;
  /** The newest signal with this fingerprint, and its incident, which is null until one opens; null: there is no signal. */
  findNewest(fingerprint: string): Promise<{ readonly incidentId: string | null; readonly receivedAt: Date } | null>;
  /** Which alerts are open, with the word of the state that opened each; by fingerprint. */
  findOpenAlerts(fingerprints: readonly string[], now: Date): Promise<ReadonlyMap<string, string | null>>;
  /** The signals that were seen most often, without the total count. */
  mostSeenOf(incidentId: string, most: number): Promise<StoredSignal[]>;
  /** How often the signals of each service were seen, the most first. */
  countByService(incidentId: string): Promise<{ readonly service: string; readonly count: number }[]>;
  /** @throws {NotFoundError} */
  get(id: string): Promise<StoredSignal>;
}

/** @param reading for lists, whose cost depends on what matches */
export function createSignalStore(db: Kysely<ServiceTables>, reading: Kysely<ServiceTables> = db): SignalStore {
  return {
    list: (filter, { limit, offset, after = null }) =>
      readWithinLimit(async () => {
        const matching = sql.join([sql`true`, ...conditionsOf(filter)], sql` and `);
        const beyond = after === null ? sql`true` : sql`(observed_at, id) < (${after.at}, ${after.id})`;
        const found = await sql<SignalRow>`
        select * from signals where ${matching} and ${beyond}
        order by observed_at desc, id desc limit ${limit + 1} offset ${offset}
      `.execute(reading);
        const counted = await countBounded(reading, sql`select from signals where ${matching}`);
        const signals = found.rows.map(toStoredSignal);
        return { ...toPage(signals, limit, counted.total, ({ observedAt }) => observedAt), ...counted };
      }),

    async findNewest(fingerprint) {
      const { rows } = await sql<{ incidentId: string | null; receivedAt: Date }>`
        select incident_id as "incidentId", received_at as "receivedAt"
        from signals where fingerprint = ${fingerprint} order by observed_at desc, id desc limit 1
      `.execute(db);
      return rows[0] ?? null;
    },

    async findOpenAlerts(fingerprints, now) {
      if (fingerprints.length === 0) {
        return new Map();
      }
      const { rows } = await sql<{ fingerprint: string; word: string | null }>`
        select distinct on (fingerprint) fingerprint, source ->> 'state' as word
        from unnest(${fingerprints}::text[]) as asked(fingerprint) join signals using (fingerprint)
        where ended_at is null and ${isLive(now)}
        order by fingerprint, observed_at desc
      `.execute(db);
      return new Map(rows.map(({ fingerprint, word }) => [fingerprint, word]));
    },

    browse: (filter, { limit, after = null }) =>
      readWithinLimit(async () => {
        const beyond = after === null ? [] : [sql`(observed_at, id) < (${after.at}, ${after.id})`];
        const matching = sql.join([sql`true`, ...conditionsOf(filter), ...beyond], sql` and `);
        const { rows } = await sql<SignalRow>`
        select * from signals where ${matching} order by observed_at desc, id desc limit ${limit + 1}
      `.execute(reading);
        const { items, end } = toPage(rows.map(toStoredSignal), limit, 0, ({ observedAt }) => observedAt);
        return { items, end };
      }),

    async newestOf(incidentId, most) {
      const { rows } = await sql<SignalRow>`
        select * from signals where incident_id = ${incidentId} order by observed_at desc, id desc limit ${most}
      `.execute(db);
      return rows.map(toStoredSignal);
    },

    async countByService(incidentId) {
      const { rows } = await sql<{ service: string; count: number }>`
        select service, sum(occurrences)::double precision as count from signals
        where incident_id = ${incidentId} and (source ->> 'format' = any(${UNCOUNTED_FORMATS}::text[])) is not true
        group by service order by count desc, service
      `.execute(db);
      return rows;
    },

    async mostSeenOf(incidentId, most) {
      const { rows } = await sql<SignalRow>`
        select * from signals where incident_id = ${incidentId} order by occurrences desc, observed_at, id limit ${most}
      `.execute(db);
      return rows.map(toStoredSignal);
    },

    async get(id) {
      const observedAt = findTimeOfId('sig', id);
      if (observedAt === null) {
        throw new NotFoundError('signal', id);
      }
      const { rows } = await sql<SignalRow>`
        select * from signals where observed_at = ${observedAt} and id = ${id}
      `.execute(db);
      const [row] = rows;
      if (row === undefined) {
        throw new NotFoundError('signal', id);
      }
      return toStoredSignal(row);
    },
  };
}

function conditionsOf({ service, type, from, to, incidentId, text }: SignalFilter) {
  return [
    ...(service === undefined ? [] : [sql`service = ${service}`]),
    ...(type === undefined ? [] : [sql`type = ${type}`]),
    ...(from === undefined ? [] : [sql`observed_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`observed_at < ${to}`]),
    ...(incidentId === undefined ? [] : [sql`incident_id = ${incidentId}`]),
    ...(text === undefined ? [] : [contains(sql`signal_search_text(service, summary)`, text)]),
  ];
}

export type SignalRow = Selectable<SignalsTable>;

export function toStoredSignal(row: SignalRow): StoredSignal {
  return {
    id: row.id,
    type: row.type,
    service: row.service,
    summary: row.summary,
    severity: row.severity,
    observedAt: row.observed_at,
    receivedAt: row.received_at,
    lastSeenAt: row.last_seen_at,
    endedAt: row.ended_at,
    fingerprint: row.fingerprint,
    occurrences: Number(row.occurrences),
    incidentId: row.incident_id,
    traceId: row.trace_id,
    spanId: row.span_id,
    attributes: row.attributes,
    source: row.source,
    detail: row.detail,
    ...(row.system !== null && { system: row.system }),
  };
}
