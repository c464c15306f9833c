import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runVerb } from '../../src/cli/run-verb.ts';
import { runTocsin, startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

let tocsin: TocsinProcess;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tocsin-keys-'));
  tocsin = await startTocsin({ DATA_DIR: dataDir }, ['service']);
});
afterAll(async () => {
  await tocsin[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

/** In this process, beside the running one. */
const keys = (...args: string[]) => runVerb('keys', args, { env: { DATA_DIR: dataDir }, now: () => new Date() });

async function statusOf(key: string): Promise<number> {
  const response = await fetch(`${tocsin.url}/v1/incidents`, { headers: { authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return response.status;
}

it('creates, lists, rotates and revokes keys of a running service, with immediate effect', async () => {
  const created = await runTocsin({ DATA_DIR: dataDir }, [
    'keys',
    'create',
    '--name',
    'collector',
    '--scope',
    'read-only',
  ]);
  const firstKey = created.stdout.trim();
  const firstId = /key_\w+/.exec(created.stderr)?.[0] ?? '';
  const afterCreate = await statusOf(firstKey);
  const rotated = await keys('rotate', firstId, '--grace', '0');
  const secondKey = rotated.output;
  const secondId = /key_\w+/.exec(rotated.notice ?? '')?.[0] ?? '';
  const afterRotate = [await statusOf(firstKey), await statusOf(secondKey)];
  const revoked = await keys('revoke', secondId);
  const afterRevoke = await statusOf(secondKey);
  const listed = await keys('list');
  const history = await keys('history');

  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tcn_ro_\w+\n$/) });
  expect(afterCreate).toBe(200);
  expect(rotated.output).toMatch(/^tcn_ro_\w+$/);
  expect(afterRotate).toEqual([401, 200]);
  expect(revoked.output).toBe(`revoked ${secondId}`);
  expect(afterRevoke).toBe(401);
  expect(listed.output).toMatch(new RegExp(`^${secondId} +collector +read-only .* revoked \\S+Z$`, 'm'));
  expect(listed.output).toMatch(new RegExp(`^${firstId} +collector +read-only .* expired \\S+Z$`, 'm'));
  expect(history.output).toMatch(new RegExp(`^\\S+Z +${secondId} +collector +revoked +the command line$`, 'm'));
  expect(history.output).toMatch(
    new RegExp(`^\\S+Z +${firstId} +collector +replaced by ${secondId} +the command`, 'm'),
  );
  for (const { output, notice } of [revoked, listed, history]) {
    expect(output + notice).not.toContain(secondKey);
  }
});

it('explains what cannot be done, and exits with a matching code', async () => {
  const misspelt = await runTocsin({ DATA_DIR: dataDir }, ['keys', 'create', '--name', 'collector']);
  const unknownVerb = await runTocsin({ DATA_DIR: dataDir }, ['key']);
  const elsewhere = { INCIDENTS_BASE_URL: 'http://127.0.0.1:9/v1', INCIDENTS_API_KEY: 'k' };

  expect(misspelt).toMatchObject({ code: 2, stdout: '' });
  expect(misspelt.stderr).toContain('tocsin keys:\n  --scope must be one of read-only, read-write, ingest\n');
  expect(unknownVerb).toMatchObject({ code: 1 });
  expect(unknownVerb.stderr).toContain('one of bot, service, local-slack, keys, sign-in, doctor');
  await expect(keys('revoke', 'key_nobody')).rejects.toThrow(
    'no key key_nobody: npm start -- keys list shows all keys',
  );
  await expect(
    runVerb('keys', ['list'], { env: { DATA_DIR: dataDir, ...elsewhere }, now: () => new Date() }),
  ).rejects.toThrow('INCIDENTS_BASE_URL names a remote service');
});
