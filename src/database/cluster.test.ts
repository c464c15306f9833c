import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findBinaries, prepareBinaries } from './binaries.ts';
import { locateCluster, makeDataDir } from './cluster.ts';

const isRoot = process.getuid?.() === 0;

it('keeps the path of the socket within the limit of the system', async () => {
  const folder = await makeFolder();
  const long = join(folder, 'x'.repeat(100));
  await mkdir(long);
  useTemporaryFolder(long);

  const { socketDir } = await locateCluster(folder);

  expect(dirname(socketDir)).toBe('/tmp');
});

it.runIf(isRoot)('puts the socket where the user of the server can reach it', async () => {
  const closed = await makeFolder();
  useTemporaryFolder(closed);

  const { socketDir } = await locateCluster(closed);

  expect(dirname(socketDir)).toBe('/tmp');
});

const NAMELESS = { uid: 54_321, gid: 54_321 };
const hasUserNamespaces =
  isRoot && spawnSync('unshare', ['--user', '--map-user=65534', 'true'], { ...NAMELESS, cwd: '/' }).status === 0;

it.runIf(hasUserNamespaces)('makes a data folder for a user that has no name', async () => {
  const folder = await makeFolder();
  await chmod(folder, 0o755);
  const cluster = { ...(await locateCluster(folder)), user: NAMELESS };

  await makeDataDir(cluster, await prepareBinaries(findBinaries(), NAMELESS, folder));

  const { uid } = await stat(join(cluster.dataDir, 'PG_VERSION'));
  expect(uid).toBe(NAMELESS.uid);
});

it.runIf(isRoot && !hasUserNamespaces)('explains what to do if the user of the server has no name', async () => {
  const folder = await makeFolder();
  await chmod(folder, 0o755);
  const cluster = { ...(await locateCluster(folder)), user: NAMELESS };
  const binaries = await prepareBinaries(findBinaries(), NAMELESS, folder);

  await expect(makeDataDir(cluster, binaries)).rejects.toThrow(
    /does not run here \(.*could not look up effective user ID 54321.*\); set DATABASE_URL/,
  );
});

it('explains what to do if the binaries do not run on this system', async () => {
  const folder = await makeFolder();
  const cluster = await locateCluster(folder);

  await expect(makeDataDir(cluster, join(folder, 'no-binaries'))).rejects.toThrow(
    /^the packaged PostgreSQL does not run here \(.*\); set DATABASE_URL to one of your own$/,
  );
});

/** Closed to other users, as `mktemp -d` creates it. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function useTemporaryFolder(folder: string): void {
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
}
