import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { silentLogger } from './logger.ts';

export interface TestDatabase extends Database {
  /** Its address, for what opens it a second time. */
  readonly url: string;
}

/** A database of its own on the run's server; it is dropped when it is disposed of. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = new URL(inject('databaseUrl'));
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runOnServer(`create database ${name}`);
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
