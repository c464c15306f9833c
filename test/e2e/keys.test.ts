import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runTocsin, startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

let tocsin: TocsinProcess;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tocsin-keys-'));
  tocsin = await startTocsin({ DATA_DIR: dataDir });
});
afterAll(async () => {
  await tocsin[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const keys = (...args: string[]) => runTocsin({ DATA_DIR: dataDir }, ['keys', ...args]);

async function statusOf(key: string): Promise<number> {
  const response = await fetch(`${tocsin.url}/v1/incidents`, { headers: { authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return response.status;
}

it('creates, lists, rotates and revokes keys of a running service, with immediate effect', async () => {
  const created = await keys('create', '--name', 'collector', '--scope', 'read-only');
  const firstKey = created.stdout.trim();
  const firstId = /key_\w+/.exec(created.stderr)?.[0] ?? '';
  const afterCreate = await statusOf(firstKey);
  const rotated = await keys('rotate', firstId, '--grace', '0');
  const secondKey = rotated.stdout.trim();
  const secondId = /key_\w+/.exec(rotated.stderr)?.[0] ?? '';
  const afterRotate = [await statusOf(firstKey), await statusOf(secondKey)];
  const revoked = await keys('revoke', secondId);
  const afterRevoke = await statusOf(secondKey);
  const listed = await keys('list');
  const history = await keys('history');

  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tcn_ro_\w+\n$/) });
  expect(afterCreate).toBe(200);
  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tcn_ro_\w+\n$/) });
  expect(afterRotate).toEqual([401, 200]);
  expect(revoked).toMatchObject({ code: 0, stdout: `revoked ${secondId}\n` });
  expect(afterRevoke).toBe(401);
  expect(listed.code).toBe(0);
  expect(listed.stdout).toMatch(new RegExp(`^${secondId} +collector +read-only .* revoked \\S+Z$`, 'm'));
  expect(listed.stdout).toMatch(new RegExp(`^${firstId} +collector +read-only .* expired \\S+Z$`, 'm'));
  expect(history.stdout).toMatch(new RegExp(`^\\S+Z +${secondId} +collector +revoked +the command line$`, 'm'));
  expect(history.stdout).toMatch(
    new RegExp(`^\\S+Z +${firstId} +collector +replaced by ${secondId} +the command`, 'm'),
  );
  for (const { stdout, stderr } of [revoked, listed, history]) {
    expect(stdout + stderr).not.toContain(secondKey);
  }
});

it('explains what cannot be done, and exits with a matching code', async () => {
  const [misspelt, unknownKey, elsewhere, unknownVerb] = await Promise.all([
    keys('create', '--name', 'collector'),
    keys('revoke', 'key_nobody'),
    runTocsin({ DATA_DIR: dataDir, INCIDENTS_BASE_URL: 'http://127.0.0.1:9/v1', INCIDENTS_API_KEY: 'k' }, [
      'keys',
      'list',
    ]),
    runTocsin({ DATA_DIR: dataDir }, ['key']),
  ]);

  expect(misspelt).toMatchObject({ code: 2, stdout: '' });
  expect(misspelt.stderr).toContain('tocsin keys:\n  --scope must be one of read-only, read-write, ingest\n');
  expect(unknownKey).toMatchObject({ code: 1, stdout: '' });
  expect(unknownKey.stderr).toContain('there is no key key_nobody: npm start -- keys list shows all keys');
  expect(elsewhere).toMatchObject({ code: 1, stdout: '' });
  expect(elsewhere.stderr).toContain('INCIDENTS_BASE_URL names a remote service');
  expect(unknownVerb).toMatchObject({ code: 1 });
  expect(unknownVerb.stderr).toContain('one of bot, service, local-slack, keys, sign-in, doctor');
});
