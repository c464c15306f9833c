import { type Kysely, sql } from 'kysely';
import type { Observed } from '../core/observed.ts';
import { MAIN_PARTITION } from '../log/telemetry-log.ts';
import { readObserved } from './log/correlation-lease.ts';
import type { ServiceTables } from './schema/tables.ts';

/** Reads what is known of the services that send signals. */
export interface ServiceStore {
  /** Calls between services, learnt from traces, and last deployments. They are up to a minute old. */
  readObserved(): Promise<Observed>;
  /** Open incidents by each of their services. Services with none but closed ones are there too, with 0. */
  countOpenByService(): Promise<ReadonlyMap<string, OpenOfService>>;
}

export interface OpenOfService {
  readonly open: number;
  /** Those of them that still fail. */
  readonly failing: number;
}

export function createServiceStore(db: Kysely<ServiceTables>): ServiceStore {
  return {
    readObserved: () => readObserved(db, MAIN_PARTITION),

    async countOpenByService() {
      const { rows } = await sql<{ service: string; open: string; failing: string }>`
        with failing as (
          select service, count(*) as failing from incidents, unnest(services) as service
          where closed_at is null and activity = 'failing' group by service
        ), counted as (
          select service, coalesce(sum(incidents) filter (where not closed), 0) as open
          from incident_counts where service <> '' group by service
        )
        select service, open, coalesce(failing, 0) as failing from counted left join failing using (service)
      `.execute(db);
      return new Map(
        rows.map(({ service, ...of }) => [service, { open: Number(of.open), failing: Number(of.failing) }]),
      );
    },
  };
}
