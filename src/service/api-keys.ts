import type { Database } from '../database/database.ts';
import { type ApiKeyStore, createApiKeyStore } from './store/api-key-store.ts';
import { serviceMigrations } from './store/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from './store/tables.ts';

/** The keys of the service without the service: for whoever has the database. It closes with the database. */
export async function openApiKeys(database: Database): Promise<ApiKeyStore> {
  return createApiKeyStore(await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
}
