import type { Generated } from 'kysely';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

declare module '../tables.ts' {
  interface Tables {
    /** One row: the Slack workspace and the incident service of this database. */
    installation: {
      is_only: Generated<boolean>;
      /** null: never signed in. */
      team_id: string | null;
      /** Base address of the service, or `EMBEDDED_SERVICE`; null: no service has responded yet. */
      service_id: string | null;
      /** The newest `opened_at` at the first successful poll. Older closed incidents get no cards. */
      watermark: Date | null;
      /** The newest `opened_at` of a deleted incident; null: none was deleted. Older closed incidents are not stored again. */
      forgotten_until: Date | null;
      /** When a poll of any process last succeeded. */
      answered_at: Date | null;
      /** When polling started to fail; null: the last poll succeeded. */
      failing_since: Date | null;
      /** When the service last responded, set once it has failed for too long; null: the data is fresh. */
      stale_since: Date | null;
      /** `team app service` that the bot registered for; null: not registered. */
      registered_as: string | null;
      /** null: the service did not report one. */
      integration_id: string | null;
      /** Counts the changes of `rules`. */
      rules_version: Generated<string>;
    };
  }
}

/** Id of the embedded service, whose address changes with the port. */
export const EMBEDDED_SERVICE = 'embedded';

/** The Slack workspace and service of this database. */
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
  /** The service, workspace and app that were registered; null: none were. */
  registeredAs(): Promise<string | null>;
  /** The id under which the service registered this workspace; null: it is not registered, or the service did not say. */
  integrationId(): Promise<string | null>;
}

export function createInstallationStore(db: Kysely<Tables>): InstallationStore {
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

    async integrationId() {
      const row = await db.selectFrom('installation').select('integration_id').executeTakeFirst();
      return row?.integration_id ?? null;
    },

    async registeredAs() {
      const row = await db.selectFrom('installation').select('registered_as').executeTakeFirst();
      return row?.registered_as ?? null;
    },
  };
}
