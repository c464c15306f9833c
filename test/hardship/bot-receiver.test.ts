import { describe, expect, it } from 'vitest';
import { type BotTeam, eventually, startBotTeam } from '../support/bot-team.ts';
import { startLoopback } from '../support/loopback.ts';
import { postSigned, type SignedPost } from '../support/signed-post.ts';

const COMMAND = new URLSearchParams({
  command: '/incidents',
  text: 'help',
  user_id: 'U0ANA00001',
  team_id: 'T0LOCAL001',
  channel_id: 'C0INCIDENT',
  trigger_id: '1.2.3',
}).toString();

function post(team: BotTeam, request: Partial<SignedPost> = {}): Promise<number> {
  return postSigned(team, { body: COMMAND, ...request });
}

describe('signed HTTP', () => {
  it('accepts signed requests, with or without a charset', async () => {
    await using team = await startBotTeam({ transport: 'http' });

    expect(await post(team)).toBe(200);
    expect(await post(team, { type: 'application/x-www-form-urlencoded; charset=UTF-8' })).toBe(200);
  });

  it('rejects a wrong secret, an old request and one from the future', async () => {
    await using team = await startBotTeam({ transport: 'http' });

    expect(await post(team, { secret: 'wrong' })).toBe(401);
    expect(await post(team, { sentAtMs: Date.now() - 6 * 60_000 })).toBe(401);
    expect(await post(team, { sentAtMs: Date.now() + 2 * 60_000 })).toBe(401);
  });

  it('returns 503 with Retry-After until it has signed in', async () => {
    await using team = await startBotTeam({
      transport: 'http',
      before: ({ slack }) => slack.faults.next('auth.test', { kind: 'error', error: 'internal_error' }),
    });

    const response = await fetch(team.requestUrl, { method: 'POST', body: COMMAND });

    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  });

  it('rejects a large body, a wrong method and another path', async () => {
    await using team = await startBotTeam({ transport: 'http' });

    expect(await post(team, { body: 'x'.repeat(2 * 1024 * 1024) })).toBe(413);
    expect((await fetch(team.requestUrl)).status).toBe(405);
    expect((await fetch(new URL('/slack/other', team.requestUrl))).status).toBe(404);
  });

  it.each([
    ['null', 'application/json'],
    ['[]', 'application/json'],
    ['"text"', 'application/json'],
    ['not json', 'application/json'],
    ['{"type":"event_callback","event":null}', 'application/json'],
    ['{"type":"view_submission"}', 'application/json'],
    ['payload=null', 'application/x-www-form-urlencoded'],
    ['payload=%7B%22type%22%3A%22view_submission%22%7D', 'application/x-www-form-urlencoded'],
    ['payload=%7B%22type%22%3A%22view_submission%22%2C%22view%22%3Anull%7D', 'application/x-www-form-urlencoded'],
    ['payload=%7B%22type%22%3A%22block_actions%22%2C%22actions%22%3A%5B%5D%7D', 'application/x-www-form-urlencoded'],
    ['payload=%5B%5D', 'application/x-www-form-urlencoded'],
    ['payload=1', 'application/x-www-form-urlencoded'],
    ['payload=', 'application/x-www-form-urlencoded; charset=UTF-8'],
  ])('returns 400 to the signed body %s as %s, and keeps working', async (body, type) => {
    await using team = await startBotTeam({ transport: 'http' });
    const id = team.service.openIncident({ service: 'payments' });

    const status = await post(team, { body, type });
    const { shown } = await team.slack.as('ana').click(await team.card(/payments/), 'Acknowledge');

    expect([status, shown]).toEqual([400, null]);
    await team.ephemeral('ana', /You acknowledged/);
    expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
  });

  it('sends responses only to Slack, whatever address a request names', async () => {
    await using team = await startBotTeam({ transport: 'http' });
    await using elsewhere = await startLoopback((response) => response.end());

    await post(team, { body: `${COMMAND}&response_url=${encodeURIComponent(`${elsewhere.url}/steal`)}` });

    const answer = await team.ephemeral('ana', /Answer incidents from Slack/);
    expect(answer.from).toBe('app');
    expect(elsewhere.requests).toEqual([]);
  });

  it('responds to the URL verification of Slack', async () => {
    await using team = await startBotTeam({ transport: 'http' });

    expect(await team.slack.checkRequestUrl()).toEqual({ urlVerification: true, sslCheck: true });
  });
});

describe('Socket Mode', () => {
  it('keeps two connections, and reopens them after an interruption', async () => {
    await using team = await startBotTeam({ transport: 'socket' });
    await team.slack.waitFor(() => team.slack.connections === 2);

    team.slack.disconnectSockets();

    await team.slack.waitFor(() => team.slack.connections === 0);
    await team.slack.waitFor(() => team.slack.connections === 2);
    expect((await team.slack.as('ana').command('incidents', '/incidents help')).shown).toBeNull();
  });

  it('reconnects after a long outage of Slack, and reports that it is not connected meanwhile', async () => {
    await using team = await startBotTeam({ transport: 'socket' });
    const isReady = async () => (await team.bot.readiness()).every(({ ready }) => ready);

    team.slack.setAway(true);
    await eventually(async () => !(await isReady()));
    team.slack.setAway(false);

    await eventually(isReady);
    expect((await team.slack.as('ana').command('incidents', '/incidents help')).shown).toBeNull();
  });
});

describe.each(['socket', 'http'] as const)('stopping over %s', (transport) => {
  it('waits for a click that is being processed', async () => {
    await using team = await startBotTeam({ transport });
    const id = team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    const isAsked = () => team.service.requests.some(({ path }) => path === `/incidents/${id}/acknowledge`);

    const clicked = team.slack.as('ana').click(card, 'Acknowledge');
    await eventually(isAsked);
    await team.stopBot();

    expect((await clicked).shown).toBeNull();
    expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
    await team.ephemeral('ana', /You acknowledged/);
  });
});

describe.each(['socket', 'http'] as const)('a control without a listener, over %s', (transport) => {
  it('is acknowledged and answered', async () => {
    await using team = await startBotTeam({ transport });
    const { slack } = team;
    await postButton(slack.apiUrl, slack.botToken);
    const message = await slack.waitFor(() =>
      slack.messages('incidents').find(({ text }) => text === 'from an old version'),
    );

    const { shown } = await slack.as('ana').click(message, 'Old');

    expect(shown).toBeNull();
    await team.ephemeral('ana', /from another version of the bot/);
  });
});

/** A message of an older version of the bot. */
async function postButton(apiUrl: string, token: string): Promise<void> {
  const button = { type: 'button', text: { type: 'plain_text', text: 'Old' }, action_id: 'gone_for_good' };
  await fetch(`${apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      channel: 'C0INCIDENT',
      text: 'from an old version',
      blocks: [{ type: 'actions', elements: [button] }],
    }),
  });
}
