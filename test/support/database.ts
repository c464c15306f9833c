import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { type KeptClients, keepClients } from './kept-clients.ts';
import { silentLogger } from './logger.ts';
import { RESET } from './resettable.ts';
import { shared } from './shared.ts';

export interface TestDatabase extends Database {
  /** Of the server itself, for tests that open the database a second time. */
  readonly url: string;
}

/** The gate runs tests once more through PgBouncer (`.ci/pgbouncer.sh`), the folder of whose socket it names. */
const POOLER_FOLDER = process.env.POOLER_HOST;

/** Nothing listens for notifications through a pooler. */
export const IS_BEHIND_POOLER = POOLER_FOLDER !== undefined;

/** Of each purpose. To open one costs the server more than most tests do with it. */
const CONNECTIONS = 3;

/**
 * Creates a database with all tables. Disposing drops it. A copy of the template's files brings its caches of the catalog
 * along, which each first connection would build otherwise.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { template } = await shared('database');
  const name = await createNamed(template);
  return open(name, undefined, () => drop(name));
}

/** Creates a database without tables, for tests of migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = await createNamed('template1');
  return open(name, undefined, () => drop(name));
}

/** Databases of a worker, and connections to each, that wait for the next test. The server has 200 connections. */
const MOST_EMPTIED = 1;
const MOST_IDLE = 25;

/** Databases that a test has used, empty again, with the connections that it has opened. */
const emptied: { readonly name: string; readonly clients: KeptClients }[] = [];

/**
 * A database with all tables and no rows, which an earlier test of this worker may have used. It is for tests that only
 * this process connects to it: disposing empties it, and drops it if the test has changed its tables.
 */
export async function borrowTestDatabase(): Promise<TestDatabase> {
  const { name, clients } = emptied.pop() ?? {
    name: await createNamed((await shared('database')).template),
    clients: keepClients({ most: MOST_IDLE, prepares: !IS_BEHIND_POOLER }),
  };
  return open(name, clients.newClient, async () => {
    if (emptied.length < MOST_EMPTIED && (await isReset(name, clients))) {
      emptied.push({ name, clients });
    } else {
      await clients.end();
      await drop(name);
    }
  });
}

async function isReset(name: string, clients: KeptClients): Promise<boolean> {
  const client = clients.newClient({ connectionString: await urlOf(name) });
  try {
    await client.connect();
    const { rows } = await client.query<{ done: boolean }>(RESET);
    return rows[0]?.done === true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

/** The end of the run drops what has the name of its template. */
async function createNamed(template: string): Promise<string> {
  const name = `${(await shared('database')).template.replace('template', 'test')}_${randomUUID().replaceAll('-', '')}`;
  await runOnServer(`create database ${name} template ${template} strategy file_copy`);
  return name;
}

async function drop(name: string): Promise<void> {
  await runOnServer(`drop database ${name} with (force)`);
}

async function urlOf(name: string): Promise<string> {
  const url = new URL((await shared('database')).url);
  url.pathname = name;
  return url.href;
}

async function open(
  name: string,
  newClient: KeptClients['newClient'] | undefined,
  end: () => Promise<void>,
): Promise<TestDatabase> {
  const url = await urlOf(name);
  const options = { dataDir: '', logger: silentLogger, connections: CONNECTIONS, newClient };
  const database = await openDatabase({ url: throughPooler(new URL(url)).href, ...options });
  return {
    ...database,
    url,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await end();
    },
  };
}

function throughPooler(url: URL): URL {
  const pooled = new URL(url);
  pooled.host = POOLER_FOLDER === undefined ? url.host : encodeURIComponent(POOLER_FOLDER);
  return pooled;
}

let administration: Pool | undefined;

/** On one connection for all tests of this worker: opening one costs more than the statement. */
async function runOnServer(statement: string): Promise<void> {
  administration ??= new Pool({
    connectionString: (await shared('database')).url,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  await administration.query(statement);
}
