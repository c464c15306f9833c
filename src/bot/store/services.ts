import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Of the service in our own process, whose address changes with the port. */
export const EMBEDDED_SERVICE = 'embedded';

/** The one service that the database is about: the first that has answered. */
export interface ServiceStore {
  /**
   * @param movedFrom by what the same service was known before; it is known by `serviceId` from now on
   * @returns the service that the database is about, if it is another one
   */
  findOther(serviceId: string, movedFrom: string | null): Promise<string | null>;
}

export function createServiceStore(db: Kysely<Tables>): ServiceStore {
  async function move(from: string, to: string): Promise<void> {
    await db.transaction().execute(async (trx) => {
      await trx.updateTable('feed_starts').set({ base_url: to }).where('base_url', '=', from).execute();
      await trx.deleteFrom('registrations').where('base_url', '=', to).execute();
      await trx.updateTable('registrations').set({ base_url: to }).where('base_url', '=', from).execute();
    });
  }

  return {
    async findOther(serviceId, movedFrom) {
      const known = await db.selectFrom('feed_starts').select('base_url').executeTakeFirst();
      if (known === undefined || known.base_url === serviceId) {
        return null;
      }
      if (known.base_url !== movedFrom) {
        return known.base_url;
      }
      await move(movedFrom, serviceId);
      return null;
    },
  };
}
