import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { runVerb } from '../../src/cli/run-verb.ts';
import { IncidentList } from '../../src/contract/lists.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { type DebianPostgres, HAS_DEBIAN_POSTGRES, prepareDebianPostgres } from '../support/debian-postgres.ts';
import { runTocsin, startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

const MANIFEST = join(import.meta.dirname, '../../manifest.yml');

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

/** Opens an incident, waits for its card and for `meanwhile`, then stops. @returns the card's timestamp */
async function openIncident(
  env: Readonly<Record<string, string>>,
  meanwhile: () => Promise<void>,
): Promise<string | undefined> {
  await using tocsin = await startTocsin(env);
  await call(tocsin, 'POST', '/generic', { service: 'depot', summary: 'parcels are lost', severity: 'critical' });
  await expect.poll(() => cardsOf('depot').length).toBe(1);
  await meanwhile();
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

it('has everything after a backup of the stopped DATA_DIR, a move to a database of one’s own, and a dump of that', async () => {
  const env = settings(join(folder, 'data'));
  await using stack = new AsyncDisposableStack();
  const postgres = HAS_DEBIAN_POSTGRES ? stack.use(await prepareDebianPostgres()) : null;
  const own = postgres === null ? stack.use(await createEmptyDatabase()).url : await startCluster(postgres);
  const move = (given: Readonly<Record<string, string>>, args = [own]) =>
    runVerb('move-database', args, { env: given, now: () => new Date() }).catch(String);
  const card = await openIncident(env, async () => {
    expect(await move(env)).toContain('stop it first');
  });

  const restored = { ...env, DATA_DIR: join(folder, 'restored') };
  await cp(env.DATA_DIR, restored.DATA_DIR, { recursive: true, preserveTimestamps: true });
  await rm(env.DATA_DIR, { recursive: true });
  const moved = await runTocsin(restored, ['move-database', own]);
  const again = await move(restored);
  const database = postgres === null ? own : await restoreDump(postgres, own);

  expect(moved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{2,} rows were moved and compared\.$/m) });
  expect(again).toContain('the new database is not empty');
  expect(await move({ ...restored, DATABASE_URL: own })).toContain('DATABASE_URL is set');
  expect(await move(restored, [])).toContain('npm start -- move-database');
  expect(await goOn({ ...restored, DATABASE_URL: database })).toEqual([card]);
});

async function startCluster(postgres: DebianPostgres): Promise<string> {
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'];
  await postgres.run('initdb', ['--pgdata=first', ...options]);
  return await postgres.start('first');
}

async function restoreDump(postgres: DebianPostgres, url: string): Promise<string> {
  const restored = url.replace(/postgres$/, 'restored');
  await postgres.run('pg_dump', ['--format=custom', '--file=dump', url]);
  await postgres.run('psql', ['--quiet', '--command=create database restored', url]);
  await postgres.run('pg_restore', ['--exit-on-error', `--dbname=${restored}`, 'dump']);
  return restored;
}
