import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

const PACKAGE = join(import.meta.dirname, '..');
const MODULES = join(PACKAGE, '../../node_modules');
const TIME_LIMIT = { timeout: 180_000 };
const run = promisify(execFile);

const MANIFEST = {
  display_information: { name: 'Echo' },
  features: { slash_commands: [{ command: '/echo', description: 'Says it again' }] },
  oauth_config: { scopes: { bot: ['chat:write', 'commands'] } },
  settings: { socket_mode_enabled: true },
};

/** What the README shows, in another project. */
const PROGRAM = `
import { type LocalSlack, startLocalSlack } from 'local-slack';

export async function post(): Promise<string | undefined> {
  await using slack: LocalSlack = await startLocalSlack({
    manifestPath: 'manifest.json',
    port: 0,
    delivery: { mode: 'manifest' },
  });
  const response = await fetch(new URL('chat.postMessage', slack.apiUrl), {
    method: 'POST',
    headers: { authorization: \`Bearer \${slack.botToken}\`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: '#playground', text: 'from elsewhere' }),
  });
  await response.json();
  const page = await fetch(new URL('/assets/main.js', slack.url));
  return page.ok ? slack.messages('playground').at(-1)?.text : undefined;
}
`;

let folder: string;
let unpacked: string;

/** Another project, with the package as npm would install it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-slack-package-'));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: PACKAGE });
  await run('tar', ['-xzf', stdout.trim().split('\n').at(-1) ?? ''], { cwd: folder });
  unpacked = join(folder, 'node_modules/local-slack');
  await cp(join(folder, 'package'), unpacked, { recursive: true });
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')));
  for (const name of [...Object.keys(dependencies), '@types/node', 'vitest']) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
    await symlink(join(MODULES, name), join(folder, 'node_modules', name));
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(MANIFEST));
  await writeFile(join(folder, 'program.ts'), PROGRAM);
}, TIME_LIMIT.timeout);
afterAll(() => rm(folder, { recursive: true }));

it('has everything that its README shows, and neither sources nor tests', async () => {
  const readme = await readFile(join(unpacked, 'README.md'), 'utf8');
  const files = await readdir(unpacked, { recursive: true });

  const linked = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path);

  expect(linked.filter((path) => !files.includes(path ?? ''))).toEqual([]);
  expect(linked).toContain('docs/page.png');
  expect(files.filter((path) => /\.test\.|^src\/|(?<!\.d)\.ts$/.test(path))).toEqual([]);
});

it('runs in another project with Node alone', TIME_LIMIT, async () => {
  const script = "import { post } from './program.ts'; console.log(await post());";

  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder });

  expect(stdout.trim()).toBe('from elsewhere');
});

it('has types that another project can check, also those of its dependencies', TIME_LIMIT, async () => {
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,esnext.disposable,dom'];

  const checked = run(join(MODULES, '.bin/tsc'), ['--noEmit', '--types', 'node', ...options, 'program.ts'], {
    cwd: folder,
  });

  await expect(checked).resolves.toMatchObject({ stdout: '' });
});

it('runs in the tests of another project', TIME_LIMIT, async () => {
  const test = "import { expect, it } from 'vitest';\nimport { post } from './program.ts';\n";
  await writeFile(
    join(folder, 'post.test.ts'),
    `${test}it('posts', async () => expect(await post()).toBe('from elsewhere'));`,
  );

  const { stdout } = await run(join(MODULES, '.bin/vitest'), ['run', '--root', folder], { cwd: folder });

  expect(stdout).toMatch(/1 passed/);
});

it('is a command that starts without the sources', async () => {
  const { stdout } = await run(process.execPath, [join(unpacked, 'bin/local-slack.js'), '--help'], { cwd: folder });

  expect(stdout).toContain('--manifest FILE');
});

it('says which Node it needs', async () => {
  const older = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.20.2'}})";

  const started = run(process.execPath, ['--import', older, join(unpacked, 'bin/local-slack.js'), '--help']);

  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Node 24 or later is needed'),
  });
});
