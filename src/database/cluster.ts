import { type ExecFileOptions, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, mkdtemp, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type ClusterUser, findClusterUser, handOver, isOpenTo } from './cluster-user.ts';
import { DatabaseStartError, errorCode } from './errors.ts';

/** Infix of the temporary folder in which `initdb` creates the data folder. */
const ASIDE = '.initdb-';
const LONGEST_SOCKET_DIR = 85; // a socket path has at most 103 characters on macOS, and the name takes 18 of them

/** For the server's programs, without the caller's PGDATA, PGPORT, LANG and the like. */
export const SERVER_ENVIRONMENT: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** The paths of one embedded PostgreSQL, all derived from the data folder. */
export interface Cluster {
  readonly dataDir: string;
  readonly lockPath: string;
  readonly logPath: string;
  readonly socketDir: string;
  /** The user that the server runs as; null: our own. */
  readonly user: ClusterUser | null;
}

/** Creates the folder of an embedded PostgreSQL if there is none. */
export async function makeParentDir(parentDir: string): Promise<void> {
  await mkdir(parentDir, { recursive: true }).catch((cause) => {
    throw new DatabaseStartError(
      `the data folder ${parentDir} cannot be made (${errorCode(cause)}); set DATA_DIR to another`,
      { cause },
    );
  });
}

/** Finds the paths of the embedded PostgreSQL in `parentDir`, which must exist. */
export async function locateCluster(parentDir: string): Promise<Cluster> {
  const dataDir = join(await realpath(parentDir), 'postgres');
  const user = await findClusterUser(dataDir);
  return {
    dataDir,
    lockPath: `${dataDir}.lock`,
    logPath: `${dataDir}.log`,
    socketDir: await nameSocketDir(dataDir, user),
    user,
  };
}

/** In the temporary folder, or in /tmp if that path is too long for a socket or `user` cannot enter it. */
async function nameSocketDir(dataDir: string, user: ClusterUser | null): Promise<string> {
  const name = `tocsin-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const socketDir = join(tmpdir(), name);
  const isUsable = socketDir.length <= LONGEST_SOCKET_DIR && (user === null || (await isOpenTo(tmpdir(), user)));
  return isUsable ? socketDir : join('/tmp', name);
}

/** Creates the folder of the socket. Anybody could create one of that name first, so the owner is checked. */
export async function makeSocketDir({ socketDir, user }: Cluster): Promise<void> {
  await mkdir(socketDir, { mode: 0o700 }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') {
      throw error;
    }
  });
  const folder = await lstat(socketDir);
  const isOurs = folder.uid === process.getuid?.() || folder.uid === user?.uid;
  if (!folder.isDirectory() || !isOurs || (folder.mode & 0o077) !== 0) {
    throw new DatabaseStartError(`${socketDir} was made by somebody else; remove it, or set DATABASE_URL`);
  }
  await giveTo(user, socketDir);
}

/** Creates the data folder if there is none. `initdb` runs in a temporary folder, so a crash leaves no half of it. */
export async function makeDataDir({ dataDir, user }: Cluster, binaries: string): Promise<void> {
  const existing = await stat(dataDir).catch(() => null);
  if (existing !== null) {
    if (user !== null && existing.uid !== user.uid) {
      await handOver(dataDir, user);
    }
    return;
  }
  await removeLeftovers(dataDir);
  const aside = await mkdtemp(`${dataDir}${ASIDE}`);
  await giveTo(user, aside);
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
  const args = [
    '-D',
    nameFromInside(aside, user),
    '--username=postgres',
    '--auth=trust',
    '--no-instructions',
    ...locale,
  ];
  try {
    await runInitdb([join(binaries, 'bin', 'initdb'), ...args], { cwd: aside, env: SERVER_ENVIRONMENT, ...user });
  } catch (cause) {
    throw new DatabaseStartError(
      `the packaged PostgreSQL does not run here (${firstErrorLine(cause)}); set DATABASE_URL to one of your own`,
      { cause },
    );
  }
  await rename(aside, dataDir);
}

/**
 * `initdb` looks up its user and ends without one. A user id that has no name, as containers are often given, is `nobody` in
 * a user namespace of its own, where the system allows one.
 */
async function runInitdb([program = '', ...args]: readonly string[], options: ExecFileOptions): Promise<void> {
  const run = promisify(execFile);
  await run(program, args, options).catch((error: unknown) => {
    if (!firstErrorLine(error).includes('could not look up effective user ID')) {
      throw error;
    }
    const asNobody = ['--user', '--map-user=65534', '--map-group=65534', program, ...args];
    return run('unshare', asNobody, options).catch(() => {
      throw error;
    });
  });
}

/**
 * The path of `folder` for a process whose working directory it is. A server that runs as another user may not be allowed
 * to follow the absolute path (below /root, for example), but can always open its working directory.
 */
export function nameFromInside(folder: string, user: ClusterUser | null): string {
  return user !== null && process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

async function giveTo(user: ClusterUser | null, folder: string): Promise<void> {
  if (user !== null) {
    await chown(folder, user.uid, user.gid);
  }
}

/** Removes the folders of interrupted starts. An `initdb` that still writes there fails. */
async function removeLeftovers(dataDir: string): Promise<void> {
  const siblings = await readdir(dirname(dataDir));
  const leftovers = siblings.filter((name) => name.startsWith(`${basename(dataDir)}${ASIDE}`));
  for (const name of leftovers) {
    await rm(join(dirname(dataDir), name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The error line that a failed program wrote, or the reason why it did not run. */
function firstErrorLine(error: unknown): string {
  if (errorCode(error) === 'ENOENT') {
    return 'it is made for another C library'; // the file exists, but the system lacks its loader
  }
  const written = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n') : [];
  return written.find((line) => /error|could not/i.test(line)) ?? written[0] ?? String(error);
}
