import type { Kysely } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { postgresLog } from '../../src/service/log/postgres-log.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { checkLaws } from '../support/log-laws.ts';

let database: TestDatabase;
let db: Kysely<ServiceTables>;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
});
afterAll(() => database[Symbol.asyncDispose]());

checkLaws(() => ({ db, logs: [postgresLog, postgresLog] }));
