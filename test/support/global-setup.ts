import { existsSync, readFileSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig } from 'pg';
import type { TestProject } from 'vitest/node';
import { createStore } from '../../src/bot/store.ts';
import { type Cluster, locateCluster } from '../../src/database/cluster.ts';
import { openDatabase } from '../../src/database/database.ts';
import { joinEmbeddedPostgres } from '../../src/database/embedded-postgres.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { launchBrowser } from './browser-server.ts';
import { silentLogger } from './logger.ts';
import { makeResettable } from './resettable.ts';
import { offerServers, type SharedServers } from './shared-servers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests ask for the servers that they share. */
    sharedServersUrl: string;
  }
}

const MEMORY = '/dev/shm';
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;

const cleanup = new AsyncDisposableStack();

/**
 * Offers what all tests of a run share: a folder for temporary files, one PostgreSQL (or the one of DATABASE_URL), and
 * one browser. The servers start when a test needs them.
 */
export async function setup(project: TestProject): Promise<void> {
  await useTemporaryFolder();
  const servers = cleanup.use(await offerServers({ database: startDatabase, browser: startBrowser }));
  project.provide('sharedServersUrl', servers.url);
}

export async function teardown(): Promise<void> {
  await cleanup.disposeAsync();
}

/**
 * Creates a folder and points TMPDIR at it, which all test processes inherit. It is in memory if there is enough: creating
 * a database on a disk takes ten times as long.
 */
async function useTemporaryFolder(): Promise<void> {
  const memory = await statfs(MEMORY).catch(() => null);
  const hasMemory = memory !== null && memory.bavail * memory.bsize > MEMORY_NEEDED_BYTES;
  const folder = await mkdtemp(join(hasMemory ? MEMORY : tmpdir(), 'tocsin-test-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(folder, 0o755); // PostgreSQL may run as another user
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE = join(folder, 'compile-cache');
}

async function startDatabase(): Promise<SharedServers['database']> {
  const url = process.env.DATABASE_URL ?? (await startTestCluster());
  return { url, template: await createTemplate(url) };
}

async function startBrowser(): Promise<SharedServers['browser']> {
  const browser = await launchBrowser();
  cleanup.defer(() => browser.close());
  return { url: browser.wsEndpoint() };
}

async function startTestCluster(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cluster-'));
  cleanUpOnExit(await locateCluster(dataDir));
  const { connection } = cleanup.use(await joinEmbeddedPostgres({ dataDir, logger: silentLogger }));
  // A power cut may take this cluster, and nothing in it lives long enough to need a vacuum.
  await runStatements(connection, [
    'alter system set fsync = off',
    'alter system set autovacuum = off',
    'select pg_reload_conf()',
  ]);
  return `postgres://${connection.user}@${encodeURIComponent(connection.host ?? '')}/${connection.database}`;
}

/** Runs all migrations once; `create database … template` copies the result faster than they run. */
async function createTemplate(databaseUrl: string): Promise<string> {
  const name = `template_${process.pid}`;
  await runStatements({ connectionString: databaseUrl }, [`create database ${name}`]);
  cleanup.defer(() => dropDatabases(databaseUrl, `^(${name}|${name.replace('template', 'test')}_.*)$`));
  const url = new URL(databaseUrl);
  url.pathname = name;
  await using database = await openDatabase({ url: url.href, dataDir: '', logger: silentLogger });
  await createStore(database);
  await database.open(SERVICE_SCHEMA, serviceMigrations);
  const client = await database.connect();
  await makeResettable(client);
  await client.end();
  return name;
}

/** @param pattern of their names */
async function dropDatabases(databaseUrl: string, pattern: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>('select datname from pg_database where datname ~ $1', [
    pattern,
  ]);
  for (const { datname } of rows) {
    await client.query(`drop database ${datname} with (force)`);
  }
  await client.end();
}

async function runStatements(connection: ClientConfig, statements: readonly string[]): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  for (const statement of statements) {
    await client.query(statement);
  }
  await client.end();
}

/** On a signal (Ctrl-C, `timeout`) Vitest exits at once and skips the teardown. */
function cleanUpOnExit({ dataDir, socketDir }: Cluster): void {
  const folder = tmpdir();
  const endAtOnce = () => {
    const serverFile = join(dataDir, 'postmaster.pid');
    if (existsSync(serverFile)) {
      process.kill(Number.parseInt(readFileSync(serverFile, 'utf8'), 10), 'SIGQUIT');
    }
    rmSync(socketDir, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', endAtOnce);
  cleanup.defer(() => void process.off('exit', endAtOnce));
}
