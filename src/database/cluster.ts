import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, mkdtemp, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type ClusterUser, findClusterUser, handOver, isOpenTo } from './cluster-user.ts';
import { DatabaseStartError, errorCode } from './errors.ts';

/** Between the data folder's name and a random part: the folder in which `initdb` makes it. */
const ASIDE = '.initdb-';
const LONGEST_SOCKET_DIR = 85; // a socket's path holds 103 characters on macOS, and its name needs 18 of them

/** For the server's programs: the caller's PGDATA, PGPORT, LANG… are not meant for them. */
export const SERVER_ENVIRONMENT: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Where the parts of one embedded PostgreSQL are; all of it follows from the data folder. */
export interface Cluster {
  readonly dataDir: string;
  readonly lockPath: string;
  readonly logPath: string;
  readonly socketDir: string;
  /** Whom the server runs as; null: as ourselves. */
  readonly user: ClusterUser | null;
}

/** Finds the places of the embedded PostgreSQL below `parentDir`, which is made if need be. */
export async function locateCluster(parentDir: string): Promise<Cluster> {
  await mkdir(parentDir, { recursive: true }).catch((cause) => {
    throw new DatabaseStartError(
      `the data folder ${parentDir} cannot be made (${errorCode(cause)}); set DATA_DIR to another`,
      { cause },
    );
  });
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

/** In the temporary folder, unless its path is too long for a socket or `user` cannot enter it. */
async function nameSocketDir(dataDir: string, user: ClusterUser | null): Promise<string> {
  const name = `tocsin-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const socketDir = join(tmpdir(), name);
  const isUsable = socketDir.length <= LONGEST_SOCKET_DIR && (user === null || (await isOpenTo(tmpdir(), user)));
  return isUsable ? socketDir : join('/tmp', name);
}

/** Makes the folder of the socket. Its name is predictable and anybody may write around it, so it must prove ours. */
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

/** Makes the data folder if there is none. `initdb` works aside, so that the folder is there whole or not at all. */
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
    const options = { cwd: aside, env: SERVER_ENVIRONMENT, ...user };
    await promisify(execFile)(join(binaries, 'bin', 'initdb'), args, options);
  } catch (cause) {
    throw new DatabaseStartError(
      `the packaged PostgreSQL does not run here (${firstErrorLine(cause)}); set DATABASE_URL to one of your own`,
      { cause },
    );
  }
  await rename(aside, dataDir);
}

/**
 * How a process that stands in `folder` is to name it. A server that runs as another user may have no way to it by its
 * path (below /root, say), but needs none to where it stands.
 */
export function nameFromInside(folder: string, user: ClusterUser | null): string {
  return user !== null && process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

async function giveTo(user: ClusterUser | null, folder: string): Promise<void> {
  if (user !== null) {
    await chown(folder, user.uid, user.gid);
  }
}

/** What a start that was interrupted had begun. Its `initdb` may still be writing there, and fails now. */
async function removeLeftovers(dataDir: string): Promise<void> {
  const siblings = await readdir(dirname(dataDir));
  const leftovers = siblings.filter((name) => name.startsWith(`${basename(dataDir)}${ASIDE}`));
  for (const name of leftovers) {
    await rm(join(dirname(dataDir), name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Of a failed program, the line it wrote about its error; else what kept it from running. */
function firstErrorLine(error: unknown): string {
  if (errorCode(error) === 'ENOENT') {
    return 'it is made for another C library'; // the file is there, what the system lacks is its loader
  }
  const written = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n') : [];
  return written.find((line) => /error|could not/i.test(line)) ?? written[0] ?? String(error);
}
