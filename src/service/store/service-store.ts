import { type Kysely, sql } from 'kysely';
import type { Observed } from '../core/observed.ts';
import { listPartitions, readObserved } from './log/correlation-lease.ts';
import type { ServiceTables } from './schema/tables.ts';

/** Reads what is known of the services that send signals. */
export interface ServiceStore {
  /** In alphabetical order. */
  listSystems(): Promise<string[]>;
  /**
   * Calls between services, learnt from traces, and last deployments. They are up to a minute old.
   *
   * @param system absent: of all systems
   */
  readObserved(system?: string): Promise<Observed>;
  /**
   * Open incidents of the system by each of their services. While there is one system, services with none but closed ones are
   * there too, with 0.
   */
  countOpenByService(system: string): Promise<ReadonlyMap<string, OpenOfService>>;
}

export interface OpenOfService {
  readonly open: number;
  /** Those of them that still fail. */
  readonly failing: number;
}

export function createServiceStore(db: Kysely<ServiceTables>): ServiceStore {
  return {
    listSystems: () => listPartitions(db),

    readObserved: (system) => readObserved(db, system ?? null),

    async countOpenByService(system) {
      const isOnly = (await listPartitions(db)).length === 1;
      const { rows } = await sql<{ service: string; open: string; failing: string }>`
        with lately as (
          select service, count(*) as open, count(*) filter (where activity = 'failing') as failing
          from incidents, unnest(services) as service where closed_at is null and system = ${system} group by service
        ), ever as (
          select distinct service from incident_counts where ${isOnly} and service <> ''
        )
        select service, coalesce(open, 0) as open, coalesce(failing, 0) as failing
        from lately full join ever using (service)
      `.execute(db);
      return new Map(
        rows.map(({ service, ...of }) => [service, { open: Number(of.open), failing: Number(of.failing) }]),
      );
    },
  };
}
