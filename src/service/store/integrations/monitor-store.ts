import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import { CLOCK_NOW } from '../../../database/lease.ts';
import { dueAfter, LONGEST_LOOK_MS, type Monitor, type MonitorRules, type Pause } from '../../core/monitor.ts';
import type { ServiceTables } from '../schema/tables.ts';

type Tx = Transaction<ServiceTables>;

/** Result of one check. A monitor is reported first and marked afterwards, so a report may repeat but is never lost. */
export interface Look {
  readonly late: readonly Monitor[];
  /** Monitors that were late and have been heard again. */
  readonly back: readonly Monitor[];
  /** Whether there is any monitor. */
  readonly hasMonitors: boolean;
}

/** Watches for silence by the clock of the database, for all processes together. */
export interface MonitorStore {
  /** A heartbeat came. @returns false: the integration is no heartbeat */
  hear(integrationId: string): Promise<boolean>;
  /**
   * Finds the monitors that must be reported.
   *
   * @param sinceLastMs time since the last check of this process, by a monotonic clock; null: this is its first check
   */
  look(sinceLastMs: number | null): Promise<Look>;
  /** @returns false: the monitor was heard meanwhile */
  markLate(monitor: Monitor): Promise<boolean>;
  markBack(monitor: Monitor): Promise<void>;
  /** The monitor of an integration that was reported to be late; null: it has none, or it is not late. */
  findLate(integrationId: string): Promise<Monitor | null>;
}

const NOTHING: Look = { late: [], back: [], hasMonitors: true };

/** Later than the last report even if the clock was set back, because an alert older than its own end is ignored. */
const REPORTED_AT = sql<Date>`greatest(${CLOCK_NOW}, told_at + interval '1 millisecond')`;

export function createMonitorStore(db: Kysely<ServiceTables>): MonitorStore {
  return {
    async hear(integrationId) {
      const { rows } = await hearMonitors(integrationId, 'heartbeat').execute(db);
      return rows.length > 0;
    },

    look: (sinceLastMs) =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ from: Date; to: Date; hasMonitors: boolean }>`
          update monitor_look set looked_at = ${CLOCK_NOW}
          from (select looked_at as "from" from monitor_look for update skip locked) as before
          returning "from", looked_at as "to", exists (select from monitors) as "hasMonitors"
        `.execute(tx);
        const [pause] = rows;
        if (pause === undefined) {
          return NOTHING; // another process looks
        }
        if (!pause.hasMonitors) {
          return { ...NOTHING, hasMonitors: false };
        }
        const passedMs = pause.to.getTime() - pause.from.getTime();
        if (passedMs < 0 || passedMs > LONGEST_LOOK_MS) {
          await shift(tx, { ...pause, elapsedMs: sinceLastMs });
        }
        return { ...(await findChanged(tx)), hasMonitors: true };
      }),

    async markLate({ integrationId, at }) {
      const { rows } = await sql`
        update monitors set late_since = coalesce(late_since, ${CLOCK_NOW}), told_at = ${at}
        where integration_id = ${integrationId} and (due_at <= ${CLOCK_NOW} or late_since is not null)
        returning integration_id
      `.execute(db);
      return rows.length > 0;
    },

    async markBack({ integrationId, at }) {
      await sql`
        update monitors set late_since = null, told_at = ${at}
        where integration_id = ${integrationId} and due_at > ${CLOCK_NOW}
      `.execute(db);
    },

    async findLate(integrationId) {
      const { rows } = await selectMonitors(sql`integration_id = ${integrationId} and late_since is not null`).execute(
        db,
      );
      return rows[0] === undefined ? null : toMonitor(rows[0]);
    },
  };
}

export async function insertMonitor(tx: Tx, integrationId: string, rules: MonitorRules): Promise<void> {
  const { kind, service, intervalMs, graceMs } = rules;
  await sql`
    insert into monitors (integration_id, kind, service, interval_ms, grace_ms)
    values (${integrationId}, ${kind}, ${service}, ${intervalMs}, ${graceMs})
  `.execute(tx);
}

/** Milliseconds since it was last heard; null: never. */
const SINCE_SEEN_MS = sql`abs(extract(epoch from ${CLOCK_NOW} - seen_at))::double precision * 1000`;

/** Statement that records that the integration was heard, every five seconds at most except for heartbeats. */
export function hearMonitors(integrationId: string, kind: MonitorRules['kind']) {
  return sql<{ integration_id: string }>`
    update monitors set seen_at = ${CLOCK_NOW},
      due_at = ${CLOCK_NOW} + (interval_ms + grace_ms) * interval '1 millisecond',
      usual_ms = case when late_since is null then coalesce(
        0.9 * usual_ms + 0.1 * ${SINCE_SEEN_MS}, ${SINCE_SEEN_MS}) else usual_ms end
    where integration_id = ${integrationId} and kind = ${kind}
      and (kind = 'heartbeat' or seen_at is null
        or seen_at not between ${CLOCK_NOW} - interval '5 seconds' and ${CLOCK_NOW})
    returning integration_id
  `;
}

async function shift(tx: Tx, pause: Pause): Promise<void> {
  const due = await tx.selectFrom('monitors').selectAll().where('due_at', 'is not', null).execute();
  const shifted = due.flatMap(({ integration_id, interval_ms, grace_ms, due_at: dueAt, late_since }) => {
    const rules = { intervalMs: Number(interval_ms), graceMs: Number(grace_ms) };
    return dueAt === null
      ? []
      : [{ integration_id, due_at: dueAfter({ ...rules, dueAt, isLate: late_since !== null }, pause) }];
  });
  await sql`
    update monitors set due_at = shifted.due_at
    from jsonb_to_recordset(${JSON.stringify(shifted)}::jsonb) as shifted(integration_id text, due_at timestamptz)
    where monitors.integration_id = shifted.integration_id
  `.execute(tx);
}

async function findChanged(tx: Tx): Promise<Pick<Look, 'late' | 'back'>> {
  const isChanged = sql`due_at is not null and (due_at <= ${CLOCK_NOW}) <> (late_since is not null)`;
  const { rows } = await selectMonitors(isChanged).execute(tx);
  return {
    late: rows.filter(({ is_due }) => is_due).map(toMonitor),
    back: rows.filter(({ is_due }) => !is_due).map(toMonitor),
  };
}

function selectMonitors(which: RawBuilder<unknown>) {
  return sql<MonitorRow>`
    select monitors.*, coalesce(name, type) as name, ${REPORTED_AT} as report_at,
      due_at <= ${CLOCK_NOW} as is_due
    from monitors join integrations on integrations.id = integration_id
    where ${which} order by due_at limit ${MAX_FOUND}
  `;
}

/** Maximum number of monitors that one check reports. */
const MAX_FOUND = 1_000;

interface MonitorRow extends Selectable<ServiceTables['monitors']> {
  readonly name: string;
  readonly report_at: Date;
  readonly is_due: boolean;
}

function toMonitor(row: MonitorRow): Monitor {
  return {
    integrationId: row.integration_id,
    kind: row.kind,
    service: row.service,
    intervalMs: Number(row.interval_ms),
    graceMs: Number(row.grace_ms),
    name: row.name,
    seenAt: row.seen_at ?? row.report_at,
    usualMs: row.usual_ms,
    at: row.report_at,
  };
}
