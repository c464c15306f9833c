import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { silentLogger } from './logger.ts';

export interface TestDatabase extends Database {
  /** For tests that open the database a second time. */
  readonly url: string;
}

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
  const database = await openDatabase({ url: url.href, dataDir: '', logger: silentLogger });
  return {
    ...database,
    url: url.href,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await runOnServer(`drop database ${name} with (force)`);
    },
  };
}

async function runOnServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  await client.query(statement);
  await client.end();
}
