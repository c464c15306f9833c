import { type Kysely, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import { prepared } from '../../database/prepared.ts';
import type { IncidentId } from '../domain/identifiers.ts';
import { URGENCY } from '../domain/urgency.ts';
import { redraw } from './due.ts';
import { redrawHomes } from './homes.ts';
import type { Tables } from './tables.ts';

/** Id of the embedded service, whose address changes with the port. */
export const EMBEDDED_SERVICE = 'embedded';

/** The Slack workspace and service of this database, and how fresh its data is. */
export interface InstallationStore {
  /**
   * Sets the workspace. If it has changed, all data of the previous workspace is deleted: its messages are out of reach,
   * and its ids may clash.
   *
   * @returns whether the workspace has changed
   */
  enterWorkspace(teamId: string): Promise<boolean>;
  /**
   * @param movedFrom previous id of the same service
   * @returns the id of the stored service if it is a different one; null: it is the same
   */
  findOtherService(serviceId: string, movedFrom: string | null): Promise<string | null>;
  /**
   * Closed incidents that opened until then get no card: the newest `opened_at` at the first successful poll, or of a
   * deleted incident. Stores `first` if this is the first poll.
   */
  watermark(serviceId: string, first: Date): Promise<Date>;
  /** The database's time. */
  now(): Promise<Date>;
  /**
   * Records a successful poll. One process that reaches the service keeps the cards of all fresh.
   *
   * @param asOf when the poll began
   * @param unread the incidents that the service no longer lists as open, and that could not be read. A poll that began
   *   earlier than one that is recorded already does not know better than that one
   */
  answered(asOf: Date, unread: readonly IncidentId[]): Promise<void>;
  /** Records a failed poll. The data becomes stale after `afterMs` of failures. */
  failed(afterMs: number): Promise<void>;
  /** When the last successful poll began; null: there was none. */
  answeredAt(): Promise<Date | null>;
  /** When the service last responded; null: the data is fresh. */
  staleSince(): Promise<Date | null>;
  /**
   * Runs `register` unless `key` is registered already, one process at a time, and stores the integration's id.
   *
   * @param register returns the integration's id; null: the service did not report one
   * @throws errors of `register`; nothing is stored then
   */
  registerOnce(key: string, register: () => Promise<string | null>): Promise<void>;
  /** The id under which the service registered this workspace; null: it is not registered, or the service did not say. */
  integrationId(): Promise<string | null>;
}

export function createInstallationStore(db: Kysely<Tables>): InstallationStore {
  /** Redraws the cards of open incidents, because they show whether the data is stale. */
  async function redrawOpen(tx: Kysely<Tables>): Promise<void> {
    await redraw(
      sql<boolean>`kind = 'card' and subject in (select incident_id from incidents where is_open)
        or kind = 'storm' and data->>'endedAt' is null`,
      URGENCY.count,
    ).execute(tx);
    await redrawHomes().execute(tx);
  }

  return {
    enterWorkspace: (teamId) =>
      db.transaction().execute(async (tx) => {
        const before = await tx.selectFrom('installation').select('team_id').forUpdate().executeTakeFirstOrThrow();
        if (before.team_id === teamId) {
          return false;
        }
        await tx.updateTable('installation').set({ team_id: teamId, rules_version: sql`rules_version + 1` }).execute();
        if (before.team_id === null) {
          return false;
        }
        for (const table of ['channels', 'people', 'slack_pauses'] as const) {
          await tx.deleteFrom(table).execute();
        }
        return true;
      }),

    async findOtherService(serviceId, movedFrom) {
      const { service_id: known } = await db.selectFrom('installation').select('service_id').executeTakeFirstOrThrow();
      if (known === null || known === serviceId) {
        return null;
      }
      if (known !== movedFrom) {
        return known;
      }
      await sql`
        update installation set service_id = ${serviceId},
          registered_as = replace(registered_as, ${`${known} `}, ${`${serviceId} `})`.execute(db);
      return null;
    },

    async watermark(serviceId, first) {
      const { rows } = await sql<{ watermark: Date }>`
        update installation set service_id = coalesce(service_id, ${serviceId}),
          watermark = coalesce(watermark, ${first})
        returning greatest(watermark, forgotten_until) as watermark`.execute(db);
      return rows[0]?.watermark ?? first;
    },

    async now() {
      const { rows } = await sql<{ now: Date }>`select clock_now() as now`.execute(db);
      return rows[0]?.now ?? new Date(Number.NaN);
    },

    async answered(asOf, unread) {
      await db.transaction().execute(async (tx) => {
        // One poll at a time. The incidents before the installation, as `changeRules` locks them: the reverse would deadlock.
        await sql`select pg_advisory_xact_lock(hashtext('answered'))`.execute(tx);
        await sql`
          update incidents set is_unread = not is_unread
          where is_unread <> (incident_id = any(${unread}::text[])) and not exists (
            select from installation where answered_at > ${asOf} and answered_at <= clock_now())`.execute(tx);
        const { rows } = await sql<{ was_stale: boolean }>`
          update installation set answered_at = greatest(${asOf}, case when answered_at <= clock_now() then answered_at end),
            failing_since = null, stale_since = null
          from (select stale_since from installation for update) as before
          returning before.stale_since is not null as was_stale`.execute(tx);
        if (rows[0]?.was_stale === true) {
          await redrawOpen(tx);
        }
      });
    },

    async failed(afterMs) {
      await db.transaction().execute(async (tx) => {
        await sql`
          update installation set failing_since = clock_now()
          where failing_since is null or failing_since > clock_now()`.execute(tx);
        const { rows } = await sql`
          update installation set stale_since = answered_at
          where stale_since is null and answered_at is not null and failing_since <= ${fromNow(-afterMs)}
          returning stale_since`.execute(tx);
        if (rows.length > 0) {
          await redrawOpen(tx);
        }
      });
    },

    async answeredAt() {
      const row = await db.selectFrom('installation').select('answered_at').executeTakeFirst();
      return row?.answered_at ?? null;
    },

    async staleSince() {
      const row = await db
        .selectFrom('installation')
        .modifyFront(prepared('stale-since'))
        .select('stale_since')
        .executeTakeFirst();
      return row?.stale_since ?? null;
    },

    async integrationId() {
      const row = await db.selectFrom('installation').select('integration_id').executeTakeFirst();
      return row?.integration_id ?? null;
    },

    async registerOnce(key, register) {
      await db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended('registration', 0))`.execute(tx);
        const { registered_as: before } = await tx
          .selectFrom('installation')
          .select('registered_as')
          .executeTakeFirstOrThrow();
        if (before === key) {
          return;
        }
        await tx
          .updateTable('installation')
          .set({ registered_as: key, integration_id: await register() })
          .execute();
      });
    },
  };
}
