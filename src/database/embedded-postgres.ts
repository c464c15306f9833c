import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig, DatabaseError } from 'pg';
import type { Logger } from 'pino';
import { type Cluster, locateCluster, makeParentDir } from './cluster.ts';
import { DatabaseStartError, describeConnectFailure, errorCode } from './errors.ts';
import { withFileLock } from './file-lock.ts';
import { findServer, type ServerStart, startServer, stopServer } from './server.ts';
import { startWatchdog } from './watchdog.ts';

const START_TIMEOUT_MS = 120_000; // after a crash the server first recovers from its log
const LOCK_TIMEOUT_MS = START_TIMEOUT_MS + 30_000;
const POLL_MS = 20;
const RESTART_AFTER_MS = 1000;
const ORPHAN_GRACE_SECONDS = 15;

/** `@types/pg` lacks these methods. */
type Membership = Client & { ref(): void; unref(): void };

export interface EmbeddedPostgres extends AsyncDisposable {
  readonly connection: ClientConfig;
}

/**
 * Joins the PostgreSQL of a data folder: starts it, or uses the one that already runs there.
 *
 * Each process holds one connection, its membership, while it uses the server, and restarts the server if it goes away.
 * The last member to leave stops it. Starting and stopping happen under the cluster's lock. The watchdog of a member that
 * is killed stops the server if no other member is left.
 *
 * @param deps.orphanGraceSeconds time for the next start to use the server of a killed process
 */
export async function joinEmbeddedPostgres(deps: {
  dataDir: string;
  logger: Logger;
  orphanGraceSeconds?: number | undefined;
}): Promise<EmbeddedPostgres> {
  const { logger, orphanGraceSeconds = ORPHAN_GRACE_SECONDS } = deps;
  await makeParentDir(deps.dataDir);
  const { located, cluster } = await findCluster(deps.dataDir);
  const connection = connectionTo(cluster);
  const watchdog = startWatchdog(dirname(cluster.dataDir), orphanGraceSeconds, logger);
  let isLeaving = false;
  let rejoining = Promise.resolve();
  let membership = await join();

  async function join(): Promise<Membership> {
    const client = await withFileLock(cluster.lockPath, LOCK_TIMEOUT_MS, () => connectOrStart(cluster, connection));
    client.once('end', () => {
      rejoining = rejoin();
    });
    client.unref();
    return client;
  }

  async function rejoin(): Promise<void> {
    while (!isLeaving) {
      try {
        logger.error('the embedded PostgreSQL has stopped; restarting it');
        membership = await join();
        return;
      } catch (err) {
        logger.error({ err }, 'the embedded PostgreSQL does not restart');
        await sleep(RESTART_AFTER_MS, undefined, { ref: false });
      }
    }
  }

  return {
    connection,
    async [Symbol.asyncDispose]() {
      isLeaving = true;
      await rejoining;
      await withFileLock(cluster.lockPath, LOCK_TIMEOUT_MS, async () => {
        const isLast = await endMembership(membership);
        if (isLast && !(await stopAndCleanUp(cluster, located))) {
          logger.warn({ dataDir: cluster.dataDir }, 'the embedded PostgreSQL does not stop; leaving it running');
        }
      });
      watchdog.dismiss();
    },
  };
}

/**
 * Stops the PostgreSQL of a data folder if it has no members. Where none runs, it leaves the folder as it is: somebody may
 * be removing it. (A server that is starting has a member with a watchdog of its own.)
 *
 * @returns whether no server runs there any more
 */
export async function stopUnusedPostgres(dataDir: string): Promise<boolean> {
  const found = await findCluster(dataDir).catch(unlessGone);
  if (found?.isRunning !== true) {
    return true;
  }
  const { located, cluster } = found;
  return await withFileLock(cluster.lockPath, LOCK_TIMEOUT_MS, async () => {
    if ((await findServer(cluster)) === null) {
      return true;
    }
    const visit = await tryConnect(connectionTo(cluster));
    return visit !== null && (await endMembership(visit)) && (await stopAndCleanUp(cluster, located));
  });
}

function unlessGone(error: unknown): null {
  if (errorCode(error) === 'ENOENT') {
    return null;
  }
  throw error;
}

/** The paths by our settings, and those of the running server, which may have been started with another TMPDIR. */
async function findCluster(
  dataDir: string,
): Promise<{ readonly located: Cluster; readonly cluster: Cluster; readonly isRunning: boolean }> {
  const located = await locateCluster(dataDir);
  const server = await findServer(located);
  const cluster = { ...located, socketDir: server?.socketDir ?? located.socketDir };
  return { located, cluster, isRunning: server !== null };
}

function connectionTo({ socketDir }: Cluster): ClientConfig {
  return {
    host: socketDir,
    port: 5432,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    application_name: `tocsin ${randomUUID()}`, // distinguishes our connections from those of other members
  };
}

async function stopAndCleanUp(cluster: Cluster, { socketDir }: Cluster): Promise<boolean> {
  const isStopped = await stopServer(cluster);
  if (isStopped) {
    await rm(socketDir, { recursive: true, force: true });
  }
  return isStopped;
}

async function connectOrStart(cluster: Cluster, connection: ClientConfig): Promise<Membership> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let start: ServerStart | null = null;
  while (Date.now() < deadline) {
    const client = await tryConnect(connection);
    if (client !== null) {
      return client;
    }
    const failure = await start?.failure();
    if (failure) {
      start = null; // try again if only a killed server's shared memory is in the way: its children are about to exit
      if (!failure.includes('shared memory block')) {
        throw new DatabaseStartError(`the embedded PostgreSQL does not start: ${failure}; see ${cluster.logPath}`);
      }
    }
    if (start === null && (await findServer(cluster)) === null) {
      start = await startServer(cluster);
    }
    await sleep(POLL_MS);
  }
  const server = await findServer(cluster);
  throw new DatabaseStartError(
    `the embedded PostgreSQL (process ${server?.pid}) does not answer; see ${cluster.logPath}, or end it and start again`,
  );
}

const SHUTDOWN_OR_START = '57P'; // SQLSTATEs of a server that is starting or stopping

/** @returns null if no server answers, or one that is starting or stopping */
async function tryConnect(connection: ClientConfig): Promise<Membership | null> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 10_000 }) as Membership;
  client.on('error', () => undefined); // the end event follows
  try {
    await client.connect();
    return client;
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || cause.code?.startsWith(SHUTDOWN_OR_START)) {
      return null;
    }
    throw new DatabaseStartError(`the embedded PostgreSQL cannot be used: ${describeConnectFailure(cause)}`, { cause });
  }
}

/** @returns whether this was the last member */
async function endMembership(membership: Membership): Promise<boolean> {
  membership.ref();
  try {
    const { rows } = await membership.query(
      `select from pg_stat_activity
        where backend_type = 'client backend' and application_name <> current_setting('application_name')`,
    );
    await membership.end();
    return rows.length === 0;
  } catch {
    return false; // the server has already stopped
  }
}
