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
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { HANG_MS } from '../support/hang.ts';
import { type StrangerService, startStrangerService } from '../support/stranger-service.ts';
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
  let tocsin: TocsinProcess;

  beforeAll(async () => {
    tocsin = await startTocsin({ DATABSE_URL: 'postgres://me:s3cret@db/tocsin' });
  });
  afterAll(() => tocsin[Symbol.asyncDispose]());

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
    const { url, dataDir } = tocsin;
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
});

it('stops with its database when npm receives SIGTERM', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-e2e-'));
  const npm = spawnNpmStart({ DATA_DIR: dataDir, PORT: '0', LOCAL_SLACK_PORT: '0' });
  const ended = once(npm, 'close');
  const databaseRuns = async () =>
    (await readdir(join(dataDir, 'postgres')).catch((): string[] => [])).includes('postmaster.pid');
  await expect.poll(databaseRuns, { timeout: HANG_MS }).toBe(true);
  npm.kill('SIGTERM');
  await ended;

  await expect.poll(databaseRuns, { timeout: HANG_MS }).toBe(false);
  await rm(dataDir, { recursive: true, force: true });
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

describe('a second start in the same folder', () => {
  it('keeps its keys and does not register again', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-e2e-'));
    try {
      const integrations: unknown[] = [];
      for (const _start of [1, 2]) {
        await using tocsin = await startTocsin({ DATA_DIR: dataDir });
        const key = (await readFile(join(dataDir, 'keys/shop.key'), 'utf8')).trim();
        const list = async () => {
          const response = await fetch(`${tocsin.url}/v1/integrations`, {
            headers: { authorization: `Bearer ${key}` },
          });
          return ((await response.json()) as { integrations: { id: string; type: string; status: string }[] })
            .integrations;
        };
        await expect.poll(list, { timeout: HANG_MS }).toMatchObject([{ type: 'slack', status: 'active' }]);
        integrations.push(await list());
        expect(await tocsin.stop()).toBe(0);
      }
      expect(integrations[1]).toMatchObject([{ id: (integrations[0] as { id: string }[])[0]?.id }]);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('a start that cannot work', () => {
  let slack: LocalSlack;

  beforeAll(async () => {
    slack = await startLocalSlack({
      manifestPath: MANIFEST,
      channel: INCIDENTS_CHANNEL,
      port: 0,
      delivery: { mode: 'socket' },
    });
  });
  afterAll(() => slack[Symbol.asyncDispose]());

  async function failWith(env: Record<string, string>): Promise<string> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-e2e-'));
    try {
      const { code, stdout, stderr } = await runTocsin({
        DATA_DIR: dataDir,
        PORT: '0',
        LOCAL_SLACK_PORT: '0',
        LOG_LEVEL: 'fatal',
        ...env,
      });
      expect(code).toBe(1);
      expect(stdout.replaceAll(new RegExp(`^${STEP}.*\n`, 'gm'), '')).toBe('');
      expect(stderr).not.toMatch(/\n\s+at /);
      return stderr;
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  const remoteSlack = () => ({
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
  });

  it('reports all wrong settings at once', async () => {
    const stderr = await failWith({ SLACK_BOT_TOKEN: 'xoxp-1', POLL_SECONDS: '0' });

    expect(stderr.split('\n')).toEqual([
      'tocsin cannot start:',
      expect.stringMatching(/^ {2}SLACK_BOT_TOKEN must begin with xoxb-/),
      expect.stringMatching(/^ {2}POLL_SECONDS is "0"/),
      expect.stringMatching(/^ {2}SLACK_APP_TOKEN is missing/),
      '',
    ]);
  });

  it.each([
    ['SLACK_BOT_TOKEN', 'xoxb-not-ours'],
    ['SLACK_APP_TOKEN', 'xapp-not-ours'],
  ])('reports in one sentence that Slack refuses the %s', async (setting, value) => {
    await using stranger = await startStrangerService({ shape: 'plain' });

    const stderr = await failWith({
      ...remoteSlack(),
      INCIDENTS_BASE_URL: stranger.baseUrl,
      INCIDENTS_API_KEY: stranger.apiKey,
      [setting]: value,
    });

    expect(stderr.trim().split('\n')).toEqual(['tocsin cannot start:', expect.stringContaining(setting)]);
    expect(stderr).not.toContain(value);
  });

  it('reports in one sentence that the service refuses the API key', async () => {
    await using stranger = await startStrangerService({ shape: 'plain' });

    const stderr = await failWith({
      ...remoteSlack(),
      INCIDENTS_BASE_URL: stranger.baseUrl,
      INCIDENTS_API_KEY: 'not-the-key',
    });

    expect(stderr.trim().split('\n')).toEqual(['tocsin cannot start:', expect.stringContaining('INCIDENTS_API_KEY')]);
    expect(stderr).not.toContain('not-the-key');
  });

  it.each(['PORT', 'LOCAL_SLACK_PORT', 'OTLP_GRPC_PORT'])(
    'reports in one sentence that %s is taken',
    async (setting) => {
      const other = createServer();
      await new Promise<void>((resolve) => {
        other.listen(0, '127.0.0.1', resolve);
      });
      const address = other.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;

      const stderr = await failWith({ [setting]: String(port) });
      other.close();

      expect(stderr.trim().split('\n')).toEqual([
        'tocsin cannot start:',
        expect.stringMatching(new RegExp(`${port}.*${setting}`)),
      ]);
    },
  );
});

describe('a start while Slack or the service is away', () => {
  async function startBeside(slack: LocalSlack, stranger: StrangerService) {
    return await startTocsin({
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      INCIDENTS_CHANNEL: '#incidents',
      INCIDENTS_BASE_URL: stranger.baseUrl,
      INCIDENTS_API_KEY: stranger.apiKey,
    });
  }

  it.each([
    { away: 'the incident service', isReady: true, reporting: ['incident service'] },
    { away: 'Slack', isReady: false, reporting: ['slack'] },
  ])(
    'reports that $away does not answer, keeps trying, and has nothing to report when it is back',
    async ({ away, isReady: isReadyMeanwhile, reporting }) => {
      await using slack = await startLocalSlack({
        manifestPath: MANIFEST,
        channel: INCIDENTS_CHANNEL,
        port: 0,
        delivery: { mode: 'socket' },
      });
      await using stranger = await startStrangerService({ shape: 'odd' });
      const neighbour = away === 'Slack' ? slack : stranger;
      neighbour.setAway(true);

      await using tocsin = await startBeside(slack, stranger);
      const reportingNow = async () =>
        (await tocsin.readiness()).checks.filter(({ detail }) => detail !== undefined).map(({ name }) => name);
      await expect.poll(reportingNow, { timeout: HANG_MS }).toEqual(reporting);
      const meanwhile = await isReady(tocsin.url);
      neighbour.setAway(false);
      await expect.poll(reportingNow, { timeout: HANG_MS }).toEqual([]);

      expect(meanwhile).toBe(isReadyMeanwhile);
      expect(await isReady(tocsin.url)).toBe(true);
    },
  );

  it('is ready for signals beside a bot that Slack does not reach', async () => {
    await using slack = await startLocalSlack({
      manifestPath: MANIFEST,
      channel: INCIDENTS_CHANNEL,
      port: 0,
      delivery: { mode: 'socket' },
    });
    slack.setAway(true);

    await using tocsin = await startTocsin({
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
    });
    await expect.poll(() => isReady(tocsin.url), { timeout: HANG_MS }).toBe(true);

    const { checks } = await tocsin.readiness();
    expect(checks.find(({ name }) => name === 'slack')?.detail).toContain('Cannot sign in to Slack');
  });
});

it('stops cleanly when the signal arrives twice, as it does through npm', async () => {
  await using tocsin = await startTocsin();

  process.kill(tocsin.pid, 'SIGTERM');
  await expect.poll(() => isReady(tocsin.url), { interval: 1 }).toBe(false); // so that the two are not one

  expect(await tocsin.stop()).toBe(0);
});

function isReady(url: string): Promise<boolean> {
  return fetch(new URL('/readyz', url)).then(
    ({ ok }) => ok,
    () => false,
  );
}
