import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, startApp } from '../../src/app/app.ts';
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { readConfig } from '../../src/config/config.ts';
import { Readiness } from '../../src/contract/health.ts';
import { OperatorError } from '../../src/runtime/operator-error.ts';
import { createTestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { silentLogger } from '../support/logger.ts';
import { startStrangerService } from '../support/stranger-service.ts';
import {
  runTocsin,
  START_COMMAND,
  STEP,
  spawnHere,
  spawnNpmStart,
  startTocsin,
  type TocsinProcess,
} from '../support/tocsin-process.ts';

const OWN = (origin: string) => ({ origin, 'content-type': 'application/x-www-form-urlencoded' });
const MANIFEST = join(import.meta.dirname, '../../manifest.yml');

describe('npm start on a fresh machine', () => {
  let dataDir: string;
  let tocsin: TocsinProcess;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tocsin-e2e-'));
    tocsin = await startTocsin({ DATA_DIR: dataDir, DATABSE_URL: 'postgres://me:s3cret@db/tocsin' });
  });
  afterAll(async () => {
    await tocsin[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('warns of a misspelt setting without its value', () => {
    expect(tocsin.log()).toContain('DATABSE_URL is not a setting and is ignored: did you mean DATABASE_URL?');
    expect(tocsin.log()).not.toContain('s3cret');
  });

  it('prints where to click, and how to break the shop', () => {
    expect(tocsin.banner).toEqual([
      expect.stringMatching(/^Slack {2,}http:\/\/127\.0\.0\.1:\d+\/? .*\/incidents open in #incidents$/),
      expect.stringMatching(
        /^Dashboard {2}http:\/\/127\.0\.0\.1:\d+\/dashboard\/sign-in\/links\/[\w-]{43} {2}signs in once, until \d\d:\d\d UTC \(another: npm start -- sign-in\)$/,
      ),
      expect.stringContaining('npm run shop -- --break payments'),
      expect.stringMatching(/^Your Slack npm start --silent -- slack-app {2}/),
    ]);
  });

  it('prints links that sign an admin in once, and logs none', async () => {
    const { url } = tocsin;
    const made = await runTocsin({ DATA_DIR: dataDir, PUBLIC_URL: url }, [
      'sign-in',
      '--name',
      'Ana',
      '--role',
      'viewer',
    ]);
    const links = [/http:\S+/.exec(tocsin.banner[1] ?? '')?.[0] ?? '', made.stdout.trim()];
    const use = (link: string) => fetch(link, { method: 'POST', redirect: 'manual', headers: OWN(url), body: '' });

    const pages = await Promise.all(links.map(async (link) => (await fetch(link)).text()));
    const statuses = [];
    for (const link of [...links, ...links]) {
      statuses.push((await use(link)).status);
    }

    expect(pages[0]).toContain('Sign in as <bdi>admin</bdi>');
    expect(pages[1]).toContain('Sign in as <bdi>Ana</bdi>');
    expect(statuses).toEqual([303, 303, 410, 410]);
    expect(made.stderr).toMatch(/^Signs in once as Ana \(viewer\), until \S+Z\.$/m);
    for (const link of links) {
      expect(tocsin.log()).not.toContain(link.slice(-43));
    }
  });

  it('prints a shop command that works with its port and data folder', async () => {
    const [command] = tocsin.banner[2]?.match(/\S+=.*npm run shop -- --break payments/) ?? [];

    const shop = spawnHere('sh', ['-c', `${command} --for 0.5`], {});
    const [output] = await Promise.all([text(shop.stdout), once(shop, 'close')]);

    expect(output).toContain(`telemetry to ${tocsin.url}`);
    expect(output).toMatch(/Broken: every charge[\s\S]+The shop is closed\.\n$/);
    expect(shop.exitCode).toBe(0);
  });

  it('is ready', async () => {
    await expect.poll(() => tocsin.readiness(), { timeout: HANG_MS }).toMatchObject({ ready: true });
  });

  it('serves metrics of the process, the database and the service', async () => {
    const metrics = await (await fetch(`${tocsin.url}/metrics`)).text();

    expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(metrics).toMatch(/^db_client_connection_count\{db_client_connection_pool_name="bot",.*\} \d+$/m);
    expect(metrics).toMatch(/^tocsin_incidents_open 0$/m);
  });

  it('stores keys readable by their owner only, and does not log them', async () => {
    const file = join(tocsin.dataDir, 'keys/dashboard.key');
    const key = (await readFile(file, 'utf8')).trim();

    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(tocsin.log()).not.toContain(key);
  });

  it('lets the key of this machine sign in to the dashboard', async () => {
    const key = (await readFile(join(tocsin.dataDir, 'keys/dashboard.key'), 'utf8')).trim();
    const enter = (given: string) =>
      fetch(`${tocsin.url}/dashboard/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: OWN(tocsin.url),
        body: new URLSearchParams({ key: given }),
      });

    expect((await enter(key)).status).toBe(303);
    expect((await enter('wrong')).status).toBe(403);
  });

  it('keeps its keys and does not register again when it starts again after a signal that arrives twice, as through npm', async () => {
    const key = (await readFile(join(dataDir, 'keys/shop.key'), 'utf8')).trim();
    const list = async () => {
      const response = await fetch(`${tocsin.url}/v1/integrations`, { headers: { authorization: `Bearer ${key}` } });
      const { integrations } = (await response.json()) as { integrations: { id: string }[] };
      return integrations.map(({ id }) => id);
    };
    await expect.poll(list, { timeout: HANG_MS }).toHaveLength(1);
    const before = await list();

    process.kill(tocsin.pid, 'SIGTERM');
    await expect.poll(() => isReady(tocsin.url), { interval: 1 }).toBe(false); // so that the two are not one
    expect(await tocsin.stop()).toBe(0);
    tocsin = await startTocsin({ DATA_DIR: dataDir });

    await expect.poll(async () => (await tocsin.readiness()).ready, { timeout: HANG_MS }).toBe(true);
    expect(await list()).toEqual(before);
    expect(await tocsin.stop()).toBe(0);
  });

  it('ends its start with its database when npm receives SIGTERM, and prints no links', async () => {
    const npm = spawnNpmStart({ DATA_DIR: dataDir, PORT: '0', LOCAL_SLACK_PORT: '0' });
    const ended = Promise.all([text(npm.stdout), once(npm, 'close')]);
    const databaseRuns = async () => (await readdir(join(dataDir, 'postgres'))).includes('postmaster.pid');
    await expect.poll(databaseRuns, { timeout: HANG_MS }).toBe(true);
    npm.kill('SIGTERM');
    const [printed] = await ended;

    await expect.poll(databaseRuns, { timeout: HANG_MS }).toBe(false);
    expect(printed).toMatch(/^Starting/);
    expect(printed).not.toContain('Dashboard');
  });
});

it('says each step of a start, and has senders come back while PostgreSQL does not answer', async () => {
  const silent = createTcpServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const env = { DATABASE_URL: `postgres://tocsin@127.0.0.1:${port}/tocsin?connect_timeout=600`, PORT: '0' };
  const tocsin = spawnHere(process.execPath, [...START_COMMAND.slice(1), 'service'], env);
  const steps: string[] = [];

  for await (const line of createInterface({ input: tocsin.stdout })) {
    if (steps.push(line) === 3) {
      break;
    }
  }
  const url = /http:\S+/.exec(steps.join(' '))?.[0];
  const answer = await fetch(`${url}/v1/traces`, { method: 'POST', body: '{}' });
  tocsin.kill('SIGKILL');
  silent.close();

  expect(steps).toEqual([
    expect.stringMatching(/^Starting {3}loading the program/),
    expect.stringMatching(/^Starting {3}http:\/\/127\.0\.0\.1:\d+ listens, and answers 503/),
    'Starting   connecting to PostgreSQL',
  ]);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
});

it('prints help and exits', async () => {
  const { code, stdout, stderr } = await runTocsin({}, ['--help']);

  expect(code).toBe(0);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^npm start -- doctor /m);
  expect(stdout).toMatch(/^ {2}DATABASE_URL /m);
});

describe('a start that cannot work', () => {
  it('says in one sentence that Slack refuses the token, without showing it, and exits', async () => {
    await using database = await createTestDatabase();
    await using slack = await startSlack();
    const { code, stdout, stderr } = await runTocsin({
      ...settingsOf(slack),
      SLACK_BOT_TOKEN: 'xoxb-not-ours',
      DATABASE_URL: database.url,
      PORT: '0',
      LOG_LEVEL: 'fatal',
    });

    expect(code).toBe(1);
    expect(stdout.replaceAll(new RegExp(`^${STEP}.*\n`, 'gm'), '')).toBe('');
    expect(stderr.trim().split('\n')).toEqual(['tocsin cannot start:', expect.stringContaining('SLACK_BOT_TOKEN')]);
    expect(stderr).not.toContain('xoxb-not-ours');
  });

  it('reports all wrong settings at once', async () => {
    const { code, stderr } = await runTocsin({ SLACK_BOT_TOKEN: 'xoxp-1', POLL_SECONDS: '0' });

    expect(code).toBe(1);
    expect(stderr.split('\n')).toEqual([
      'tocsin cannot start:',
      expect.stringMatching(/^ {2}SLACK_BOT_TOKEN must begin with xoxb-/),
      expect.stringMatching(/^ {2}POLL_SECONDS is "0"/),
      expect.stringMatching(/^ {2}SLACK_APP_TOKEN is missing/),
      '',
    ]);
  });

  it.each([
    ['PORT', 'service'],
    ['OTLP_GRPC_PORT', 'service'],
    ['LOCAL_SLACK_PORT', 'local-slack'],
  ])('reports in one sentence that %s is taken', async (setting, part) => {
    await using database = await createTestDatabase();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    const start = startHere({ DATABASE_URL: database.url, PORT: '0', [setting]: String(port) }, [part]);

    await expect(start).rejects.toThrow(OperatorError);
    await expect(start).rejects.toThrow(new RegExp(`^.*${port}.*${setting}.*$`));
    other.close();
  });
});

describe('a start while Slack is away', () => {
  it.each([
    { part: 'the bot alone', isReadyMeanwhile: false },
    { part: 'the service and the bot', isReadyMeanwhile: true },
  ])('is ready with $part: $isReadyMeanwhile', async ({ isReadyMeanwhile }) => {
    await using database = await createTestDatabase();
    await using slack = await startSlack();
    await using stranger = await startStrangerService({ shape: 'odd' });
    const remote = { INCIDENTS_BASE_URL: stranger.baseUrl, INCIDENTS_API_KEY: stranger.apiKey };
    const settings = { ...settingsOf(slack), DATABASE_URL: database.url, PORT: '0', POLL_SECONDS: '1' };
    slack.setAway(true);

    await using app = await startHere({ ...settings, ...(isReadyMeanwhile ? {} : remote) });
    const problem = async () => {
      const { checks } = Readiness.parse(await (await fetch(`${app.url}/readyz`)).json());
      return checks.find(({ name }) => name === 'slack')?.detail;
    };
    await expect.poll(problem, { timeout: HANG_MS }).toContain('Cannot sign in to Slack');
    const meanwhile = await isReady(app.url ?? '');
    slack.setAway(false);

    await expect.poll(problem, { timeout: HANG_MS }).toBeUndefined();
    await expect.poll(() => isReady(app.url ?? ''), { timeout: HANG_MS }).toBe(true);
    expect(meanwhile).toBe(isReadyMeanwhile);
  });
});

function startSlack(): Promise<LocalSlack> {
  return startLocalSlack({
    manifestPath: MANIFEST,
    channel: INCIDENTS_CHANNEL,
    port: 0,
    delivery: { mode: 'socket' },
  });
}

const settingsOf = (slack: LocalSlack) => ({
  SLACK_API_URL: slack.apiUrl,
  SLACK_BOT_TOKEN: slack.botToken,
  SLACK_APP_TOKEN: slack.appToken,
});

/** In this process. */
function startHere(env: Readonly<Record<string, string>>, args: readonly string[] = []): Promise<App> {
  const config = readConfig(env, args);
  return startApp({ config, logger: silentLogger, now: () => new Date(), onStep: () => undefined });
}

function isReady(url: string): Promise<boolean> {
  return fetch(new URL('/readyz', url)).then(
    ({ ok }) => ok,
    () => false,
  );
}
