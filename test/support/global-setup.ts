import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { type Cluster, locateCluster } from '../../src/database/cluster.ts';
import { joinEmbeddedPostgres } from '../../src/database/embedded-postgres.ts';
import { silentLogger } from './logger.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server on which tests make their throw-away databases. */
    databaseUrl: string;
  }
}

const cleanup = new AsyncDisposableStack();

/** One PostgreSQL for the whole run: that of DATABASE_URL, else an embedded one in a temporary folder. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('databaseUrl', process.env.DATABASE_URL ?? (await startTestCluster()));
}

export async function teardown(): Promise<void> {
  await cleanup.disposeAsync();
}

async function startTestCluster(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  cleanup.defer(() => rm(dataDir, { recursive: true, force: true }));
  cleanUpOnExit(await locateCluster(dataDir));
  const { connection } = cleanup.use(await joinEmbeddedPostgres({ dataDir, logger: silentLogger }));
  const admin = new Client(connection);
  await admin.connect();
  await admin.query('alter system set fsync = off'); // nobody misses this cluster after a power cut
  await admin.query('select pg_reload_conf()');
  await admin.end();
  return `postgres://${connection.user}@${encodeURIComponent(connection.host ?? '')}/${connection.database}`;
}

/** On a signal (Ctrl-C, `timeout`) Vitest exits at once and skips the teardown; what then can be done is done here. */
function cleanUpOnExit({ dataDir, socketDir }: Cluster): void {
  const endAtOnce = () => {
    const serverFile = join(dataDir, 'postmaster.pid');
    if (existsSync(serverFile)) {
      process.kill(Number.parseInt(readFileSync(serverFile, 'utf8'), 10), 'SIGQUIT');
    }
    rmSync(socketDir, { recursive: true, force: true });
    rmSync(dirname(dataDir), { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', endAtOnce);
  cleanup.defer(() => void process.off('exit', endAtOnce));
}
