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
  timeout: 900_000,
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
      'SHA256SUMS',
      'local-slack-98.7.6.tgz',
      'tocsin-98.7.6.cdx.json',
    ]);
    expect(await read('CHANGELOG.md')).toMatch(/^## unreleased\n\n## 98\.7\.6 \(\d{4}-\d\d-\d\d\)\n/m);
    expect(await read('deploy/helm/tocsin/Chart.yaml')).toContain('appVersion: "98.7.6"');
    expect(await read('deploy/kubernetes/tocsin.yaml')).toContain('image: "tocsin:98.7.6"');
    const lock = JSON.parse(await read('package-lock.json'));
    expect([lock.version, lock.packages['packages/local-slack'].version]).toEqual(['98.7.6', '98.7.6']);
    const { metadata, components } = JSON.parse(await read('release/tocsin-98.7.6.cdx.json'));
    expect(metadata.component).toMatchObject({ name: 'tocsin', version: '98.7.6' });
    expect(components.map((each: { readonly 'bom-ref': string }) => each['bom-ref']).toSorted()).toEqual(
      neededAtRun(lock.packages),
    );
    expect(components.length).toBeGreaterThan(150);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly link?: boolean;
  readonly resolved?: string;
}

/** The packages that Tocsin reaches from its dependencies, as Node looks for them. */
function neededAtRun(packages: Readonly<Record<string, Locked>>): string[] {
  const found = new Set<string>();
  const follow = (from: string) => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[from] ?? {};
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const place = foldersAbove(from)
        .map((folder) => `${folder}node_modules/${name}`)
        .find((path) => packages[path] !== undefined);
      if (place !== undefined && !found.has(place)) {
        found.add(place);
        follow(packages[place]?.link === true ? (packages[place].resolved ?? '') : place);
      }
    }
  };
  follow('');
  return [...found].toSorted();
}

/** `a/node_modules/b/`, `a/` and the root. */
function foldersAbove(path: string): string[] {
  const parts = path === '' ? [] : path.split('/node_modules/');
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/node_modules/')}/`), ''];
}
