import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const WITHOUT = /^(node_modules|\.git|data|dist|release|test|bench|packages\/local-slack\/(dist|test))$/;
const run = promisify(execFile);

it('makes a release: versions, changelogs, the list of packages and a packed local Slack', {
  timeout: 180_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-release-'));
  try {
    await cp(ROOT, folder, { recursive: true, filter: (path) => !WITHOUT.test(relative(ROOT, path)) });
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

    const { stdout } = await run('npm', ['run', 'release', '--', '98.7.6'], { cwd: folder });
    const again = run('npm', ['run', 'release', '--', '98.7.6'], { cwd: folder });

    const read = (path: string) => readFile(join(folder, path), 'utf8');
    await expect(again).rejects.toMatchObject({ stderr: expect.stringContaining('has 98.7.6 already') });
    expect(stdout).toContain('git tag v98.7.6');
    expect((await readdir(join(folder, 'release'))).toSorted()).toEqual([
      'local-slack-98.7.6.tgz',
      'tocsin-98.7.6.cdx.json',
    ]);
    expect(await read('CHANGELOG.md')).toMatch(/^## unreleased\n\n## 98\.7\.6 \(\d{4}-\d\d-\d\d\)\n/m);
    expect(await read('deploy/helm/tocsin/Chart.yaml')).toContain('appVersion: "98.7.6"');
    expect(await read('deploy/kubernetes/tocsin.yaml')).toContain('image: "tocsin:98.7.6"');
    const lock = JSON.parse(await read('package-lock.json'));
    expect([lock.version, lock.packages['packages/local-slack'].version]).toEqual(['98.7.6', '98.7.6']);
    const { metadata, components } = JSON.parse(await read('release/tocsin-98.7.6.cdx.json'));
    const names = components.map(({ name }: { readonly name: string }) => name);
    expect(metadata.component.version).toBe('98.7.6');
    expect(names).toContain('hono');
    expect(names).not.toContain('vitest');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
