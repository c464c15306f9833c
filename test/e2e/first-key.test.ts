import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { runTocsin, startTocsin } from '../support/tocsin-process.ts';

async function statusOf(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/incidents`, { headers: { authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return response.status;
}

it('prints one key at the first start of a service with an empty database, and never again', async () => {
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'trace' };
  let firstKey = '';
  {
    await using tocsin = await startTocsin(env, ['service']);
    const printed = () => /^ +(tcn_rw_\w+)$/m.exec(tocsin.banner.join('\n'))?.[1];
    await expect.poll(printed).toBeDefined();
    firstKey = printed() ?? '';

    expect(await statusOf(tocsin.url, firstKey)).toBe(200);
    expect(tocsin.banner.join('\n')).toContain('shown only this once');
    expect(existsSync(join(tocsin.dataDir, 'keys'))).toBe(false);
    await tocsin.stop();
    expect(tocsin.log()).not.toContain(firstKey.slice(-49, -6));
  }

  await using again = await startTocsin(env, ['service']);
  expect(await statusOf(again.url, firstKey)).toBe(200);
  await again.stop();
  expect(again.banner).toHaveLength(3);
});

it('stores BOOTSTRAP_API_KEY in an empty database, and reports that it ignores a different one later', async () => {
  await using database = await createTestDatabase();
  const made = await runTocsin({}, ['keys', 'generate']);
  const key = made.stdout.trim();
  const env = { DATABASE_URL: database.url, BOOTSTRAP_API_KEY: key };
  const before = await runTocsin(env, ['doctor']);
  for (const _start of [1, 2]) {
    await using tocsin = await startTocsin(env, ['service']);
    expect(await statusOf(tocsin.url, key)).toBe(200);
    await tocsin.stop();
    expect(tocsin.banner).toHaveLength(3);
    expect(tocsin.log()).not.toContain(key.slice(-49, -6));
    expect(tocsin.log()).not.toContain('ignored');
  }
  const after = await runTocsin(env, ['doctor']);
  const otherKey = (await runTocsin({}, ['keys', 'generate'])).stdout.trim();
  const other = { ...env, BOOTSTRAP_API_KEY: otherKey };
  const amiss = await runTocsin(other, ['doctor']);

  await using tocsin = await startTocsin(other, ['service']);

  expect(tocsin.log()).toContain('BOOTSTRAP_API_KEY is ignored');
  expect([await statusOf(tocsin.url, key), await statusOf(tocsin.url, otherKey)]).toEqual([200, 401]);
  expect(before.stdout).toMatch(/^ok {5}keys {6}BOOTSTRAP_API_KEY will be stored at the first start$/m);
  expect(after.stdout).toMatch(/^ok {5}keys {6}BOOTSTRAP_API_KEY works$/m);
  expect(amiss.stdout).toMatch(/^WRONG {2}keys {6}BOOTSTRAP_API_KEY is not a valid API key and is ignored/m);
});

it('explains how to make a valid BOOTSTRAP_API_KEY, without repeating the wrong one', async () => {
  const { code, stderr } = await runTocsin({ BOOTSTRAP_API_KEY: 'tcn_ro_hunter2' }, ['service']);

  expect(code).toBe(1);
  expect(stderr).toContain(
    'BOOTSTRAP_API_KEY is not a read-write API key: create one with npm start --silent -- keys generate',
  );
  expect(stderr).not.toContain('hunter2');
});
