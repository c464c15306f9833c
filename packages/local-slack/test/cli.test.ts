import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { WebClient } from '@slack/web-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { quiet } from './fixture.ts';

const BIN = join(import.meta.dirname, '../bin/local-slack.js');

let dir: string;
let manifest: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'local-slack-cli-'));
  manifest = join(dir, 'manifest.json');
  const content = {
    display_information: { name: 'Echo' },
    oauth_config: { scopes: { bot: ['chat:write'] } },
    settings: { socket_mode_enabled: true },
  };
  await writeFile(manifest, JSON.stringify(content));
});
afterAll(() => rm(dir, { recursive: true }));

/** In another folder than the sources, as with npx. */
function start(args: readonly string[]) {
  return spawn(process.execPath, [BIN, ...args], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(args);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

it('starts for a manifest, says where to click, and stops on a signal', async () => {
  const child = start(['--manifest', manifest, '--port', '0', '--channel', '#ops']);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith('Signing secret')) {
      break;
    }
  }
  const [page, apiUrl, botToken] = lines.map((line) => line.split(/ {2,}/)[1] ?? '');
  const response = await fetch(page ?? '');
  const web = new WebClient(botToken, { slackApiUrl: apiUrl ?? '', logger: quiet });
  const posted = await web.chat.postMessage({ channel: '#ops', text: 'hello' });
  child.kill('SIGTERM');
  await once(child, 'close');

  expect(lines[0]).toMatch(/^Page +http:\/\/127\.0\.0\.1:\d+\/ {2}Echo, by Socket Mode$/);
  expect(response.status).toBe(200);
  expect(posted.ok).toBe(true);
  expect(child.exitCode).toBe(0);
});

it('shows its options', async () => {
  expect(await run(['--help'])).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('--manifest FILE'),
  });
});

it.each([
  [[], 2, /^local-slack: --manifest FILE is missing/],
  [['--manfest', 'a.yml'], 2, /^local-slack: Unknown option '--manfest'/],
  [['--manifest', 'a.yml', '--port', 'x'], 2, /^local-slack: --port x is not a port/],
  [['--manifest', 'nowhere.yml'], 1, /^local-slack: the app manifest nowhere\.yml cannot be read/],
])('refuses %j in one line', async (args, code, message) => {
  const result = await run(args);

  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  expect(result.stderr.trim().split('\n')).toHaveLength(1);
});
