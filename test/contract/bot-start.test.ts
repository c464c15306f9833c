import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { BotStartError } from '../../src/bot/slack/start-error.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/tables.ts';
import { type BotTeamOptions, eventually, nothingToReport, problemOf, startBotTeam } from '../support/bot-team.ts';

async function startFailure(options: BotTeamOptions): Promise<unknown> {
  try {
    await using team = await startBotTeam(options);
    return team;
  } catch (error) {
    return error;
  }
}

describe('a start that cannot succeed fails with one sentence that names the setting', () => {
  const REFUSED: readonly (readonly [string, BotTeamOptions, RegExp])[] = [
    [
      'a wrong bot token',
      { botToken: 'xoxb-wrong' },
      /^Slack refuses SLACK_BOT_TOKEN \(invalid_auth\): copy the Bot User/,
    ],
    ['an app token as the bot token', { botToken: 'xapp-1-local-slack' }, /SLACK_BOT_TOKEN \(not_allowed_token_type\)/],
    [
      'a wrong app token',
      { transport: 'socket', appToken: 'xapp-wrong' },
      /^Slack refuses SLACK_APP_TOKEN \(invalid_auth\): create an app-level/,
    ],
    [
      'a deactivated account',
      { before: ({ slack }) => slack.faults.next('auth.test', { kind: 'error', error: 'account_inactive' }) },
      /SLACK_BOT_TOKEN \(account_inactive\)/,
    ],
    [
      'an app token without its scope',
      {
        transport: 'socket',
        before: ({ slack }) => slack.faults.next('apps.connections.open', { kind: 'error', error: 'missing_scope' }),
      },
      /^SLACK_APP_TOKEN lacks the scope connections:write: create a new/,
    ],
    [
      'a bot token without a scope',
      { before: ({ slack }) => slack.faults.next('conversations.list', { kind: 'error', error: 'missing_scope' }) },
      /^SLACK_BOT_TOKEN lacks the scope .*: update the app from manifest\.yml/,
    ],
    [
      'Socket Mode switched off',
      {
        transport: 'socket',
        before: ({ slack }) =>
          slack.faults.next('apps.connections.open', { kind: 'error', error: 'socket_mode_not_enabled' }),
      },
      /^Slack refuses Socket Mode with SLACK_APP_TOKEN/,
    ],
  ];

  it.each(REFUSED)('%s', async (_what, options, sentence) => {
    const error = await startFailure(options);

    expect(error).toBeInstanceOf(BotStartError);
    expect(String(Reflect.get(Object(error), 'message'))).toMatch(sentence);
  });

  it('a refused API key', async () => {
    await using other = await startBotTeam();

    const error = await startFailure({ service: { baseUrl: other.service.baseUrl, apiKey: 'wrong' } });

    expect(error).toBeInstanceOf(BotStartError);
    expect(String(error)).toMatch(/refuses INCIDENTS_API_KEY: create a key/);
  });

  it('the database of another service', async () => {
    await using team = await startBotTeam();
    await nothingToReport(team);
    const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
    await db.updateTable('installation').set({ service_id: 'https://other.test/v1' }).execute();

    const error: unknown = await team.restartBot().catch((failure: unknown) => failure);

    expect(error).toBeInstanceOf(BotStartError);
    expect(String(error)).toMatch(/another incident service \(https:\/\/other\.test\/v1\).*DATABASE_URL or DATA_DIR/);
  });
});

describe('a start', () => {
  it('continues without the service, reports that, and catches up when the service is back', async () => {
    await using team = await startBotTeam({ before: ({ service }) => service.setAway(true) });

    await expect.poll(() => problemOf(team, 'incident service')).toContain('INCIDENTS_BASE_URL');
    team.service.openIncident({ service: 'payments' });
    team.service.setAway(false);

    await team.card(/payments/);
    await nothingToReport(team);
    await eventually(() => team.service.integrations.length === 1);
  });

  it('continues without Slack, reports that, and signs in when Slack is back', async () => {
    await using team = await startBotTeam({ before: ({ slack }) => slack.setAway(true) });

    expect((await team.bot.readiness()).filter(({ ready }) => !ready)).toEqual([{ name: 'receiver', ready: false }]);
    expect(await problemOf(team, 'slack')).toContain('retrying');
    team.slack.setAway(false);

    await nothingToReport(team);
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
  });

  it('posts cards for open incidents, but not for incidents that were closed before', async () => {
    await using team = await startBotTeam({
      before: ({ service }) => {
        service.closeIncident(service.openIncident({ service: 'old' }));
        service.openIncident({ service: 'standing' });
      },
    });

    await team.card(/standing/);

    expect(team.cards()).toHaveLength(1);
  });

  it('posts a card for an incident that opened and closed between two polls', async () => {
    await using team = await startBotTeam({ shape: 'odd' });
    await nothingToReport(team);

    team.service.closeIncident(team.service.openIncident({ service: 'blink', openedAt: new Date(Date.now() + 1_000) }));

    await team.card(/blink\nClosed/);
    expect(team.cards()).toHaveLength(1);
  });

  it('handles commands without a channel, and says how to get cards', async () => {
    await using team = await startBotTeam({ channel: null });
    team.service.openIncident({ service: 'payments' });

    await team.slack.as('ana').command('incidents', '/incidents open');

    await team.ephemeral('ana', /^1 open incident/);
    expect(await problemOf(team, 'cards')).toContain('INCIDENTS_CHANNEL');
    expect(team.cards()).toEqual([]);
  });

  it('joins a public channel', async () => {
    await using team = await startBotTeam({ channel: 'C0GENERAL1' });

    team.service.openIncident({ service: 'payments' });

    const posted = () => team.slack.messages('general').find((message) => message.text.includes('payments'));
    expect((await team.slack.waitFor(posted)).metadata?.event_type).toBe('tocsin_card');
  });

  it('says what to do about a channel that it cannot find', async () => {
    await using team = await startBotTeam({ channel: '#nowhere' });

    expect(await problemOf(team, 'channel')).toContain('/invite');
  });

  it.each([
    [422, /Everything else works without it/],
    [403, /probably read-only.*Set INCIDENTS_API_KEY to a read-write key/],
  ])('continues if the service responds with %i to the registration, and explains it', async (status, detail) => {
    await using team = await startBotTeam({
      before: ({ service }) =>
        service.failNext(
          { status, contentType: 'text/plain', body: 'no such type' },
          { method: 'POST', path: /integrations/ },
        ),
    });

    const told = await eventually(() => problemOf(team, 'integration'));
    team.service.openIncident({ service: 'payments' });

    expect(told).toContain(`status ${status}`);
    expect(told).toMatch(detail);
    await team.card(/payments/);
  });
});

describe('the log', () => {
  it('contains no token, key, response URL or user input', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    await using team = await startBotTeam({ logger });
    const id = team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');
    team.service.setAway(true);
    await team.slack.as('ana').submit(await team.modal('ana'), { 'Resolution note': 'sesame-open' });
    await team.ephemeral('ana', /is saved/);
    team.service.setAway(false);
    await team.card(/Closed/);

    const log = lines.join('');
    expect(log).toContain(id);
    expect(log).not.toMatch(/xoxb-|xapp-|sesame-open|\/response\//);
    expect(log).not.toContain(team.service.apiKey);
  });
});
