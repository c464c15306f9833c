import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, readlink, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findBinaries, prepareBinaries } from './binaries.ts';
import { type Cluster, makeDataDir, makeSocketDir, nameFromInside, SERVER_ENVIRONMENT } from './cluster.ts';

const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/** A running server, as `postmaster.pid` describes it. */
export interface Server {
  readonly pid: number;
  readonly socketDir: string;
}

/** Finds the server of this cluster; null if none runs. A stale `postmaster.pid` does not count. */
export async function findServer(cluster: Cluster): Promise<Server | null> {
  const text = await readFile(serverFile(cluster), 'utf8').catch(() => '');
  const [pid = '', , , , socketDir = ''] = text.split('\n');
  if (!/^\d+$/.test(pid) || socketDir === '' || !(await runsOver(Number(pid), cluster.dataDir))) {
    return null;
  }
  return { pid: Number(pid), socketDir };
}

/** A server that is starting. */
export interface ServerStart {
  /** Why it ended; null while it runs. */
  failure(): Promise<string | null>;
}

/** Starts a server, and creates the cluster if there is none. The caller holds the lock and has found no server. */
export async function startServer(cluster: Cluster): Promise<ServerStart> {
  await makeSocketDir(cluster);
  const binaries = await prepareBinaries(findBinaries(), cluster.user, cluster.socketDir);
  await makeDataDir(cluster, binaries);
  await disown(serverFile(cluster));
  await disown(join(cluster.socketDir, '.s.PGSQL.5432.lock'));
  await rename(cluster.logPath, `${cluster.logPath}.old`).catch(() => undefined);
  await using log = await open(cluster.logPath, 'w', 0o600);
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${cluster.socketDir}`,
    'unix_socket_permissions=0700',
    'max_connections=200',
    'log_checkpoints=off',
    'log_min_error_statement=panic', // statements may contain what users wrote
  ];
  const args = ['-D', nameFromInside(cluster.dataDir, cluster.user), ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn(join(binaries, 'bin', 'postgres'), args, {
    cwd: cluster.dataDir,
    detached: true, // in its own process group, so that Ctrl-C reaches only us; we stop the server at the end
    stdio: ['ignore', log.fd, log.fd],
    env: SERVER_ENVIRONMENT,
    ...cluster.user,
  });
  child.unref();
  let ended: string | null = null;
  once(child, 'exit').then(
    ([code, signal]) => {
      ended = `ended with ${signal ?? code}`;
    },
    (error: Error) => {
      ended = error.message;
    },
  );
  return { failure: async () => ended && ((await readFatal(cluster.logPath)) ?? ended) };
}

/** Stops the server like `pg_ctl stop -m fast`. @returns false if it still runs after 30 seconds */
export async function stopServer(cluster: Cluster): Promise<boolean> {
  const server = await findServer(cluster);
  if (server === null) {
    return true;
  }
  process.kill(server.pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while ((await findServer(cluster)) !== null) {
    if (Date.now() > deadline) {
      return false;
    }
    await sleep(POLL_MS);
  }
  return true;
}

function serverFile({ dataDir }: Cluster): string {
  return join(dataDir, 'postmaster.pid');
}

/** Whether the process is the server of that folder. After a crash its id may belong to another program. */
async function runsOver(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform === 'linux') {
    return (await readlink(`/proc/${pid}/cwd`).catch(() => null)) === dataDir;
  }
  const command = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => null);
  return command?.stdout.includes(` -D ${dataDir} `) ?? false;
}

/**
 * Writes our own process id into a dead server's lock file. PostgreSQL refuses to start while the process named there
 * is alive, even if another program has that id by now, unless it is its own parent. Its other checks still apply.
 */
async function disown(lockFile: string): Promise<void> {
  const text = await readFile(lockFile, 'utf8').catch(() => null);
  if (text !== null) {
    await writeFile(lockFile, text.replace(/^\d+/, String(process.pid)));
  }
}

/** The last error that ended the server, not counting refused early connections; null if the log has none. */
async function readFatal(logPath: string): Promise<string | null> {
  const log = await readFile(logPath, 'utf8');
  const reasons = [...log.matchAll(/(?:FATAL|PANIC): +(?!the database system is)(.*)/g)];
  return reasons.at(-1)?.[1] ?? null;
}
