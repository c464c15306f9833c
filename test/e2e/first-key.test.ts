import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runVerb } from '../../src/cli/run-verb.ts';
import { readConfig } from '../../src/config/config.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { createTestDatabase } from '../support/database.ts';
import { runTocsin, startTocsin } from '../support/tocsin-process.ts';

async function statusOf(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/incidents`, { headers: { authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return response.status;
}

it('prints one key at the first start of a service with an empty database, and takes no other one later', async () => {
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

  const otherKey = createRawKey('read-write').rawKey;
  await using again = await startTocsin({ ...env, BOOTSTRAP_API_KEY: otherKey }, ['service']);
  const statuses = [await statusOf(again.url, firstKey), await statusOf(again.url, otherKey)];
  await again.stop();

  expect(statuses).toEqual([200, 401]);
  expect(again.banner).toHaveLength(3);
  expect(again.log()).toContain('BOOTSTRAP_API_KEY is ignored');
  expect(again.log()).not.toContain(otherKey.slice(-49, -6));
});

it('stores BOOTSTRAP_API_KEY in an empty database, without showing it', async () => {
  await using database = await createTestDatabase();
  const key = (await runTocsin({}, ['keys', 'generate'])).stdout.trim();
  const env = { DATABASE_URL: database.url, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'trace' };
  const examine = async (given: string) =>
    (await runVerb('doctor', [], { env: { ...env, BOOTSTRAP_API_KEY: given }, now: () => new Date() })).output;

  const before = await examine(key);
  await using tocsin = await startTocsin(env, ['service']);
  const status = await statusOf(tocsin.url, key);
  await tocsin.stop();

  expect(status).toBe(200);
  expect(tocsin.banner).toHaveLength(3);
  expect(tocsin.log()).not.toContain(key.slice(-49, -6));
  expect(before).toMatch(/^ok {5}keys {6}BOOTSTRAP_API_KEY will be stored at the first start$/m);
  expect(await examine(key)).toMatch(/^ok {5}keys {6}BOOTSTRAP_API_KEY works$/m);
  expect(await examine(createRawKey('read-write').rawKey)).toMatch(
    /^WRONG {2}keys {6}BOOTSTRAP_API_KEY is not a valid API key and is ignored/m,
  );
});

it('explains how to make a valid BOOTSTRAP_API_KEY, without repeating the wrong one', () => {
  const read = () => readConfig({ BOOTSTRAP_API_KEY: 'tcn_ro_hunter2' }, ['service']);

  expect(read).toThrow(
    'BOOTSTRAP_API_KEY is not a read-write API key: create one with npm start --silent -- keys generate',
  );
  expect(read).not.toThrow('hunter2');
});
