import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { IncidentList } from '../../src/contract/lists.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { type DebianPostgres, HAS_DEBIAN_POSTGRES, prepareDebianPostgres } from '../support/debian-postgres.ts';
import { runTocsin, startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

const MANIFEST = join(import.meta.dirname, '../../manifest.yml');
const LONG = { timeout: 300_000 };

let folder: string;
let slack: LocalSlack;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-moved-'));
  slack = await startLocalSlack({
    manifestPath: MANIFEST,
    channel: INCIDENTS_CHANNEL,
    port: 0,
    delivery: { mode: 'socket' },
  });
});
afterEach(async () => {
  await slack[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const settings = (dataDir: string) => ({
  DATA_DIR: dataDir,
  SLACK_API_URL: slack.apiUrl,
  SLACK_BOT_TOKEN: slack.botToken,
  SLACK_APP_TOKEN: slack.appToken,
  INCIDENTS_CHANNEL: '#incidents',
});

/** Messages in the channel, not in threads, about the service. */
const cardsOf = (service: string) =>
  slack
    .messages('incidents')
    .filter(({ threadTs, ts, blocks }) => (threadTs ?? ts) === ts && JSON.stringify(blocks).includes(service));

async function call(tocsin: TocsinProcess, method: string, path: string, body?: object): Promise<unknown> {
  const key = (await readFile(join(tocsin.dataDir, 'keys/dashboard.key'), 'utf8')).trim();
  const response = await fetch(`${tocsin.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return await response.json();
}

/** Opens an incident and waits for its card, then stops. @returns the card's timestamp */
async function openIncident(env: Readonly<Record<string, string>>): Promise<string | undefined> {
  await using tocsin = await startTocsin(env);
  await call(tocsin, 'POST', '/generic', { service: 'depot', summary: 'parcels are lost', severity: 'critical' });
  await expect.poll(() => cardsOf('depot').length).toBe(1);
  expect(await tocsin.stop()).toBe(0);
  return cardsOf('depot')[0]?.ts;
}

/**
 * Everything is there: the incident is acknowledged on its card, and the next one has a card of its own.
 *
 * @returns the timestamps of all cards of the first incident
 */
async function goOn(env: Readonly<Record<string, string>>): Promise<string[]> {
  await using tocsin = await startTocsin(env);
  const { incidents } = IncidentList.parse(await call(tocsin, 'GET', '/incidents'));
  expect(incidents.map(({ root_service: service }) => service)).toEqual(['depot']);

  await call(tocsin, 'POST', `/incidents/${incidents[0]?.id}/acknowledge`, { user: 'ana' });
  await call(tocsin, 'POST', '/generic', { service: 'bakery', summary: 'no bread', severity: 'critical' });

  await expect.poll(() => JSON.stringify(cardsOf('depot')[0]?.blocks)).toContain('ana');
  await expect.poll(() => cardsOf('bakery').length).toBe(1);
  expect(await tocsin.stop()).toBe(0);
  return cardsOf('depot').map(({ ts }) => ts);
}

describe('move-database', () => {
  it('moves everything to a database of one’s own, where the bot continues with its cards', LONG, async () => {
    const env = settings(join(folder, 'data'));
    await using database = await createEmptyDatabase();
    const card = await openIncident(env);

    const moved = await runTocsin(env, ['move-database', database.url]);
    const again = await runTocsin(env, ['move-database', database.url]);

    expect(moved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{2,} rows were moved and compared\.$/m) });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('the new database is not empty') });
    expect(await goOn({ ...env, DATABASE_URL: database.url })).toEqual([card]);
  });

  it(
    'refuses to move while Tocsin runs, or what is not embedded, and leaves the new database empty',
    LONG,
    async () => {
      const env = settings(join(folder, 'data'));
      await using database = await createEmptyDatabase();
      await using _running = await startTocsin(env);

      const running = await runTocsin(env, ['move-database', database.url]);
      const elsewhere = await runTocsin({ ...env, DATABASE_URL: database.url }, ['move-database', database.url]);
      const nowhere = await runTocsin(env, ['move-database']);

      expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining('stop it first') });
      expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('DATABASE_URL is set') });
      expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('npm start -- move-database') });
      const { rows } = await (await database.connect()).query("select 1 from pg_namespace where nspname = 'bot'");
      expect(rows).toEqual([]);
    },
  );
});

describe('a backup', () => {
  it('of a stopped DATA_DIR is complete', LONG, async () => {
    const env = settings(join(folder, 'data'));
    const card = await openIncident(env);

    await cp(join(folder, 'data'), join(folder, 'restored'), { recursive: true, preserveTimestamps: true });
    await rm(join(folder, 'data'), { recursive: true });

    expect(await goOn({ ...env, DATA_DIR: join(folder, 'restored') })).toEqual([card]);
  });

  it.skipIf(!HAS_DEBIAN_POSTGRES).each([
    { way: 'pg_dump', restore: restoreDump },
    { way: 'pg_basebackup', restore: restoreBaseBackup },
  ])('by $way is complete', LONG, async ({ restore }) => {
    await using postgres = await prepareDebianPostgres();
    const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'];
    await postgres.run('initdb', ['--pgdata=first', ...options]);
    const url = await postgres.start('first');
    const env = { ...settings(join(folder, 'data')), DATABASE_URL: url };
    const card = await openIncident(env);

    const restored = await restore(postgres, url);

    expect(await goOn({ ...env, DATABASE_URL: restored })).toEqual([card]);
  });
});

async function restoreDump(postgres: DebianPostgres, url: string): Promise<string> {
  const restored = url.replace(/postgres$/, 'restored');
  await postgres.run('pg_dump', ['--format=custom', '--file=dump', url]);
  await postgres.run('psql', ['--quiet', '--command=create database restored', url]);
  await postgres.run('pg_restore', ['--exit-on-error', `--dbname=${restored}`, 'dump']);
  return restored;
}

async function restoreBaseBackup(postgres: DebianPostgres, url: string): Promise<string> {
  await postgres.run('pg_basebackup', ['--pgdata=second', '--checkpoint=fast', `--dbname=${url}`]);
  await postgres.stop('first');
  return await postgres.start('second');
}
