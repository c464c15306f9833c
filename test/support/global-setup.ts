import { existsSync, readFileSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig } from 'pg';
import type { TestProject } from 'vitest/node';
import { createStore } from '../../src/bot/store/store.ts';
import { type Cluster, locateCluster } from '../../src/database/cluster.ts';
import { openDatabase } from '../../src/database/database.ts';
import { joinEmbeddedPostgres } from '../../src/database/embedded-postgres.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { offerBrowser } from './browser-server.ts';
import { silentLogger } from './logger.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server on which tests create their databases. */
    databaseUrl: string;
    /** A database there with all tables and no rows. */
    templateDatabase: string;
  }
}

const MEMORY = '/dev/shm';
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;

const cleanup = new AsyncDisposableStack();

/**
 * Starts what all tests of a run share: a folder for temporary files, one PostgreSQL (or the one of DATABASE_URL), and
 * one browser.
 */
export async function setup(project: TestProject): Promise<void> {
  await useTemporaryFolder();
  const databaseUrl = process.env.DATABASE_URL ?? (await startTestCluster());
  project.provide('databaseUrl', databaseUrl);
  project.provide('templateDatabase', await createTemplate(databaseUrl));
  project.provide('browserAddressUrl', cleanup.use(await offerBrowser()).url);
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
  cleanup.defer(() => runStatements({ connectionString: databaseUrl }, [`drop database ${name} with (force)`]));
  const url = new URL(databaseUrl);
  url.pathname = name;
  await using database = await openDatabase({ url: url.href, dataDir: '', logger: silentLogger });
  await createStore(database);
  await database.open(SERVICE_SCHEMA, serviceMigrations);
  return name;
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
