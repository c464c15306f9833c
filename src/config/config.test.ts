import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

function faultsOf(env: Record<string, string>, args: string[] = []): readonly string[] {
  try {
    readConfig(env, args);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.faults;
    }
    throw error;
  }
  return [];
}

const SLACK = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };
const SERVICE = { INCIDENTS_BASE_URL: 'https://incidents.example.com/v1/', INCIDENTS_API_KEY: 'k3y' };

describe('readConfig', () => {
  it('runs all parts by default', () => {
    const config = readConfig({}, []);

    expect(config).toEqual({
      parts: new Set(['bot', 'service', 'local-slack']),
      manifestPath: null,
      openId: null,
      http: { host: '127.0.0.1', port: 3000, otlpGrpcPort: null, syslog: null, publicUrl: null, trustedProxies: [] },
      traceUrl: null,
      slack: { kind: 'local', port: 3100, signingSecret: null },
      service: { kind: 'embedded' },
      serviceMovedFrom: null,
      channel: '#incidents',
      database: { url: null, directUrl: null, readUrl: null, dataDir: './data' },
      natsUrl: null,
      pollMs: 10_000,
      naming: 'email',
      responderGroups: [],
      adminGroups: [],
      rulesGroup: null,
      rateLimitPerMinute: 1_200,
      bootstrapKey: null,
      signalRetentionDays: 30,
      auditRetentionDays: 400,
      incidentRetentionDays: null,
      botRetentionDays: 400,
      autoCloseMinutes: null,
      heartbeatUrl: null,
      ways: { mail: null, ntfy: { url: 'https://ntfy.sh', token: null }, pushover: null, twilio: null },
      ownTraces: null,
      webhooks: { allowPrivateAddresses: false },
      timeWindow: { pastMs: 900_000, aheadMs: 120_000 },
      drainMs: 5_000,
      logLevel: 'info',
    });
  });

  it('keeps signals for good when SIGNAL_RETENTION_DAYS is 0', () => {
    expect(readConfig({ SIGNAL_RETENTION_DAYS: '0' }, []).signalRetentionDays).toBeNull();
    expect(readConfig({ SIGNAL_RETENTION_DAYS: '7' }, []).signalRetentionDays).toBe(7);
  });

  it('refuses to remove incidents whose signals stay forever', () => {
    expect(readConfig({ INCIDENT_RETENTION_DAYS: '365' }, []).incidentRetentionDays).toBe(365);
    expect(() => readConfig({ INCIDENT_RETENTION_DAYS: '365', SIGNAL_RETENTION_DAYS: '0' }, [])).toThrow(
      'INCIDENT_RETENTION_DAYS has no effect while SIGNAL_RETENTION_DAYS is 0',
    );
  });

  it('keeps what the bot knows for a month at least, or for good when BOT_RETENTION_DAYS is 0', () => {
    expect(readConfig({ BOT_RETENTION_DAYS: '0' }, []).botRetentionDays).toBeNull();
    expect(readConfig({ BOT_RETENTION_DAYS: '30' }, []).botRetentionDays).toBe(30);
    expect(() => readConfig({ BOT_RETENTION_DAYS: '29' }, [])).toThrow('BOT_RETENTION_DAYS must be at least 30');
  });

  it('reads secrets from files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
    const path = join(folder, 'url');
    await writeFile(path, 'postgres://one,two:5433/tocsin\n');

    expect(readConfig({ DATABASE_URL_FILE: path }, []).database.url).toBe('postgres://one,two:5433/tocsin');
    expect(faultsOf({ DATABASE_URL_FILE: join(folder, 'none') })).toEqual([
      'DATABASE_URL_FILE names a file that cannot be read: check its path and its permissions',
    ]);
    expect(faultsOf({ DATABASE_URL_FILE: path, DATABASE_URL: 'postgres://one/tocsin' })).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set: set one of them',
    ]);
    await rm(folder, { recursive: true });
  });

  it.each([
    ['nats://one', true],
    ['tls://tocsin:s3cret@one:4222,two:4222,[::1]:4222', true],
    ['nats://one,two:4222/', true],
    ['nats://', false],
    ['nats://a@one,b@two', false],
    ['http://one:4222', false],
    ['one:4222', false],
  ])('takes %s as NATS_URL or says how to write it: %s', (url, isRight) => {
    const fault = 'NATS_URL must be addresses like nats://user:password@one:4222,two:4222,three:4222';

    expect(faultsOf({ NATS_URL: url })).toEqual(isRight ? [] : [fault]);
  });

  it('drains for as many seconds as DRAIN_SECONDS says', () => {
    expect(readConfig({ DRAIN_SECONDS: '0' }, []).drainMs).toBe(0);
    expect(readConfig({ DRAIN_SECONDS: '600' }, []).drainMs).toBe(600_000);
    expect(faultsOf({ DRAIN_SECONDS: '601' })).toEqual([
      'DRAIN_SECONDS is "601": set it to a whole number from 0 to 600 (0: stop at once)',
    ]);
  });

  it('tells one fault of an address, once', () => {
    expect(faultsOf({ NTFY_URL: 'ntfy', SMTP_URL: 'smtp://' })).toEqual([
      'SMTP_URL must be an address like smtp://user:password@mail.example.com:587',
      'NTFY_URL must be an address like https://ntfy.example.com',
    ]);
  });

  it.each([
    ['embedded', true],
    ['http://old.example.com:3000/v1', true],
    ['https://old.example.com/v1/', true],
    ['http://old.example.com', false],
    ['old.example.com', false],
  ])('takes %s as INCIDENTS_MOVED_FROM or says what it must be: %s', (address, isRight) => {
    const fault =
      'INCIDENTS_MOVED_FROM must be the previous INCIDENTS_BASE_URL, ending in /v1, or embedded if the service ran in one process with the bot';

    expect(faultsOf({ INCIDENTS_MOVED_FROM: address })).toEqual(isRight ? [] : [fault]);
  });

  it('treats an empty setting as absent', () => {
    expect(readConfig({ SLACK_BOT_TOKEN: '', DATABASE_URL: '', PORT: '' }, [])).toEqual(readConfig({}, []));
  });

  it('does not start the stand-ins when the real ones are set', () => {
    const config = readConfig({ ...SLACK, ...SERVICE }, []);

    expect(config.parts).toEqual(new Set(['bot']));
    expect(config.slack).toEqual({
      kind: 'remote',
      apiUrl: 'https://slack.com/api/',
      botToken: 'xoxb-1',
      appToken: 'xapp-1',
      signingSecret: null,
    });
    expect(config.service).toEqual({ kind: 'remote', baseUrl: 'https://incidents.example.com/v1', apiKey: 'k3y' });
    expect(config.channel).toBeNull();
  });

  it('can run one part alone', () => {
    expect(readConfig({}, ['service']).parts).toEqual(new Set(['service']));
    expect(readConfig({ ...SLACK, ...SERVICE }, ['bot']).parts).toEqual(new Set(['bot']));
    expect(readConfig({}, ['local-slack']).parts).toEqual(new Set(['local-slack']));
  });

  it('reads the manifest of another bot for local Slack alone', () => {
    const config = readConfig({}, ['local-slack', '--manifest', 'bots/hello.yml']);

    expect(config.parts).toEqual(new Set(['local-slack']));
    expect(config.manifestPath).toBe('bots/hello.yml');
    expect(readConfig({}, ['local-slack']).manifestPath).toBeNull();
  });

  it('reports all faults at once, each with its setting', () => {
    const faults = faultsOf({
      SLACK_BOT_TOKEN: 'xoxp-secret',
      PORT: '80000',
      HOST: 'not a host',
      POLL_SECONDS: 'often',
      LOG_LEVEL: 'loud',
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'yes',
      INCIDENTS_BASE_URL: 'https://incidents.example.com',
      DATABASE_URL: 'mysql://root:secret@db/x',
      INCIDENTS_CHANNEL: 'incidents',
      INCIDENTS_USER: 'nickname',
      RESPONDER_GROUPS: '@sre, ,payments',
      ADMIN_GROUPS: '@site leads',
      RULES_GROUP: '@leads, @sre',
      OIDC_SCOPE: 'email',
    });

    const named = faults.map((fault) => fault.split(' ')[0]);
    expect(named).toEqual([
      'SLACK_BOT_TOKEN',
      'INCIDENTS_BASE_URL',
      'INCIDENTS_CHANNEL',
      'INCIDENTS_USER',
      'RESPONDER_GROUPS',
      'ADMIN_GROUPS',
      'RULES_GROUP',
      'DATABASE_URL',
      'PORT',
      'HOST',
      'POLL_SECONDS',
      'WEBHOOK_ALLOW_PRIVATE_ADDRESSES',
      'LOG_LEVEL',
      'OIDC_SCOPE',
      'SLACK_APP_TOKEN',
      'INCIDENTS_API_KEY',
    ]);
    expect(faults.join('\n')).not.toContain('secret');
  });

  it.each([
    [{ SLACK_APP_TOKEN: 'xapp-1' }, 'SLACK_BOT_TOKEN'],
    [{ SLACK_API_URL: 'http://127.0.0.1:3100/api/' }, 'SLACK_BOT_TOKEN'],
    [{ INCIDENTS_API_KEY: 'k3y' }, 'INCIDENTS_BASE_URL'],
    [{ INCIDENTS_BASE_URL: 'https://incidents.example.com/v1' }, 'INCIDENTS_API_KEY'],
    [{ SLACK_BOT_TOKEN: 'xoxb-1' }, 'SLACK_APP_TOKEN'],
  ])('names the missing setting for %j', (env, missing) => {
    expect(faultsOf(env).map((fault) => fault.split(' ')[0])).toEqual([missing]);
  });

  it('names the settings that the bot alone needs', () => {
    expect(faultsOf({}, ['bot'])).toEqual([
      expect.stringContaining('SLACK_BOT_TOKEN is missing'),
      expect.stringContaining('INCIDENTS_BASE_URL and INCIDENTS_API_KEY are missing'),
    ]);
  });

  it.each([
    [['local-slack', '--manifest']],
    [['local-slack', '--manfest', 'hello.yml']],
    [['local-slack', '--manifest', 'hello.yml', 'more']],
  ])('explains how to give a manifest when it reads %j', (args) => {
    expect(faultsOf({}, args)).toEqual([
      `${JSON.stringify(args.join(' '))}: use npm start -- local-slack --manifest <path of an app manifest>`,
    ]);
  });

  it('lists the parts and commands when asked for an unknown one', () => {
    expect(faultsOf({}, ['slackbot'])).toEqual([
      '"slackbot" is not a part or a command: use npm start, or npm start -- followed by one of bot, service, local-slack, keys, sign-in, doctor, move-database, slack-app, erase-person; npm start -- --help explains them',
    ]);
  });

  it('reads who may sign in by OpenID Connect', () => {
    const env = {
      OIDC_ISSUER: 'https://accounts.example.com',
      OIDC_CLIENT_ID: 'tocsin',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_RESPONDERS: 'on-call, ana@example.com,',
    };

    expect(readConfig({}, []).openId).toBeNull();
    expect(readConfig(env, []).openId).toEqual({
      issuer: 'https://accounts.example.com',
      clientId: 'tocsin',
      clientSecret: 'secret',
      scope: 'openid profile email',
      roles: { claim: 'groups', lists: { viewer: [], responder: ['on-call', 'ana@example.com'], admin: [] } },
    });
  });

  it.each([
    [{ OIDC_ISSUER: 'http://accounts.example.com' }, 'OIDC_ISSUER must begin with https, except on this machine'],
    [{ OIDC_ISSUER: 'https://accounts.example.com' }, 'OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are needed: '],
    [{ OIDC_ISSUER: 'https://accounts.example.com' }, 'OIDC_VIEWERS, OIDC_RESPONDERS and OIDC_ADMINS are missing: '],
    [{ OIDC_ADMINS: 'sre' }, 'OIDC_ISSUER is missing: '],
  ])('refuses incomplete settings of OpenID Connect: %j', (env, fault) => {
    expect(faultsOf(env)).toContainEqual(expect.stringContaining(fault));
  });
});
