import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

const DISK = '160m';
/** What is left when the disk is nearly full. */
const LEFT_BYTES = 3 * 1024 * 1024;
const RECORDS = 200;

const run = promisify(execFile);

/** A small disk. Only root may mount one, and not everywhere; null: not here. */
async function mountDisk(): Promise<(AsyncDisposable & { readonly path: string }) | null> {
  const path = await mkdtemp(join(tmpdir(), 'disk-'));
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=755`, 'tmpfs', path]).then(
    () => true,
    () => false,
  );
  if (!isMounted) {
    await rm(path, { recursive: true });
    return null;
  }
  await chmod(path, 0o755); // PostgreSQL runs as another user
  return {
    path,
    async [Symbol.asyncDispose]() {
      await run('umount', ['--lazy', path]);
      await rm(path, { recursive: true, force: true });
    },
  };
}

it('refuses what a full disk cannot keep, loses nothing, and continues when there is room again', async (context) => {
  await using scope = new AsyncDisposableStack();
  const disk = await mountDisk();
  if (disk === null) {
    context.skip('this user cannot mount a disk');
    return;
  }
  scope.use(disk);
  const tocsin = scope.use(await startTocsin({ DATA_DIR: join(disk.path, 'data'), LOG_LEVEL: 'fatal' }, ['service']));
  const key = (await readFile(join(tocsin.dataDir, 'keys/shop.key'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const accepted: string[] = [];
  const answers: Response[] = [];

  /** Sends records that no other request has. @returns whether they were accepted */
  async function send(name: string): Promise<boolean> {
    const records = Array.from({ length: RECORDS }, (_, index) => ({
      type: 'log',
      service: 'depot',
      summary: `parcel ${name} is lost`,
      dedup_key: `${name}-${index}`,
      attributes: { filler: `${name}-${index} `.repeat(60) },
    }));
    const response = await fetch(`${tocsin.url}/v1/generic`, {
      method: 'POST',
      headers,
      body: JSON.stringify(records),
    });
    answers.push(response);
    accepted.push(...(response.ok ? [name] : []));
    return response.ok;
  }

  expect(await send('first')).toBe(true);
  const ballast = join(disk.path, 'ballast');
  const { bavail, bsize } = await statfs(disk.path);
  await writeFile(ballast, Buffer.alloc(bavail * bsize - LEFT_BYTES));
  let sent = 0;
  await vi.waitUntil(async () => !(await send(`fill-${sent++}`)), { timeout: HANG_MS, interval: 1 });
  await vi.waitUntil(async () => !(await isReady(tocsin)), { timeout: HANG_MS });
  const { checks } = await tocsin.readiness();
  const refused = answers.filter(({ ok }) => !ok);
  const details = await Promise.all(refused.map((response) => response.text()));
  await rm(ballast);
  await vi.waitUntil(() => isReady(tocsin), { timeout: HANG_MS });
  await vi.waitUntil(() => send('last'), { timeout: HANG_MS });

  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
  expect(details.every((detail) => detail.includes('the database'))).toBe(true);
  expect(checks).toMatchObject([{ name: 'database', ready: false }]);
  for (const name of accepted) {
    const response = await fetch(`${tocsin.url}/v1/signals?limit=1&q=${name}%20is`, { headers });
    expect([name, SignalList.parse(await response.json()).total]).toEqual([name, RECORDS]);
  }
});

async function isReady(tocsin: TocsinProcess): Promise<boolean> {
  return (await tocsin.readiness()).ready;
}
