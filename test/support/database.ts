import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { silentLogger } from './logger.ts';

export interface TestDatabase extends Database {
  /** Of the server itself, for tests that open the database a second time. */
  readonly url: string;
}

/** The gate runs tests once more through PgBouncer (`.ci/pgbouncer.sh`), the folder of whose socket it names. */
const POOLER_FOLDER = process.env.POOLER_HOST;

/** Nothing listens for notifications through a pooler. */
export const IS_BEHIND_POOLER = POOLER_FOLDER !== undefined;

/** Creates a database with all tables. Disposing drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return await create(inject('templateDatabase'));
}

/** Creates a database without tables, for tests of migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return await create('template1');
}

async function create(template: string): Promise<TestDatabase> {
  const url = new URL(inject('databaseUrl'));
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runOnServer(`create database ${name} template ${template}`);
  url.pathname = name;
  const database = await openDatabase({ url: throughPooler(url), dataDir: '', logger: silentLogger });
  return {
    ...database,
    url: url.href,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await runOnServer(`drop database ${name} with (force)`);
    },
  };
}

function throughPooler(url: URL): string {
  const pooled = new URL(url);
  pooled.host = POOLER_FOLDER === undefined ? url.host : encodeURIComponent(POOLER_FOLDER);
  return pooled.href;
}

async function runOnServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  await client.query(statement);
  await client.end();
}
