import { type Kysely, sql } from 'kysely';
import { type ObservedCall, readCalls } from './correlation-lease.ts';
import type { ServiceTables } from './tables.ts';

/** Reads what is known of the services that send signals. */
export interface ServiceStore {
  /** Calls between services, learnt from traces, in any order. They are up to a minute old. */
  listCalls(): Promise<readonly ObservedCall[]>;
  /** Open incidents by each of their services. Services with none but closed ones are there too, with 0. */
  countOpenByService(): Promise<ReadonlyMap<string, number>>;
}

export function createServiceStore(db: Kysely<ServiceTables>): ServiceStore {
  return {
    listCalls: () => readCalls(db),

    async countOpenByService() {
      const { rows } = await sql<{ service: string; open: string }>`
        select service, coalesce(sum(incidents) filter (where not closed), 0) as open
        from incident_counts where service <> '' group by service
      `.execute(db);
      return new Map(rows.map(({ service, open }) => [service, Number(open)]));
    },
  };
}
