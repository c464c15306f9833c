import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { runVerb } from '../../src/cli/run-verb.ts';
import { PolicyPlan } from '../../src/contract/waking.ts';
import { createPolicyStore } from '../../src/service/store/pages/policy-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { HAS_NATS, startNats } from '../support/nats-server.ts';
import { startTestService } from '../support/test-service.ts';
import { runTocsin } from '../support/tocsin-process.ts';

const MANIFEST = join(import.meta.dirname, '../../manifest.yml');

let slack: LocalSlack;
let dataDir: string;
let database: TestDatabase;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tocsin-doctor-'));
  database = await createTestDatabase();
  slack = await startLocalSlack({
    manifestPath: MANIFEST,
    channel: INCIDENTS_CHANNEL,
    port: 0,
    delivery: { mode: 'socket' },
  });
});
afterAll(async () => {
  await slack[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const doctor = async (env: Record<string, string>) => {
  const given = { DATA_DIR: dataDir, DATABASE_URL: database.url, ...env };
  const { output, hasFailed } = await runVerb('doctor', [], { env: given, now: () => new Date() });
  return { stdout: output, code: hasFailed ? 1 : 0 };
};

const realSlack = () => ({
  SLACK_API_URL: slack.apiUrl,
  SLACK_BOT_TOKEN: slack.botToken,
  SLACK_APP_TOKEN: slack.appToken,
});

it('reports no fault in a working setup', async () => {
  const { code, stdout } = await doctor({ ...realSlack(), INCIDENTS_CHANNEL: '#incidents' });

  expect(stdout).not.toContain('WRONG');
  expect(stdout).toMatch(/^ok {5}database {2}PostgreSQL responds$/m);
  expect(stdout).toMatch(/^ok {5}slack {5}SLACK_BOT_TOKEN works for the workspace \S+/m);
  expect(stdout).toMatch(/^ok {5}slack {5}SLACK_APP_TOKEN works for Socket Mode$/m);
  expect(stdout).toMatch(/^ok {5}scopes {4}all granted$/m);
  expect(stdout).toMatch(/^ok {5}channel {3}(the bot is in )?#incidents\b/m);
  expect(code).toBe(0);
  expect(stdout).not.toContain(slack.botToken);
});

it('says what to do about each fault, and shows no secret', async () => {
  const faulty = {
    ...realSlack(),
    SLACK_APP_TOKEN: 'xapp-nobody-knows',
    INCIDENTS_CHANNEL: '#nowhere',
    INCIDENTS_BASE_URL: 'http://127.0.0.1:9/v1',
    INCIDENTS_API_KEY: 'a-secret-key',
    DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:9/tocsin',
    DATABASE_DIRECT_URI: 'postgres://me:s3cret@127.0.0.1:9/tocsin',
  };
  const { code, stdout, stderr } = await runTocsin({ DATA_DIR: dataDir, ...faulty }, ['doctor']);

  expect(code).toBe(1);
  expect(stdout).toMatch(/^WRONG {2}settings {2}DATABASE_DIRECT_URI is not a setting.*mean DATABASE_DIRECT_URL\?$/m);
  expect(stdout).toMatch(/^WRONG {2}database {2}.*check DATABASE_URL$/m);
  expect(stdout).toMatch(/^WRONG {2}service {3}.*check INCIDENTS_BASE_URL and that the service is running$/m);
  expect(stdout).toMatch(/^WRONG {2}slack {5}Slack refuses SLACK_APP_TOKEN .*connections:write/m);
  expect(stdout).toMatch(/^WRONG {2}channel {3}The bot cannot find the channel #nowhere: correct INCIDENTS_CHANNEL/m);
  expect(stdout + stderr).not.toMatch(/s3cret|a-secret-key|xapp-nobody-knows/);
});

it('says why an installation with policies is no pager', async () => {
  await using tables = await createTestDatabase();
  const policies = createPolicyStore(await tables.open(SERVICE_SCHEMA, serviceMigrations));
  const to = [{ kind: 'channel', url: 'https://chat.example.com/hook' }];
  await policies.create(PolicyPlan.parse({ name: 'All', steps: [{ after_s: 0, to }] }), { by: 'ana' }, new Date());
  const settings = { ...realSlack(), INCIDENTS_CHANNEL: '#incidents', DATABASE_URL: tables.url };

  const bare = await doctor(settings);
  const complete = await doctor({
    ...settings,
    HEARTBEAT_URL: 'https://monitor.example.com/1',
    PUBLIC_URL: 'https://tocsin.example.com',
  });

  expect(bare.stdout.match(/^WRONG {2}pager .*/gm)).toEqual([
    expect.stringContaining('HEARTBEAT_URL is not set'),
    expect.stringContaining('PUBLIC_URL is no https address'),
  ]);
  expect([bare.code, complete.code]).toEqual([1, 0]);
});

it.each([
  ['readOnlyKey', /^WRONG {2}service {3}responds, but INCIDENTS_API_KEY may not write.*read-write key/m, 1],
  ['readWriteKey', /^ok {5}service {3}responds and accepts INCIDENTS_API_KEY$/m, 0],
] as const)('reports whether a key may write: %s', async (key, finding, exit) => {
  await using service = await startTestService();
  await using door = await openFrontDoor('127.0.0.1', 0);
  door.handlers.service = service.service.fetch;

  const { code, stdout } = await doctor({
    ...realSlack(),
    INCIDENTS_BASE_URL: `${door.url}/v1`,
    INCIDENTS_API_KEY: service[key],
  });

  expect(stdout).toMatch(finding);
  expect(code).toBe(exit);
});

it('says that NATS does not answer, without its password', async () => {
  const { code, stdout } = await doctor({ NATS_URL: 'nats://tocsin:s3cret@127.0.0.1:1' });

  expect(stdout).toMatch(/^WRONG {2}nats {6}NATS cannot be used now: .*: check NATS_URL and its servers$/m);
  expect(code).toBe(1);
  expect(stdout).not.toContain('s3cret');
});

it.runIf(HAS_NATS)('says that NATS answers', async () => {
  await using nats = await startNats();

  expect(await doctor({ NATS_URL: nats.url })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ok {5}nats {6}JetStream responds$/m),
  });
});

it('reports wrong settings before it contacts anything', async () => {
  const { code, stdout } = await doctor({ PORT: 'many' });

  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^WRONG {2}settings {2}PORT is "many": .*$/),
  });
});

it('names the missing scopes of the installed app', async () => {
  const manifestPath = join(dataDir, 'old-manifest.yml');
  const manifest = await readFile(MANIFEST, 'utf8');
  await writeFile(manifestPath, manifest.replace(/^ *- (channels:join|groups:history)\n/gm, ''));
  await using old = await startLocalSlack({
    manifestPath,
    channel: INCIDENTS_CHANNEL,
    port: 0,
    delivery: { mode: 'socket' },
  });

  const { code, stdout } = await doctor({
    SLACK_API_URL: old.apiUrl,
    SLACK_BOT_TOKEN: old.botToken,
    SLACK_APP_TOKEN: old.appToken,
  });

  expect(code).toBe(1);
  expect(stdout).toMatch(/^WRONG {2}scopes {4}SLACK_BOT_TOKEN lacks the scope .*manifest\.yml/m);
  expect(stdout).toMatch(/groups:history/);
  expect(stdout).toMatch(/channels:join/);
});
