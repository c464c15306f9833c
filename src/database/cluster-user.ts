import { lchown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseStartError } from './errors.ts';

/** The user that runs the server and owns its folders. */
export interface ClusterUser {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: ClusterUser = { uid: 65534, gid: 65534 };

/**
 * PostgreSQL refuses to run as root. It then runs as the owner of the data folder, or as nobody if there is none yet.
 *
 * @returns null if it runs as our own user
 */
export async function findClusterUser(dataDir: string): Promise<ClusterUser | null> {
  const uid = process.getuid?.();
  const folder = await stat(dataDir).catch(() => null);
  if (uid === 0) {
    return folder === null || folder.uid === 0 ? NOBODY : { uid: folder.uid, gid: folder.gid };
  }
  if (folder !== null && folder.uid !== uid) {
    throw new DatabaseStartError(
      `${dataDir} belongs to another user (${folder.uid}); start as that user, set another DATA_DIR, or set DATABASE_URL`,
    );
  }
  return null;
}

/** Changes the owner of a folder and its content. Symbolic links are not followed. */
export async function handOver(folder: string, user: ClusterUser): Promise<void> {
  await lchown(folder, user.uid, user.gid);
  for (const entry of await readdir(folder, { recursive: true })) {
    await lchown(join(folder, entry), user.uid, user.gid);
  }
}

/** Whether `user` may enter `path` and every folder above it. */
export async function isOpenTo(path: string, user: ClusterUser): Promise<boolean> {
  const { uid, mode } = await stat(path);
  const isOpen = (mode & (uid === user.uid ? 0o100 : 0o001)) !== 0;
  const parent = dirname(path);
  return isOpen && (parent === path || (await isOpenTo(parent, user)));
}
