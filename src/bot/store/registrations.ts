import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

export interface RegistrationKey {
  readonly serviceId: string;
  readonly teamId: string;
  readonly appId: string;
}

export interface RegistrationStore {
  /**
   * Runs `register` unless this workspace is registered with this service already, one process at a time, and keeps the
   * integration's id that it gives (null: the service did not say). @throws what `register` throws; nothing is kept then
   */
  once(key: RegistrationKey, register: () => Promise<string | null>): Promise<void>;
}

export function createRegistrationStore(db: Kysely<Tables>): RegistrationStore {
  return {
    async once(key, register) {
      await db.transaction().execute(async (trx) => {
        const name = JSON.stringify([key.serviceId, key.teamId, key.appId]);
        await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
        const existing = await trx
          .selectFrom('registrations')
          .select('created_at')
          .where('base_url', '=', key.serviceId)
          .where('team_id', '=', key.teamId)
          .where('app_id', '=', key.appId)
          .executeTakeFirst();
        if (existing !== undefined) {
          return;
        }
        await trx
          .insertInto('registrations')
          .values({
            base_url: key.serviceId,
            team_id: key.teamId,
            app_id: key.appId,
            integration_id: await register(),
          })
          .execute();
      });
    },
  };
}
