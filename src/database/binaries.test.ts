import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findBinaries, prepareBinaries } from './binaries.ts';
import { DatabaseStartError } from './errors.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65534, gid: 65534 };

it('explains what to do on a platform without a packaged PostgreSQL', () => {
  expect(() => findBinaries('sunos', 'x64')).toThrow(
    new DatabaseStartError('there is no packaged PostgreSQL for sunos-x64; set DATABASE_URL to one of your own'),
  );
});

it('creates the links that an install without scripts leaves out', async () => {
  await using folder = await makeFolder();
  const native = await copyWithoutLinks(folder.path);

  await expect(prepareBinaries(native, null, '')).resolves.toBe(native);

  const { stdout } = await promisify(execFile)(join(native, 'bin', 'postgres'), ['--version']);
  expect(stdout).toContain('PostgreSQL');
});

it.runIf(isRoot)('copies the binaries to a place where the user of the server can run them', async () => {
  await using closed = await makeFolder();
  await using open = await makeFolder();
  await chmod(open.path, 0o755);
  const native = await copyWithoutLinks(closed.path);

  const binaries = await prepareBinaries(native, NOBODY, open.path);

  expect(binaries).toBe(join(open.path, 'native'));
  const { stdout } = await promisify(execFile)(join(binaries, 'bin', 'postgres'), ['--version'], NOBODY);
  expect(stdout).toContain('PostgreSQL');
});

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function copyWithoutLinks(folder: string): Promise<string> {
  const native = join(folder, 'native');
  const filter = async (path: string) => !(await lstat(path)).isSymbolicLink();
  await cp(findBinaries(), native, { recursive: true, filter });
  const [link] = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  await expect(lstat(join(folder, link.target))).rejects.toThrow('ENOENT');
  return native;
}
