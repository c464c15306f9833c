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

/** A running server, as it noted itself down in `postmaster.pid`. */
export interface Server {
  readonly pid: number;
  readonly socketDir: string;
}

/** The server that runs over this cluster; null when none does. A note left behind by a dead one does not count. */
export async function findServer(cluster: Cluster): Promise<Server | null> {
  const text = await readFile(serverFile(cluster), 'utf8').catch(() => '');
  const [pid = '', , , , socketDir = ''] = text.split('\n');
  if (!/^\d+$/.test(pid) || socketDir === '' || !(await runsOver(Number(pid), cluster.dataDir))) {
    return null;
  }
  return { pid: Number(pid), socketDir };
}

/** A server being started. */
export interface ServerStart {
  /** Why it ended; null as long as it has not. */
  failure(): Promise<string | null>;
}

/** Starts a server, and makes the cluster first if there is none. To be called with the cluster locked and no server found. */
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
    'log_min_error_statement=panic', // the text of a failed statement may hold what people wrote
  ];
  const args = ['-D', nameFromInside(cluster.dataDir, cluster.user), ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn(join(binaries, 'bin', 'postgres'), args, {
    cwd: cluster.dataDir,
    detached: true, // out of our process group: Ctrl-C is for us, and we stop the server when we are done with it
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

/** Ends the server as `pg_ctl stop -m fast` does. @returns false when it is still there after half a minute */
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

/** Whether that process is a server over that folder: after a crash its number may be another program's. */
async function runsOver(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform === 'linux') {
    return (await readlink(`/proc/${pid}/cwd`).catch(() => null)) === dataDir;
  }
  const command = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => null);
  return command?.stdout.includes(` -D ${dataDir} `) ?? false;
}

/**
 * Puts our own process id into a dead server's lock file. PostgreSQL will not start while a process of that number
 * lives, be it another program by now, unless it is its parent; all its other checks stay in force.
 */
async function disown(lockFile: string): Promise<void> {
  const text = await readFile(lockFile, 'utf8').catch(() => null);
  if (text !== null) {
    await writeFile(lockFile, text.replace(/^\d+/, String(process.pid)));
  }
}

/** The last reason the server gave for ending, apart from turning us away before it was ready; null when it gave none. */
async function readFatal(logPath: string): Promise<string | null> {
  const log = await readFile(logPath, 'utf8');
  const reasons = [...log.matchAll(/(?:FATAL|PANIC): +(?!the database system is)(.*)/g)];
  return reasons.at(-1)?.[1] ?? null;
}
