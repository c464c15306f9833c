import { type Kysely, sql } from 'kysely';
import type { IncidentStatus, Severity } from '../../../contract/resources.ts';
import { subDays } from '../../../runtime/dates.ts';
import type { ClosedIncident, Incident, IncidentRecord, MinuteOfFailures } from '../../core/incident.ts';
import { OPENED_AGAIN } from '../../core/incident-changes.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { readWithinLimit } from '../shared/bounded-read.ts';
import { countBounded, type Page, type PageRequest, type Position, toPage } from '../shared/page.ts';
import { IS_FIRING } from '../shared/signal-state.ts';
import { contains } from '../shared/text-search.ts';
import { changeIncident, type IncidentChange } from './change-incident.ts';
import { matches, requireOne } from './incident-reference.ts';
import { type IncidentRow, selectIncidents, toIncident, toRecord } from './incident-row.ts';
import { type MinuteOfService, readServiceFailures } from './service-failures.ts';
import { type IncidentAction, readActions, readTimeline } from './timeline.ts';

const MAX_SIMILAR = 5;
/** Incidents whose labels are offered to choose from. */
const NEWEST = 1_000;
/** How long the failures of each minute are kept. */
const FAILURE_DAYS = 366;

/** Absent and null values do not filter. */
export interface IncidentFilter {
  readonly status?: IncidentStatus | null | undefined;
  /** Any of the services involved. */
  readonly service?: string | undefined;
  readonly system?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly acknowledged?: boolean | undefined;
  /** `team:payments`; it must have all. */
  readonly labels?: readonly string[] | undefined;
  /** Half-open: [openedFrom, openedTo). */
  readonly openedFrom?: Date | undefined;
  readonly openedTo?: Date | undefined;
  /** Part of the title or of a service's name; case is ignored. */
  readonly text?: string | undefined;
}

/** `severity`: the worst first, then what has been open longest. */
export type IncidentOrder = 'newest' | 'severity';

export interface IncidentStore {
  /** Newest first, unless another order is given. */
  list(filter: IncidentFilter, page: PageRequest, order?: IncidentOrder): Promise<Page<Incident>>;
  /** Names of services that incidents have, in alphabetical order. */
  listServices(limit: number): Promise<string[]>;
  /** Labels of the newest incidents, `team:payments` and so on, in alphabetical order. */
  listLabels(limit: number): Promise<string[]>;
  /** Those that exist, in any order. */
  listByIds(ids: readonly string[]): Promise<Incident[]>;
  /** How many matching incidents have a number above this one. Numbers rise with each new incident. */
  countNewer(number: number, filter: IncidentFilter): Promise<number>;
  /** The highest number of an incident; 0: there is none. */
  findLastNumber(): Promise<number>;
  /**
   * @param reference the id, or the number
   * @throws {NotFoundError}
   */
  get(reference: string): Promise<IncidentRecord>;
  /** Closed incidents of the same failure, most recently closed first, at most five. */
  listSimilar(incident: Pick<Incident, 'similarNumbers'>): Promise<ClosedIncident[]>;
  countOpen(): Promise<number>;
  /** What people did about incidents, newest first. */
  listActions(limit: number): Promise<IncidentAction[]>;
  /**
   * Open incidents that had no signal and that nobody opened again since then, oldest first. Leaves out those with an alert that
   * goes on, however seldom it is repeated, and declared ones, which people close.
   */
  listQuiet(since: Date, limit: number): Promise<string[]>;
  /** Failures in each minute of [from, to) that had any, oldest first. They are kept for a year. */
  failures(incidentId: string, from: Date, to: Date): Promise<MinuteOfFailures[]>;
  /** The same of signals by service. Nothing for an incident that was opened before they were counted. */
  failuresByService(incidentId: string, from: Date, to: Date): Promise<MinuteOfService[]>;
  /** Removes counts of failures that are older than that. */
  pruneFailures(now: Date): Promise<void>;
  /** See `changeIncident`. */
  update(reference: string, change: IncidentChange): Promise<IncidentRecord>;
}

