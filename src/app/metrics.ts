import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Database } from '../database/database.ts';

/**
 * Creates the registry behind `/metrics`. Each part registers its own metrics. Labels have a fixed set of values, never
 * user input.
 */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Names follow OpenTelemetry's semantic conventions for database client pools. */
export function measureDatabase(registry: Registry, database: Pick<Database, 'pools'>): void {
  new Gauge({
    name: 'db_client_connection_count',
    help: 'Connections to PostgreSQL, by pool and state',
    labelNames: ['db_client_connection_pool_name', 'db_client_connection_state'],
    registers: [registry],
    collect() {
      for (const { name, used, idle } of database.pools()) {
        this.set({ db_client_connection_pool_name: name, db_client_connection_state: 'used' }, used);
        this.set({ db_client_connection_pool_name: name, db_client_connection_state: 'idle' }, idle);
      }
    },
  });
  new Gauge({
    name: 'db_client_connection_pending_requests',
    help: 'Requests waiting for a connection to PostgreSQL, by pool',
    labelNames: ['db_client_connection_pool_name'],
    registers: [registry],
    collect() {
      for (const { name, pending } of database.pools()) {
        this.set({ db_client_connection_pool_name: name }, pending);
      }
    },
  });
}