/** @param reading for lists whose cost depends on what matches */
export function createIncidentStore(db: Kysely<ServiceTables>, reading: Kysely<ServiceTables> = db): IncidentStore {
  return {
    list: (filter, { limit, offset, after = null }, order = 'newest') =>
      readWithinLimit(async () => {
        const matching = sql.join([sql`true`, ...conditionsOf(filter)], sql` and `);
        const { beyond, ordering } = order === 'newest' ? byTime(after) : bySeverity(after);
        const source = isCounted(filter) ? db : reading;
        const found = await sql<IncidentRow>`
        ${selectIncidents} where ${matching} and ${beyond}
        order by ${ordering} limit ${limit + 1} offset ${offset}
      `.execute(source);
        const counted = isCounted(filter)
          ? { total: await countByTrigger(db, filter), isTotalLowerBound: false }
          : await countBounded(reading, sql`select from incidents where ${matching}`);
        const incidents = found.rows.map(toIncident);
        const page = { ...toPage(incidents, limit, counted.total, ({ openedAt }) => openedAt), ...counted };
        const severity = page.items.at(-1)?.severity;
        return order === 'newest' || page.end === null || severity === undefined
          ? page
          : { ...page, end: { ...page.end, severity } };
      }),

    async listServices(limit) {
      const { rows } = await sql<{ service: string }>`
        select distinct service from incident_counts where service <> '' order by service limit ${limit}
      `.execute(db);
      return rows.map(({ service }) => service);
    },

    async listLabels(limit) {
      const { rows } = await sql<{ label: string }>`
        select distinct label from (select labels from incidents order by opened_at desc, id desc limit ${NEWEST}) as newest,
          unnest(labels) as label
        order by label limit ${limit}
      `.execute(db);
      return rows.map(({ label }) => label);
    },

    async listByIds(ids) {
      const { rows } = await sql<IncidentRow>`${selectIncidents} where id = any(${ids}::text[])`.execute(db);
      return rows.map(toIncident);
    },

    async countNewer(number, filter) {
      const matching = sql.join([sql`number > ${number}`, ...conditionsOf(filter)], sql` and `);
      const { rows } = await sql<{ newer: string }>`select count(*) as newer from incidents where ${matching}`.execute(
        db,
      );
      return Number(rows[0]?.newer);
    },

    async findLastNumber() {
      const { rows } = await sql<{ last: string | null }>`select max(number) as last from incidents`.execute(db);
      return Number(rows[0]?.last ?? 0);
    },

    async get(reference) {
      const { rows } = await sql<IncidentRow>`${selectIncidents} where ${matches(reference)}`.execute(db);
      const incident = toIncident(requireOne(rows, reference));
      return toRecord(incident, await readTimeline(db, incident.id));
    },

    async listSimilar({ similarNumbers }) {
      const { rows } = await sql<IncidentRow>`
        ${selectIncidents}
        where number = any(${similarNumbers}::bigint[]) and closed_at is not null and merged_into is null
        order by closed_at desc limit ${MAX_SIMILAR}
      `.execute(db);
      return rows.map(toIncident).flatMap(({ closing, ...rest }) => (closing === null ? [] : [{ ...rest, closing }]));
    },

    async listQuiet(since, limit) {
      const { rows } = await sql<{ id: string }>`
        select id from incidents where closed_at is null and last_signal_at < ${since} and declared_by is null
          and not exists (
            select from timeline_entries
            where incident_id = incidents.id and event = any(${[...OPENED_AGAIN]}::text[]) and at >= ${since}
          )
          and not exists (select from signals where incident_id = incidents.id and ${IS_FIRING})
        order by opened_at limit ${limit}
      `.execute(db);
      return rows.map(({ id }) => id);
    },

    listActions: (limit) => readActions(db, limit),

    async countOpen() {
      const { rows } = await sql<{ open: string }>`
        select count(*) as open from incidents where closed_at is null
      `.execute(db);
      return Number(rows[0]?.open);
    },

    async failures(incidentId, from, to) {
      const { rows } = await sql<{ minute: Date; failures: string }>`
        select minute, failures from incident_failures
        where incident_id = ${incidentId} and minute >= ${from} and minute < ${to}
        order by minute
      `.execute(db);
      return rows.map(({ minute, failures }) => ({ at: minute.getTime(), count: Number(failures) }));
    },

    failuresByService: (incidentId, from, to) => readServiceFailures(db, incidentId, from, to),

    async pruneFailures(now) {
      await db.deleteFrom('incident_service_failures').where('minute', '<', subDays(now, FAILURE_DAYS)).execute();
      await db.deleteFrom('incident_failures').where('minute', '<', subDays(now, FAILURE_DAYS)).execute();
    },

    async update(reference, change) {
      return (await db.transaction().execute((tx) => changeIncident(tx, reference, change))).after;
    },
  };
}

function conditionsOf(filter: IncidentFilter) {
  const { status, service, system, severity, acknowledged, openedFrom, openedTo, text, labels = [] } = filter;
  return [
    ...(status === 'open' ? [sql`closed_at is null`] : []),
    ...(status === 'closed' ? [sql`closed_at is not null`] : []),
    ...(service === undefined ? [] : [sql`services @> array[${service}]`]),
    ...(system === undefined ? [] : [sql`system = ${system}`]),
    ...(severity === undefined ? [] : [sql`severity = ${severity}`]),
    ...(acknowledged === true ? [sql`acknowledged_at is not null`] : []),
    ...(acknowledged === false ? [sql`acknowledged_at is null`] : []),
    ...(openedFrom === undefined ? [] : [sql`opened_at >= ${openedFrom}`]),
    ...(openedTo === undefined ? [] : [sql`opened_at < ${openedTo}`]),
    ...(labels.length === 0 ? [] : [sql`labels @> ${[...labels]}::text[]`]),
    ...(text === undefined ? [] : [contains(sql`search_text`, text)]),
  ];
}

function byTime(after: Position | null) {
  return {
    beyond: after === null ? sql`true` : sql`(opened_at, id) < (${after.at}, ${after.id})`,
    ordering: sql`opened_at desc, id desc`,
  };
}

/** The index `incidents_urgent` has this order. */
function bySeverity(after: Position | null) {
  return {
    beyond:
      after === null
        ? sql`true`
        : sql`(-severity_rank(severity), opened_at, id) > (-severity_rank(${after.severity ?? 'critical'}), ${after.at}, ${after.id})`,
    ordering: sql`-severity_rank(severity), opened_at, id`,
  };
}

/** Whether `incident_counts` has the total. */
export function isCounted({ system, openedFrom, openedTo, text, labels = [] }: IncidentFilter): boolean {
  return (
    system === undefined &&
    openedFrom === undefined &&
    openedTo === undefined &&
    text === undefined &&
    labels.length === 0
  );
}

/** A trigger keeps these counts. */
async function countByTrigger(db: Kysely<ServiceTables>, filter: IncidentFilter): Promise<number> {
  const { rows } = await sql<{ total: string }>`
    select coalesce(sum(incidents), 0) as total from incident_counts where ${countsOf(filter)}
  `.execute(db);
  return Number(rows[0]?.total);
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
